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
import { question, turns, weather } from "../story.mjs";

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
    return weather(city, 50);
  },
});

const agent = new Agent({ id: "weather", name: "Weather", instructions: "Tell the weather.", model, tools: { get_weather: getWeather } });

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
