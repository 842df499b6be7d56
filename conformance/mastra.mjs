// Conversations of the real client of Mastra's servers with a model and an agent of other dialects, through a real proxy: whole histories and
// threads, a tool of the client's, answers in one piece, what is asked before a tool runs, and what a server says of its agents.
//
//	node mastra.mjs <path of the sabir binary>
import { MastraClient } from "@mastra/client-js";
import assert from "node:assert/strict";
import http from "node:http";
import { startProxy } from "./lib/proxy.mjs";

const sabir = process.argv[2];
if (!sabir) {
  console.error("usage: node mastra.mjs <path of the sabir binary>");
  process.exit(2);
}

const chunk = (delta, finish = null) => `data: ${JSON.stringify({
  id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }],
})}\n\n`;

// The model says what the user has said, or what came of a call; it calls where there is a tool.
const model = await serve(({ messages, tools }) => {
  const texts = messages.filter((m) => m.role === "user").map((m) => m.content.map?.((part) => part.text).join() ?? m.content);
  if (messages.at(-1).role === "tool") return chunk({ content: `It is ${messages.at(-1).content}` }) + chunk({}, "stop") + "data: [DONE]\n\n";
  if (tools) {
    const call = { index: 0, id: "c1", type: "function", function: { name: "look", arguments: '{"at":"sky"}' } };
    return chunk({ tool_calls: [call] }) + chunk({}, "tool_calls") + "data: [DONE]\n\n";
  }
  return chunk({ content: "got " }) + chunk({ content: texts.join("+") }) + chunk({}, "stop") + "data: [DONE]\n\n";
});

