// The server that somebody writes with the AI SDK instead of a proxy: it calls a model's API, OpenAI Chat, and hands the
// stream to the page as UI messages.
import { createServer } from "node:http";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { convertToModelMessages, pipeUIMessageStreamToResponse, streamText, toUIMessageStream } from "ai";

const provider = createOpenAICompatible({ name: "up", baseURL: process.env.UPSTREAM + "/v1", apiKey: "bench" });

async function answer(req, res) {
  let body = "";
  for await (const part of req) body += part;
  const { messages } = JSON.parse(body);
  const left = new AbortController();
  res.on("close", () => left.abort());
  const result = streamText({
    model: provider("bench"),
    messages: await convertToModelMessages(messages),
    abortSignal: left.signal,
    maxRetries: 0,
  });
  pipeUIMessageStreamToResponse({ response: res, stream: toUIMessageStream({ stream: result.stream }) });
}

createServer((req, res) => {
  answer(req, res).catch((err) => {
    console.error(err);
    res.destroy();
  });
}).listen(Number(process.env.PORT), "127.0.0.1");
