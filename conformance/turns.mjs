// Two turns of one thread through a real proxy, to real clients that keep what they have. The agent counts its ids anew in
// each turn, as many do: nothing that a client had may be written over, or go on.
//
//	node turns.mjs <path of the sabir binary>
import assert from "node:assert/strict";
import http from "node:http";
import * as agui0 from "agui-client-0.0.59";
import * as agui1 from "agui-client-1.0.0";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import { startProxy } from "./lib/proxy.mjs";

const sabir = process.argv[2];
if (!sabir) {
  console.error("usage: node turns.mjs <path of the sabir binary>");
  process.exit(2);
}

const chunk = (delta, finish = null) => `data: ${JSON.stringify({
  id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }],
})}\n\n`;
const update = (u) => JSON.stringify({ update: u }) + "\n";
const agents = {
  "openai-chat": { calls: 0, body: chunk({ role: "assistant", content: "Hi" }) + chunk({}, "stop") + "data: [DONE]\n\n" },
  evolve: {
    calls: 1,
    body: update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "ls", kind: "execute", rawInput: { cmd: "ls" } }) +
      update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed", content: [{ type: "content", content: { type: "text", text: "a" } }] }) +
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hi" } }) +
      JSON.stringify({ sandbox: "ready", agent: "idle", reason: "run_complete" }) + "\n",
  },
};

const agent = http.createServer((req, res) => {
  req.resume();
  req.on("end", () => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.end(agents[req.url.slice(1)].body);
  });
});
await new Promise((resolve) => agent.listen(0, "127.0.0.1", resolve));
const { base, stop } = await startProxy(sabir, {
  upstreams: Object.fromEntries(Object.keys(agents).map((name) => [name, { url: `http://127.0.0.1:${agent.address().port}/${name}`, dialect: name }])),
  routes: Object.keys(agents).flatMap((name) => ["agui", "aisdk"].map((client) => ({ path: `/${client}/${name}`, upstream: name, client }))),
});

const clients = {
  "@ag-ui/client 0.0.59": (name) => aguiTurns(agui0.HttpAgent, `${base}/agui/${name}`),
  "@ag-ui/client 1.0.0": (name) => aguiTurns(agui1.HttpAgent, `${base}/agui/${name}`),
  "ai 5": (name) => aisdkTurns(ai5, `${base}/aisdk/${name}`),
  "ai 6": (name) => aisdkTurns(ai6, `${base}/aisdk/${name}`),
  "ai 7": (name) => aisdkTurns(ai7, `${base}/aisdk/${name}`),
};
let failed = 0;
let passed = 0;
for (const [client, turns] of Object.entries(clients)) {
  for (const [name, { calls }] of Object.entries(agents)) {
    try {
      const had = await turns(name);
      assert.deepEqual(had.texts, ["Hi", "Hi"], "each turn has its own text");
      assert.deepEqual(had.args, Array(2 * calls).fill('{"cmd":"ls"}'), "each turn has its own call");
      assert.equal(new Set(had.callIDs).size, 2 * calls, `calls ${had.callIDs}`);
      assert.equal(new Set(had.messageIDs).size, had.messageIDs.length, `messages ${had.messageIDs}`);
      passed++;
    } catch (err) {
      failed++;
      console.error(`${name} to ${client}: ${err.message}`);
    }
  }
}
await stop();
agent.close();
agent.closeAllConnections();
console.log(`two turns: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

// aguiTurns is what an AG-UI client has after two turns.
async function aguiTurns(HttpAgent, url) {
  const client = new HttpAgent({ url, threadId: "thread" });
  for (const turn of [1, 2]) {
    client.messages.push({ id: `user-${turn}`, role: "user", content: "Hello" });
    await client.runAgent({ runId: `run-${turn}` });
  }
  const answers = client.messages.filter((m) => m.role === "assistant");
  const calls = answers.flatMap((m) => m.toolCalls ?? []);
  return {
    texts: answers.map((m) => m.content).filter(Boolean), args: calls.map((c) => c.function.arguments),
    callIDs: calls.map((c) => c.id), messageIDs: client.messages.map((m) => m.id),
  };
}

// aisdkTurns is what a chat of the AI SDK has after two turns.
async function aisdkTurns({ AbstractChat, DefaultChatTransport }, url) {
  const state = {
    status: "ready", error: undefined, messages: [],
    pushMessage(m) { this.messages = this.messages.concat(m); },
    popMessage() { this.messages = this.messages.slice(0, -1); },
    replaceMessage(at, m) { this.messages = this.messages.with(at, structuredClone(m)); },
    snapshot: (v) => structuredClone(v),
  };
  class Chat extends AbstractChat {}
  let wrong;
  const chat = new Chat({ id: "chat", state, transport: new DefaultChatTransport({ api: url }), onError: (err) => { wrong = err; } });
  for (const text of ["Hello", "And again"]) {
    await chat.sendMessage({ text });
    if (wrong) throw wrong;
  }
  const answers = state.messages.filter((m) => m.role === "assistant");
  const parts = answers.flatMap((m) => m.parts);
  const calls = parts.filter((p) => p.toolCallId);
  return {
    texts: parts.filter((p) => p.type === "text").map((p) => p.text), args: calls.map((p) => JSON.stringify(p.input)),
    callIDs: calls.map((p) => p.toolCallId), messageIDs: state.messages.map((m) => m.id),
  };
}
