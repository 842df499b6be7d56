// An agent of the AI SDK with a scripted model, as a route handler has it, to talk with.
//
//	node ai_sdk_agent.mjs PORT
//
// POST /aisdk answers a run, once the messages have passed the SDK's own validation; GET /notes says whose answers were given
// up, and what was deleted.
import http from "node:http";
import { convertToModelMessages, stepCountIs, streamText, tool, validateUIMessages } from "ai-7";
import { z } from "zod";
import { scriptedModel } from "./ai_sdk_model.mjs";

const notes = { gone: [], deleted: [] };

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

const model = scriptedModel((key) => notes.gone.push(key));

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
