// An agent of the AI SDK with a scripted model, behind its own UI message stream.
//
//	node ai_sdk_agent.mjs PORT
//
// POST /aisdk answers a run, whatever the request says: what is tried here is the stream.
import http from "node:http";
import { simulateReadableStream, stepCountIs, streamText, tool } from "ai-7";
import { MockLanguageModelV3 } from "ai-7/test";
import { z } from "zod";
import { question, turns, weather } from "./story.mjs";

const getWeather = tool({
  description: "The weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => weather(city, 20),
});

http.createServer((req, res) => {
  req.resume();
  let turn = 0;
  const model = new MockLanguageModelV3({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: turns[turn++], chunkDelayInMs: 2 }) }),
  });
  const result = streamText({
    model, prompt: question, tools: { get_weather: getWeather }, stopWhen: stepCountIs(5),
    onError: ({ error }) => console.error(error),
  });
  result.pipeUIMessageStreamToResponse(res);
}).listen(Number(process.argv[2]), "127.0.0.1");
