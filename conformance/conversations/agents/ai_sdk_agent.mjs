// An agent of the AI SDK with a scripted model, as a route handler has it, to talk with.
//
//	node ai_sdk_agent.mjs PORT
//
// POST /aisdk answers a run, once the messages have passed the SDK's own validation; GET /notes says whose answers were given
// up, and what was deleted.
import http from "node:http";
import { convertToModelMessages, simulateReadableStream, stepCountIs, streamText, tool, validateUIMessages } from "ai-7";
import { MockLanguageModelV3 } from "ai-7/test";
import { z } from "zod";
import { play } from "../script.mjs";

const notes = { gone: [], deleted: [] };
const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };

const tools = {
  get_weather: tool({
    description: "The weather in a city.", inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `9 degrees in ${city}`,
  }),
  delete_file: tool({
    description: "Deletes a file.", inputSchema: z.object({ path: z.string() }), needsApproval: true,
    execute: ({ path }) => {
      notes.deleted.push(path);
      return `deleted ${path}`;
    },
  }),
  ask_user: tool({ description: "Asks the user.", inputSchema: z.object({ question: z.string() }), outputSchema: z.string() }),
};

const model = new MockLanguageModelV3({
  doStream: async ({ prompt, abortSignal }) => {
    const scene = play(historyOf(prompt));
    abortSignal?.addEventListener("abort", () => { if (scene.delay) notes.gone.push(scene.key); });
    return { stream: simulateReadableStream({ chunks: [...chunks(scene)], initialDelayInMs: 0, chunkDelayInMs: scene.delay || null }) };
  },
});

// historyOf is what the prompt of the model says, in the terms of the script.
function historyOf(prompt) {
  const users = prompt.filter((m) => m.role === "user");
  const last = prompt.at(-1);
  const results = last.role !== "tool" ? [] : partsOf([last], "tool-result").map((p) => ({ name: p.toolName, text: words(p.output) }));
  return {
    users: users.map((m) => textOf(m)), agent: prompt.filter((m) => m.role === "assistant").map((m) => textOf(m)), calls: callsIn(prompt), results,
    tools: Object.keys(tools),
  };
}

function textOf({ content }) {
  return content.map((p) => (p.type === "text" ? p.text : "")).join("");
}

function callsIn(prompt) {
  const results = new Map(partsOf(prompt, "tool-result").map((p) => [p.toolCallId, words(p.output)]));
  return partsOf(prompt, "tool-call").map((p) => ({ name: p.toolName, args: p.input, result: results.get(p.toolCallId) }));
}

function partsOf(prompt, type) {
  return prompt.filter((m) => Array.isArray(m.content)).flatMap((m) => m.content).filter((p) => p.type === type);
}

function words(output) {
  if (output.type === "execution-denied") return output.reason ?? "denied";
  return typeof output.value === "string" ? output.value : JSON.stringify(output.value);
}

function* chunks({ words, calls, fails }) {
  yield { type: "stream-start", warnings: [] };
  if (words.length > 0) yield { type: "text-start", id: "t" };
  for (const delta of words) yield { type: "text-delta", id: "t", delta };
  if (fails) {
    yield { type: "error", error: new Error(fails) };
    return;
  }
  if (words.length > 0) yield { type: "text-end", id: "t" };
  for (const call of calls) {
    const input = JSON.stringify(call.args);
    yield { type: "tool-input-start", id: call.id, toolName: call.name };
    yield { type: "tool-input-delta", id: call.id, delta: input };
    yield { type: "tool-input-end", id: call.id };
    yield { type: "tool-call", toolCallId: call.id, toolName: call.name, input };
  }
  yield { type: "finish", finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined }, usage };
}

async function answer(req, res) {
  const { messages } = JSON.parse(await bodyOf(req));
  const valid = await validateUIMessages({ messages, tools });
  const gone = new AbortController();
  res.on("close", () => { if (!res.writableEnded) gone.abort(); });
  const result = streamText({
    model, tools, stopWhen: stepCountIs(5), abortSignal: gone.signal, messages: await convertToModelMessages(valid, { tools }), onError: () => {},
  });
  result.pipeUIMessageStreamToResponse(res, { originalMessages: valid, onError: (err) => err?.message ?? String(err) });
}

async function bodyOf(req) {
  let body = "";
  for await (const piece of req) body += piece;
  return body;
}

http.createServer((req, res) => {
  if (req.url === "/notes") {
    res.end(JSON.stringify(notes));
    return;
  }
  answer(req, res).catch((err) => {
    res.writeHead(400, { "content-type": "text/plain" });
    res.end(`${err.name}: ${err.message}`);
  });
}).listen(Number(process.argv[2]), "127.0.0.1");
