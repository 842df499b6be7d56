// An agent on the server of A2A's SDK with a scripted model, to talk with.
//
//	node a2a_agent.mjs PORT VERSION FILE
//
// POST / is JSON-RPC in version 1.0 or 0.3, and the paths below it are REST, by the SDK's own routes for Express; below /.well-known is the card. The
// agent keeps the conversation of each context, and its tasks; when it ends, in the file. It answers in pieces of one artifact, says what its tools do in messages of the
// task at work, and asks by input-required, in words. GET /notes says whose tasks were cancelled, and what was deleted.
import fs from "node:fs";
import createApp from "express";
import { play } from "../script.mjs";
import { versions } from "./a2a_versions.mjs";

const [port, version, file] = process.argv.slice(2);
const { server, routes, speaker, textOf } = versions[version];

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
  supportedInterfaces: ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({ url: base, protocolBinding, protocolVersion: "1.0", tenant: "" })), // of 1.0
  protocolVersion: "0.3.0", url: base, preferredTransport: "JSONRPC", additionalInterfaces: [{ url: base, transport: "HTTP+JSON" }], // of 0.3
};
const requestHandler = new server.DefaultRequestHandler(card, tasks, executor);
const { jsonRpcHandler, restHandler, UserBuilder } = routes;
const app = createApp();
app.get("/notes", (_, res) => res.json(notes));
app.get("/.well-known/agent-card.json", (_, res) => res.json(card));
for (const handler of [restHandler, jsonRpcHandler]) app.use(handler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
app.listen(Number(port), "127.0.0.1");
