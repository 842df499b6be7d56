// Second turns through a real proxy: an agent answers with results of calls that it opened in the turn before, to real clients
// that hold the history. The streams are those of the proxy's own test: recorded from agents.
//
//	node answers.mjs <path of the sabir binary>
import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as agui0 from "agui-client-0.0.59";
import * as agui1 from "agui-client-1.0.0";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import { startProxy } from "./lib/proxy.mjs";

const sabir = process.argv[2];
if (!sabir) {
  console.error("usage: node answers.mjs <path of the sabir binary>");
  process.exit(2);
}

const recordings = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "proxy", "testdata", "second-turn");
const cases = Object.fromEntries(["agui-to-aisdk", "agui-to-aisdk-elsewhere", "langgraph-to-agui", "aisdk-to-agui"].map((name) => {
  const sections = fs.readFileSync(path.join(recordings, `${name}.txtar`), "utf8").split(/^-- (\w+) --\n/m);
  const part = (title) => sections[sections.indexOf(title) + 1];
  const [, from, to] = /from=(\S+) to=(\S+)/.exec(part("route"));
  return [name, { from, to, request: JSON.parse(part("request")), stream: part("stream") }];
}));

const run = { langgraph: "/runs/stream" }; // without it, the URL would be the base of a server that keeps sessions

const agent = http.createServer((req, res) => {
  req.resume();
  req.on("end", () => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.end(cases[req.url.split("/")[1]].stream);
  });
});
await new Promise((resolve) => agent.listen(0, "127.0.0.1", resolve));
const { base, stop } = await startProxy(sabir, {
  upstreams: Object.fromEntries(Object.entries(cases).map(([name, c]) => [name, { url: `http://127.0.0.1:${agent.address().port}/${name}${run[c.from] ?? ""}`, dialect: c.from }])),
  routes: Object.entries(cases).map(([name, c]) => ({ path: `/${name}`, upstream: name, client: c.to })),
});

let failed = 0;
let passed = 0;
async function check(name, client, f) {
  try {
    await f();
    passed++;
  } catch (err) {
    failed++;
    console.error(`${name} to ${client}: ${err.message}`);
  }
}
for (const [version, ai] of [["ai 5", ai5], ["ai 6", ai6], ["ai 7", ai7]]) {
  for (const name of ["agui-to-aisdk", "agui-to-aisdk-elsewhere"]) await check(name, version, () => aisdkAnswer(ai, name));
}
for (const [version, agui] of [["@ag-ui/client 0.0.59", agui0], ["@ag-ui/client 1.0.0", agui1]]) {
  for (const name of ["langgraph-to-agui", "aisdk-to-agui"]) await check(name, version, () => aguiAnswer(agui, name));
}
await stop();
agent.close();
agent.closeAllConnections();
console.log(`second turns: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

// aisdkAnswer lets a chat that holds the calls read the answer. They keep names and inputs, and get their results.
async function aisdkAnswer({ AbstractChat, DefaultChatTransport }, name) {
  const messages = structuredClone(cases[name].request.messages);
  const goesOn = messages.at(-1).role === "assistant";
  const said = goesOn ? undefined : { text: messages.pop().parts[0].text };
  const state = {
    status: "ready", error: undefined, messages,
    pushMessage(m) { this.messages = this.messages.concat(m); },
    popMessage() { this.messages = this.messages.slice(0, -1); },
    replaceMessage(at, m) { this.messages = this.messages.with(at, structuredClone(m)); },
    snapshot: (v) => structuredClone(v),
  };
  class Chat extends AbstractChat {}
  let wrong;
  const chat = new Chat({ id: "chat", state, transport: new DefaultChatTransport({ api: `${base}/${name}` }), onError: (err) => { wrong = err; } });
  await chat.sendMessage(said);
  if (wrong) throw wrong;
  assert.equal(state.messages.length, messages.length + (goesOn ? 0 : 2), "the answer goes on with the message that has the calls, or is one of its own");
  const last = state.messages.at(-1);
  const tools = last.parts.filter((p) => p.toolCallId).map((p) => [p.toolCallId, p.toolName ?? p.type.slice("tool-".length), p.input, p.output]);
  assert.deepEqual(tools.sort(), [
    ["call_d1", "delete_file", { path: "a.txt" }, "deleted c.txt"], ["call_e1", "delete_file", { path: "b.txt" }, "too risky"],
  ]);
  assert.equal(last.parts.filter((p) => p.type === "text").map((p) => p.text).join(""), "Results: delete_file=deleted c.txt; delete_file=too risky");
  if (goesOn) assert.equal(last.parts[1].type, "tool-delete_file", "the calls stay where they are");
}

// aguiAnswer lets an AG-UI client that holds the calls read the answer: a result for each, behind its call and before the text.
async function aguiAnswer({ HttpAgent }, name) {
  const request = cases[name].request;
  const client = new HttpAgent({ url: `${base}/${name}`, threadId: "thread" });
  client.messages.push(...structuredClone(request.messages));
  await client.runAgent({ runId: "run-2" });
  const calls = client.messages.flatMap((m) => m.toolCalls ?? []);
  assert.deepEqual(calls, request.messages.flatMap((m) => m.toolCalls ?? []), "the calls are as they were");
  const added = client.messages.slice(request.messages.length);
  assert.deepEqual(added.map((m) => m.role), [...calls.map(() => "tool"), "assistant"]);
  assert.deepEqual(added.filter((m) => m.role === "tool").map((m) => m.toolCallId).sort(), calls.map((c) => c.id).sort());
  assert.match(added.at(-1).content, /^Results: delete_file=/);
  assert.equal(new Set(client.messages.map((m) => m.id)).size, client.messages.length, "no id comes twice");
}
