// What a program that drives Claude Code makes of its lines. The reader is the stock Agent SDK; what it starts is no process,
// but something that answers its handshake and prints the case.
import { EventEmitter } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { same, wellFormed } from "./texts.mjs";

export function claudeClient({ name, query }) {
  return { name, dialect: "claude-cli", read: (url) => read(query, url), differences, toleratedWhenMutated: [] };
}

async function read(query, url) {
  const u = { blocks: [], users: [], results: new Map(), agents: [], asks: [], ends: [], open: new Map(), faults: [] };
  const options = {
    pathToClaudeCodeExecutable: process.execPath, // not run: the next member stands in for it
    spawnClaudeCodeProcess: () => new Printer(url),
    includePartialMessages: true,
    persistSession: false,
    canUseTool: async (tool, input, { toolUseID }) => {
      u.asks.push(toolUseID);
      return { behavior: "allow", updatedInput: input };
    },
  };
  try {
    for await (const message of query({ prompt: "conformance", options })) takers[message.type]?.(u, message);
  } catch (err) {
    if (u.ends.at(-1)?.is_error !== true) throw err; // a result that is an error is thrown as well
  }
  return u;
}

// Printer stands for the process: it answers the handshake, and prints the case when it is given a prompt.
class Printer extends EventEmitter {
  stdout = new PassThrough();
  killed = false;
  exitCode = null;

  constructor(url) {
    super();
    let rest = "";
    this.stdin = new Writable({
      write: (chunk, _, done) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop();
        for (const line of lines.filter(Boolean)) this.take(JSON.parse(line), url);
        done();
      },
    });
  }

  take(message, url) {
    if (message.type === "user") this.print(url);
    if (message.type !== "control_request") return;
    const response = message.request.subtype === "initialize"
      ? { commands: [], agents: [], output_style: "default", available_output_styles: [], models: [], account: {} }
      : {};
    this.stdout.write(JSON.stringify({ type: "control_response", response: { subtype: "success", request_id: message.request_id, response } }) + "\n");
  }

  async print(url) {
    const { body } = await fetch(url);
    Readable.fromWeb(body).on("end", () => {
      this.exitCode = 0;
      this.emit("exit", 0, null);
    }).pipe(this.stdout);
  }

  kill() {
    this.killed = true;
    this.stdout.end();
    if (this.exitCode === null) {
      this.exitCode = 0;
      this.emit("exit", 0, null);
    }
    return true;
  }
}

// A file needs a source that says where its bytes are.
const file = (u, { type, source }) => {
  const bytes = { base64: source?.data, url: source?.url, file: source?.file_id, text: source?.data }[source?.type];
  if (typeof bytes !== "string") u.faults.push(`${type} of the user without bytes: ${JSON.stringify(source)}`);
};

const unknown = (u, { type }) => u.faults.push(`the user says ${type}`);

const userTakers = {
  text: (u, { text }) => u.users.push(text),
  image: file,
  document: file,
  tool_result: (u, block) => {
    if (u.results.has(block.tool_use_id)) u.faults.push(`two results of ${block.tool_use_id}`);
    u.results.set(block.tool_use_id, block);
  },
};

const takers = {
  stream_event: (u, { event }) => eventTakers[event.type]?.(u, event),
  assistant: (u, { message, parent_tool_use_id: parent }) => {
    for (const block of message.content) {
      u.blocks.push(block);
      if (!parent) streamed(u, block);
    }
  },
  user: (u, { message }) => {
    if (typeof message.content === "string") u.users.push(message.content);
    else for (const block of message.content) (userTakers[block.type] ?? unknown)(u, block);
  },
  system: (u, message) => {
    if (message.subtype === "task_started") u.agents.push(message.subagent_type);
  },
  result: (u, message) => { u.ends.push(message); },
};

const eventTakers = {
  content_block_start: (u, e) => {
    if (u.open.has(e.index)) u.faults.push(`block ${e.index} is begun twice`);
    u.open.set(e.index, { ...e.content_block, json: "" });
  },
  content_block_delta: (u, { index, delta }) => {
    const block = u.open.get(index);
    if (!block) return u.faults.push(`a piece of block ${index}, which is not open`);
    block.text += delta.text ?? "";
    block.thinking += delta.thinking ?? "";
    block.signature += delta.signature ?? "";
    block.json += delta.partial_json ?? "";
  },
  content_block_stop: (u, { index }) => {
    if (!u.open.delete(index)) u.faults.push(`the end of block ${index}, which is not open`);
  },
  message_stop: (u) => {
    if (u.open.size > 0) u.faults.push("a message ends with blocks open");
  },
};

