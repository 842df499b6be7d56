// Records OpenCode: what "opencode run --format json" prints, and what the event bus of "opencode serve" says, both with the model
// scripted here. It needs no network, and changes nothing outside a folder of its own, which is also the agent's home.
//
//	npm install opencode-ai@1.18.33 (elsewhere: the program has 180 MB)
//	node live/producers/opencode.mjs <path of the opencode binary> <folder for the recordings> [--only NAME]
//
// A recording is the bytes that came, with the agent's folder written as /project, and the time and order left as they were. The file
// for the bus of NAME is NAME.sse, that for the command NAME.jsonl.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const { values: options, positionals: [binary, out] } = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } });
if (!out) {
  console.error("usage: node opencode.mjs <path of the opencode binary> <folder for the recordings> [--only NAME]");
  process.exit(2);
}
const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "opencode-")));
const project = path.join(home, "project");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// call is a call of a tool, thinks and says are texts, each with the pieces in which it comes.
const call = (id, name, args) => ({ tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
const thinks = (...pieces) => pieces.map((reasoning_content) => ({ reasoning_content }));
const says = (...pieces) => pieces.map((content) => ({ content }));

// stories are what the model says by what the user says, a list for each time that it is asked.
const stories = {
  text: [[...thinks("Be ", "short."), ...says("Hello ", "from ", "☃.")]],
  tools: [
    [...thinks("Two things, ", "two calls."), ...says("I will look."),
      call("call_say", "bash", { command: "echo hello; sleep 1; echo again", description: "Says hello" }),
      call("call_read", "read", { filePath: path.join(project, "notes.txt") })],
    [call("call_todo", "todowrite", { todos: [
      { content: "Look", status: "completed", priority: "high" }, { content: "Tell", status: "in_progress", priority: "low" }] })],
    says("It says ", "hello."),
  ],
  failed: [
    [call("call_missing", "read", { filePath: path.join(project, "missing.txt") }), call("call_unknown", "fly", { to: "Oslo" }),
      call("call_bad", "bash", { description: "No command" }), call("call_exit", "bash", { command: "echo no >&2; exit 3", description: "Fails" })],
    says("All of it failed."),
  ],
  permission: [[...says("I will write."), call("call_write", "write", { filePath: path.join(project, "new.txt"), content: "new\n" })], says("Written.")],
  question: [[call("call_ask", "question", { questions: [{ question: "Which city?", header: "City", options: [
    { label: "Oslo", description: "In the north" }, { label: "Rome", description: "In the south" }] }] })], says("Thank you.")],
  agent: [[call("call_task", "task", { description: "Look around", prompt: "text", subagent_type: "general" })], says("The other has looked.")],
  refused: [],
  long: [[...thinks("Long."), ...says(...Array.from({ length: 12 }, (_, i) => `${i} `))]],
  length: [[...says("This is ")]],
};

// answer streams what the story has for a request. The user's last word names the story; what came behind it is how far it is.
async function answer(body, res) {
  const messages = body.messages.filter((m) => m.role !== "system");
  const at = messages.findLastIndex((m) => m.role === "user");
  const words = messages[at].content;
  const name = (typeof words === "string" ? words : words.map((p) => p.text ?? "").join(" ")).match(/[a-z]+/)?.[0];
  if (!body.tools?.length) return stream(res, body.model, says("A title"), "stop"); // it names the conversation
  if (name === "refused") {
    res.writeHead(400, { "content-type": "application/json" });
    return res.end(JSON.stringify({ error: { message: "the model refuses", type: "invalid_request_error", code: "refused" } }));
  }
  const turn = stories[name]?.[messages.slice(at).filter((m) => m.role === "assistant").length] ?? says("There is no more.");
  const calls = turn.some((d) => d.tool_calls);
  await stream(res, body.model, turn, name === "length" ? "length" : calls ? "tool_calls" : "stop");
}

async function stream(res, model, deltas, reason) {
  res.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (members) => res.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model, ...members })}\n\n`);
  let calls = 0;
  for (const delta of deltas) {
    for (const c of delta.tool_calls ?? []) c.index = calls++;
    chunk({ choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] });
    await pause(150);
  }
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  chunk({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 3 } } });
  res.end("data: [DONE]\n\n");
}

const model = http.createServer((req, res) => {
  let body = "";
  req.on("data", (piece) => (body += piece));
  req.on("end", () => answer(JSON.parse(body), res));
});
await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));

fs.mkdirSync(project, { recursive: true });
fs.mkdirSync(out, { recursive: true });
fs.writeFileSync(path.join(project, "notes.txt"), "one\ntwo\n");
fs.writeFileSync(path.join(project, "opencode.json"), JSON.stringify({
  autoupdate: false, share: "disabled", enabled_providers: ["scripted"], model: "scripted/story", small_model: "scripted/story",
  permission: { edit: "ask" },
  provider: { scripted: {
    npm: "@ai-sdk/openai-compatible", name: "Scripted", options: { baseURL: `http://127.0.0.1:${model.address().port}/v1`, apiKey: "none" },
    models: { story: { name: "Story", tool_call: true, reasoning: true, limit: { context: 100000, output: 10000 }, cost: { input: 1, output: 2 } } },
  } },
}));
const env = { PATH: process.env.PATH, HOME: home, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
const keep = (name, text) => fs.writeFileSync(path.join(out, name), text.replaceAll(project, "/project").replaceAll(project.slice(1), "project"));

// run keeps what the command prints, and gives the session that it names.
async function run(file, args, cancelAfter) {
  const child = spawn(binary, ["run", "--format", "json", ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "", said = "";
  child.stdout.on("data", (piece) => {
    text += piece;
    if (cancelAfter && text.includes(cancelAfter)) child.kill("SIGINT");
  });
  child.stderr.on("data", (piece) => (said += piece));
  const status = await new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
  keep(`${file}.jsonl`, text);
  console.log(`${file}.jsonl: ${text.split("\n").length - 1} lines, status ${status}${said ? `, on stderr ${JSON.stringify(said.slice(0, 300))}` : ""}`);
  return text.match(/"sessionID":"([^"]+)"/)?.[1];
}

// serve asks a server, and keeps what its bus says from before the prompt until half a second behind the end.
async function serve() {
  const child = spawn(binary, ["serve", "--port", "0", "--hostname", "127.0.0.1"], { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.on("close", () => reject(new Error(text)));
    child.stdout.on("data", (piece) => (text += piece).match(/http:\S+/) && resolve(text.match(/http:\S+/)[0]));
  });
  const post = async (where, body) => {
    const res = await fetch(url + where, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    if (!res.ok) throw new Error(`${where}: ${res.status} ${await res.text()}`);
    return res.status === 204 ? null : res.json();
  };
  const ask = async (file, text, { session, reply, abort } = {}) => {
    session ??= (await post("/session", {})).id;
    const bus = new AbortController();
    const res = await fetch(`${url}/event`, { signal: bus.signal });
    let got = "", done = false;
    const seen = new Set();
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const piece of res.body) {
        got += decoder.decode(piece, { stream: true });
        for (const m of got.matchAll(/^data: (.*)\n\n/gm)) {
          const { type, properties: p } = JSON.parse(m[1]);
          if (type === "permission.asked" && !seen.has(p.id) && seen.add(p.id)) post(`/permission/${p.id}/reply`, { reply: reply ?? "once" });
          if (type === "question.asked" && !seen.has(p.id) && seen.add(p.id)) post(`/question/${p.id}/reply`, { answers: [["Oslo"]] });
          if (type === "message.part.delta" && abort && p.delta.startsWith(abort) && seen.size === 0 && seen.add("x")) post(`/session/${session}/abort`, {});
          if (type === "session.idle" && p.sessionID === session && !done) {
            done = true;
            setTimeout(() => bus.abort(), 500);
          }
        }
      }
    })().catch((err) => { if (err.name !== "AbortError") throw err; });
    await pause(300);
    await post(`/session/${session}/prompt_async`, { parts: [{ type: "text", text }] });
    await reading;
    keep(`${file}.sse`, got);
    console.log(`${file}.sse: ${got.split("\n\n").length - 1} events`);
    return session;
  };
  try {
    for (const name of ["text", "tools", "failed", "question", "agent", "refused", "length"]) if (wanted(name)) await ask(name, name);
    if (wanted("permission")) {
      await ask("permission", "permission");
      await ask("permission-rejected", "permission", { reply: "reject" });
    }
    if (wanted("deltas")) await ask("deltas", "long");
    if (wanted("cancel")) await ask("cancel", "long", { abort: "5 " });
    if (wanted("turns")) await ask("turns-second", "tools", { session: await ask("turns-first", "text") });
  } finally {
    child.kill();
  }
}

const wanted = (name) => !options.only || options.only === name;
try {
  for (const name of ["text", "tools", "failed", "permission", "agent", "refused", "length"]) {
    if (wanted(name)) await run(name, name === "text" ? ["--thinking", name] : [name]);
  }
  if (wanted("cancel")) await run("cancel", ["long"], "step_start");
  if (wanted("turns")) await run("turns-second", ["--thinking", "--session", await run("turns-first", ["text"]), "tools"]);
  await serve();
} finally {
  model.close();
  fs.rmSync(home, { recursive: true, force: true });
}
