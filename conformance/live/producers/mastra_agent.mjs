// An agent of Mastra with a scripted model, through Mastra's own AI SDK route or the AG-UI bridge. Wants Node 22.
//
//	npm i --legacy-peer-deps @mastra/core@1.71.0 @mastra/ai-sdk@1.10.4 ai@6.0.326 zod@4.6.7 \
//	    @ag-ui/mastra@1.1.2 @ag-ui/core@1.0.0 @ag-ui/client@1.0.0 @ag-ui/encoder@1.0.0 @mastra/client-js@1.47.0
//	node mastra_agent.mjs aisdk > recording.sse
//	node mastra_agent.mjs agui > recording.sse
//
// With the further word approve the tools ask before they run; with fail they raise.
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core";
import { createTool } from "@mastra/core/tools";
import { createUIMessageStreamResponse, simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const usage = { inputTokens: { total: 20 }, outputTokens: { total: 10 } };

// Two model turns: it thinks and calls two tools at once, then tells what they found.
const turns = [
  [
    { type: "stream-start", warnings: [] },
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "Two cities, " },
    { type: "reasoning-delta", id: "0", delta: "two calls." },
    { type: "reasoning-end", id: "0" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "I will look." },
    { type: "text-end", id: "1" },
    ...call("call_oslo", ['{"city":', '"Oslo"}']),
    ...call("call_rome", ['{"city":"Rome"}']),
    { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
  ],
  [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "2" },
    { type: "text-delta", id: "2", delta: "Oslo is " },
    { type: "text-delta", id: "2", delta: "cold ☃, " },
    { type: "text-delta", id: "2", delta: "Rome is warm." },
    { type: "text-end", id: "2" },
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ],
];

function call(id, fragments) {
  return [
    { type: "tool-input-start", id, toolName: "get_weather" },
    ...fragments.map((delta) => ({ type: "tool-input-delta", id, delta })),
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName: "get_weather", input: fragments.join("") },
  ];
}

let turn = 0;
const model = new MockLanguageModelV3({
  doStream: async () => ({ stream: simulateReadableStream({ chunks: turns[turn++], chunkDelayInMs: 2 }) }),
});

const getWeather = createTool({
  id: "get_weather",
  description: "The weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.string(),
  requireApproval: process.argv[3] === "approve",
  execute: async ({ city }) => {
    if (process.argv[3] === "fail") throw new Error("the service is down");
    await new Promise((resolve) => setTimeout(resolve, city === "Rome" ? 10 : 50));
    return `${city}: ${city === "Oslo" ? "-4" : "21"} degrees`;
  },
});

const agent = new Agent({ id: "weather", name: "Weather", instructions: "Tell the weather.", model, tools: { get_weather: getWeather } });
const question = "What is the weather in Oslo and in Rome?";

async function aisdk() {
  const { handleChatStream } = await import("@mastra/ai-sdk");
  const mastra = new Mastra({ agents: { weather: agent }, logger: false });
  const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: question }] }];
  const stream = await handleChatStream({ mastra, agentId: "weather", params: { messages }, version: "v6", sendReasoning: true });
  process.stdout.write(await createUIMessageStreamResponse({ stream }).text());
}

async function agui() {
  const { MastraAgent } = await import("@ag-ui/mastra");
  const { EventEncoder } = await import("@ag-ui/encoder");
  const bridge = new MastraAgent({ agent, resourceId: "u1" });
  const encoder = new EventEncoder();
  const messages = [{ id: "u1", role: "user", content: question }];
  const input = { threadId: "t1", runId: "r1", state: {}, tools: [], context: [], forwardedProps: {}, messages };
  await new Promise((resolve, reject) => {
    bridge.run(input).subscribe({ next: (event) => process.stdout.write(encoder.encode(event)), error: reject, complete: resolve });
  });
}

await { aisdk, agui }[process.argv[2]]();
