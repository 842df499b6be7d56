// An agent of the AI SDK with a scripted model, behind its own UI message stream.
//
//	node ai_sdk_agent.mjs PORT
//
// POST /aisdk answers a run, whatever the request says: what is tried here is the stream.
import http from "node:http";
import { simulateReadableStream, stepCountIs, streamText, tool } from "ai-7";
import { MockLanguageModelV3 } from "ai-7/test";
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

const getWeather = tool({
  description: "The weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    await new Promise((resolve) => setTimeout(resolve, city === "Rome" ? 10 : 20));
    return `${city}: ${city === "Oslo" ? "-4" : "21"} degrees`;
  },
});

http.createServer((req, res) => {
  req.resume();
  let turn = 0;
  const model = new MockLanguageModelV3({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: turns[turn++], chunkDelayInMs: 2 }) }),
  });
  const result = streamText({
    model, prompt: "What is the weather in Oslo and in Rome?", tools: { get_weather: getWeather }, stopWhen: stepCountIs(5),
    onError: ({ error }) => console.error(error),
  });
  result.pipeUIMessageStreamToResponse(res);
}).listen(Number(process.argv[2]), "127.0.0.1");