// The agent speaks AG-UI. It asks before it deletes a file, or what it is to be called, and says what it was answered.
const agent = await serve((input) => {
  const ids = { threadId: input.threadId, runId: input.runId };
  const say = (text) => [{ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: text }, { type: "TEXT_MESSAGE_END", messageId: "m1" }];
  const ask = (id, reason) => ({
    type: "RUN_FINISHED", ...ids, outcome: { type: "interrupt", interrupts: [{ id, reason, message: "May I?", toolCallId: "c1" }] },
  });
  const events = [{ type: "RUN_STARTED", ...ids }];
  const answers = input.resume ?? [];
  if (answers.length > 0) {
    assert.equal(answers[0].interruptId, `ask-of-${ids.threadId}`, "the id of the question");
    events.push(...say(JSON.stringify(answers[0].payload)), { type: "RUN_FINISHED", ...ids });
  } else {
    events.push({ type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "delete_file" }, { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"path":"a.txt"}' }, { type: "TOOL_CALL_END", toolCallId: "c1" });
    events.push(ask(`ask-of-${ids.threadId}`, input.messages.at(-1).content.includes("name") ? "input_required" : "tool_call"));
  }
  return events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join("");
});

const { base, stop } = await startProxy(sabir, {
  upstreams: { model: { url: `${model.url}/`, dialect: "openai-chat" }, agent: { url: `${agent.url}/`, dialect: "agui" } },
  routes: ["model", "agent"].map((upstream) => ({
    path: `/${upstream}/*`, upstream, client: "mastra", methods: ["GET", "POST"], requests: { mode: "translate" }, agent: { name: "helper", description: "It helps." },
  })),
});

const at = (path) => new MastraClient({ baseUrl: `${base}/${path}`, retries: 0 });
const look = { id: "look", description: "Looks.", inputSchema: { type: "object", properties: { at: { type: "string" } } }, execute: async (args) => `the ${args.at}` };
const printed = [];
console.error = (...args) => printed.push(args.map((a) => a?.message ?? String(a)).join(" "));
let failed = 0;
let passed = 0;
for (const [name, f] of Object.entries({ history, thread, clientTool, clientToolInThread, whole, approved, declined, inOnePiece, resumed, unknown, described })) {
  try {
    printed.length = 0;
    await f();
    assert.deepEqual(printed, [], "what the client printed");
    passed++;
  } catch (err) {
    failed++;
    console.log(`${name}: ${err.message}`);
  }
}
await stop();
for (const server of [model, agent]) server.close();
console.log(`mastra: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function history() {
  const messages = [{ role: "user", content: "one" }, { role: "assistant", content: "got one" }, { id: "u2", role: "user", parts: [{ type: "text", text: "two" }] }];
  assert.equal(said(await chunks(await at("model").getAgent("helper").stream(messages))), "got one+two");
}

// thread says only what is new each time.
async function thread() {
  const memory = { thread: { id: "t1" }, resource: "u1" };
  assert.equal(said(await chunks(await at("model").getAgent("helper").stream("one", { memory }))), "got one");
  assert.equal(said(await chunks(await at("model").getAgent("helper").stream("two", { memory }))), "got one+two");
}

async function clientTool() {
  const all = await chunks(await at("model").getAgent("helper").stream([{ role: "user", content: "look" }], { clientTools: { look } }));
  assert.equal(said(all), "It is the sky");
  assert.deepEqual(all.find((c) => c.type === "tool-result").payload.result, "the sky");
}

async function clientToolInThread() {
  const options = { clientTools: { look }, memory: { thread: "t2", resource: "u1" } };
  assert.equal(said(await chunks(await at("model").getAgent("helper").stream("look", options))), "It is the sky");
}

async function whole() {
  const agent = at("model").getAgent("helper");
  const one = await agent.generate("one");
  assert.deepEqual([one.text, one.finishReason], ["got one", "stop"]);
  assert.equal((await agent.generate([{ role: "user", content: "look" }], { clientTools: { look } })).text, "It is the sky");
}

// asked is the chunk with the question, of a stream that ends with it.
async function asked(agent, text, type) {
  const all = await chunks(await agent.stream(text));
  const ask = all.find((c) => c.type === type);
  assert.ok(ask, `the question is among ${all.map((c) => c.type)}`);
  assert.ok(!all.some((c) => c.type === "finish"), "a run that waits has no finish");
  assert.deepEqual([ask.payload.toolName, ask.payload.args], ["delete_file", { path: "a.txt" }]);
  return { runId: ask.runId, toolCallId: ask.payload.toolCallId };
}

async function approved() {
  const agent = at("agent").getAgent("helper");
  const all = await chunks(await agent.approveToolCall(await asked(agent, "delete", "tool-call-approval")));
  assert.deepEqual(JSON.parse(said(all)), { approved: true });
}

async function declined() {
  const agent = at("agent").getAgent("helper");
  const all = await chunks(await agent.declineToolCall({ ...await asked(agent, "delete", "tool-call-approval"), reason: "no" }));
  assert.deepEqual(JSON.parse(said(all)), { approved: false, reason: "no" });
}

async function inOnePiece() {
  const agent = at("agent").getAgent("helper");
  const one = await agent.generate("delete");
  assert.equal(one.finishReason, "suspended");
  const two = await agent.approveToolCallGenerate({ runId: one.runId, toolCallId: one.suspendPayload.toolCallId });
  assert.deepEqual(JSON.parse(two.text), { approved: true });
}

async function resumed() {
  const agent = at("agent").getAgent("helper");
  const { runId, toolCallId } = await asked(agent, "your name", "tool-call-suspended");
  const all = await chunks(await agent.resumeStream({ name: "Ada" }, { runId, toolCallId }));
  assert.deepEqual(JSON.parse(said(all)), { name: "Ada" });
}

async function unknown() {
  await assert.rejects(at("agent").getAgent("helper").approveToolCall({ runId: "none", toolCallId: "c1" }), (err) => err.status === 404);
}

async function described() {
  assert.deepEqual(Object.values(await at("agent").listAgents()).map((a) => [a.name, a.description]), [["helper", "It helps."]]);
  assert.equal((await at("agent").getAgent("helper").details()).name, "helper");
}

async function chunks(response) {
  const all = [];
  await response.processDataStream({ onChunk: (c) => void all.push(c) });
  return all;
}

function said(all) {
  return all.filter((c) => c.type === "text-delta").map((c) => c.payload.text).join("");
}

// serve answers each request with what answer makes of its body.
async function serve(answer) {
  const server = http.createServer(async (req, res) => {
    let body = "";
    for await (const piece of req) body += piece;
    try {
      const stream = answer(JSON.parse(body));
      res.writeHead(200, { "content-type": "text/event-stream" }).end(stream);
    } catch (err) {
      res.writeHead(500).end(err.message);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.close(); server.closeAllConnections(); } };
}
