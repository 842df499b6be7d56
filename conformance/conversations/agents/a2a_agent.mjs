// An agent on the server of A2A's SDK with a scripted model, to talk with.
//
//	node a2a_agent.mjs PORT VERSION FILE
//
// POST / is JSON-RPC in version 1.0 or 0.3, as the SDK's own route for Express has it; below /.well-known is the card. The agent keeps the
// conversation of each context, and its tasks; when it ends, in the file. It answers in pieces of one artifact, says what its tools do in messages of the
// task at work, and asks by input-required, in words. GET /notes says whose tasks were cancelled, and what was deleted.
import fs from "node:fs";
import http from "node:http";
import { play } from "../script.mjs";
import { versions } from "./a2a_versions.mjs";

const [port, version, file] = process.argv.slice(2);
const { server, speaker, textOf, context, errorOf } = versions[version];

const notes = { gone: [], deleted: [] };
const kept = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : { talks: {}, waiting: {}, tasks: {} };
const running = new Map(); // by task: what ends it

process.on("SIGTERM", () => {
  fs.writeFileSync(file, JSON.stringify(kept));
  process.exit(0);
});

const tasks = {
  load: async (id) => structuredClone(kept.tasks[id]),
  save: async (task) => { kept.tasks[task.id] = structuredClone(task); },
};

const tools = {
  get_weather: { run: ({ city }) => `9 degrees in ${city}` },
  delete_file: { question: ({ path }) => `May I delete ${path}?`, run: ({ path }, said) => (/^y/i.test(said) ? remove(path) : "denied") },
  choose_colour: { question: ({ question, options }) => `${question} ${options.join(" or ")}`, run: (_, said) => said },
};

function remove(path) {
  notes.deleted.push(path);
  return `deleted ${path}`;
}

const executor = {
  async execute({ taskId, contextId, task, userMessage }, bus) {
    const out = speaker(bus, taskId, contextId);
    const talk = (kept.talks[contextId] ??= { users: [], agent: [], calls: [] });
    const stop = new AbortController();
    running.set(taskId, stop);
    out.begin(task, userMessage);
    const said = textOf(userMessage);
    const open = kept.waiting[taskId];
    delete kept.waiting[taskId];
    if (!open) talk.users.push(said);
    await goOn({ talk, out, taskId, signal: stop.signal, began: Boolean(task?.artifacts?.length) }, open, said);
    running.delete(taskId);
    bus.finished();
  },
  async cancelTask(taskId, bus) {
    delete kept.waiting[taskId];
    running.get(taskId)?.abort();
    speaker(bus, taskId, kept.tasks[taskId].contextId).status("canceled");
  },
};

// goOn plays the model until the task ends, or waits. open are the calls of which one waited for what the user says.
async function goOn(turn, open, said) {
  let results = open ? await perform(turn, open, said) : [];
  while (results) {
    const { talk, out } = turn;
    const scene = play({ ...talk, results, tools: Object.keys(tools) });
    await say(turn, scene);
    if (turn.signal.aborted) return;
    if (scene.fails) return out.status("failed", scene.fails);
    if (scene.calls.length === 0) return out.status("completed");
    results = await perform(turn, { calls: scene.calls, results: [] });
  }
}

async function say(turn, { key, words, delay }) {
  const { talk, out, taskId, signal } = turn;
  for (const word of words) {
    if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
    if (signal.aborted) break;
    out.artifact(`answer-${taskId}`, "answer", word, turn.began);
    turn.began = true;
    talk.agent.push(word);
  }
  if (signal.aborted) notes.gone.push(key);
}

// perform runs calls, up to one of which the user is asked. said is the answer to the first. It gives the results once it has all.
async function perform({ talk, out, taskId }, open, said) {
  for (let call; (call = open.calls[0]); open.calls.shift()) {
    const { question, run } = tools[call.name];
    if (question && said === undefined) {
      kept.waiting[taskId] = open;
      out.status("input-required", question(call.args));
      return undefined;
    }
    out.status("working", `Calling ${call.name}`);
    const result = run(call.args, said);
    said = undefined;
    talk.calls.push({ name: call.name, args: call.args, result });
    open.results.push({ name: call.name, text: result });
  }
  return open.results;
}

const base = `http://127.0.0.1:${port}/`;
const card = {
  name: "scripted", description: "Plays a script.", version: "1.0.0", capabilities: { streaming: true, pushNotifications: false, extensions: [] },
  defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [],
  supportedInterfaces: [{ url: base, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" }], // of 1.0
  protocolVersion: "0.3.0", url: base, preferredTransport: "JSONRPC", // of 0.3
};
const handler = new server.JsonRpcTransportHandler(new server.DefaultRequestHandler(card, tasks, executor));

// answer is what the SDK's route for Express does.
async function answer(req, res) {
  const body = await bodyOf(req);
  const call = context(req.headers);
  server.validateVersion?.(call.requestedVersion, card, "JSONRPC");
  const events = await handler.handle(body, call);
  if (!events[Symbol.asyncIterator]) return json(res, events);
  try {
    const first = await events.next();
    res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" });
    for (let at = first; !at.done; at = await events.next()) res.write(`data: ${JSON.stringify(at.value)}\n\n`);
  } catch (err) {
    const error = { jsonrpc: "2.0", id: JSON.parse(body).id ?? null, error: errorOf(err) };
    if (!res.headersSent) return json(res, error);
    res.write(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
  }
  res.end();
}

function json(res, value) {
  res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function bodyOf(req) {
  let body = "";
  for await (const piece of req) body += piece;
  return body;
}

http.createServer((req, res) => {
  if (req.url === "/notes") return json(res, notes);
  if (req.url.startsWith("/.well-known/")) return json(res, card);
  return answer(req, res).catch((err) => {
    res.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: null, error: errorOf(err) }));
  });
}).listen(Number(port), "127.0.0.1");