// streamed checks that a whole block of the root agent is what its pieces said, if it came in pieces.
function streamed(u, block) {
  const [open] = [...u.open.values()].filter((o) => o.type === block.type && (o.id === undefined || o.id === block.id)).slice(-1);
  if (!open) return;
  for (const key of ["text", "thinking", "signature"]) {
    if (block[key] !== undefined && block[key] !== open[key]) u.faults.push(`a block says ${block[key]}, its pieces said ${open[key]}`);
  }
  const made = "raw" in (block.input ?? {}) || "value" in (block.input ?? {});
  if (block.type === "tool_use" && !made && !same(JSON.stringify(block.input), open.json)) {
    u.faults.push(`a call has the arguments ${JSON.stringify(block.input)}, its pieces said ${open.json}`);
  }
}

// differences lists what the client understood otherwise than the canonical stream says it.
function differences(want, got) {
  const faults = [...got.faults];
  const sorted = (texts) => JSON.stringify(texts.map(wellFormed).filter(Boolean).sort());
  const differ = (what, a, b) => {
    if (sorted(a) !== sorted(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const texts = (type, key) => got.blocks.filter((b) => b.type === type).map((b) => b[key]);
  differ("answers", want.answers, texts("text", "text"));
  differ("reasoning", want.reasoning, texts("thinking", "thinking"));
  differ("texts of the user", want.users, got.users);
  differ("sub-agents", want.agents, got.agents);
  tools(want, got, faults);
  ending(want, got, faults);
  return faults;
}

// Tools that stand for what is no call: a plan, a sub-agent that no call spawned.
const standIns = ["TodoWrite", "Agent"];

function tools(want, got, faults) {
  const calls = got.blocks.filter((b) => b.type === "tool_use");
  const meant = new Map(want.tools.map((t) => [t.id, t]));
  const seen = calls.filter((c) => meant.has(c.id) || !standIns.includes(c.name));
  const ids = (list) => JSON.stringify(list.map((t) => wellFormed(t.id)).sort());
  if (ids(want.tools) !== ids(seen)) {
    faults.push(`tools: want ${ids(want.tools)}, got ${ids(seen)}`);
    return;
  }
  for (const c of seen) tool(meant.get(c.id), c, got.results.get(c.id), faults);
}

function tool(t, call, result, faults) {
  const fault = (text) => faults.push(`tool ${t.id}: ${text}`);
  if (call.name !== t.name) fault(`want the name ${t.name}, got ${call.name}`);
  if (!t.invalid && !sameInput(t.args, call.input)) fault(`want the arguments ${t.args}, got ${JSON.stringify(call.input)}`);
  if (t.answered && !result) fault(`want the result ${t.result}, got none`);
  if (!t.answered && result && !t.failed) fault("want no result, got one");
  if (!t.answered || !result) return;
  if (result.is_error !== Boolean(t.failed)) fault(`is_error is ${result.is_error}`);
  const text = typeof result.content === "string" ? result.content : result.content.map((b) => b.text ?? "").filter(Boolean).join("\n");
  if (!t.any_text && !same(text, t.result)) fault(`want the result ${t.result}, got ${text}`);
}

// sameInput compares arguments. Such that are no object are wrapped, for inputs are objects.
function sameInput(args, input) {
  const value = JSON.parse(args);
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return same(args, JSON.stringify(isObject ? input : input.value));
}

// ending compares ends. A limit of turns is a failure to Claude Code, and none to others.
function ending(want, got, faults) {
  if (got.ends.length !== 1) {
    faults.push(`${got.ends.length} results`);
    return;
  }
  const [end] = got.ends;
  const failed = end.subtype === "error_during_execution";
  if (failed !== (want.end === "error")) faults.push(`end: want ${want.end}, got ${end.subtype}`);
  if (failed && want.message && end.errors[0] !== want.message) faults.push(`error: want ${want.message}, got ${end.errors[0]}`);
  const { input_tokens: i, cache_creation_input_tokens: created, cache_read_input_tokens: read, output_tokens: o } = end.usage;
  const said = want.usage?.run_sum ?? want.usage?.run;
  if (said?.in !== undefined && said.in !== i + created + read) faults.push(`input: want ${said.in}, got ${i + created + read}`);
  if (said?.out !== undefined && said.out !== o) faults.push(`output: want ${said.out}, got ${o}`);
}
