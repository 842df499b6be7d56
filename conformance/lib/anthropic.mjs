// What clients of the Messages API make of a stream. The readers are Anthropic's SDK, three ways (the helper, the helper of
// the beta API, and the bare events, which are also checked for the order that stricter clients want), and the AI SDK's
// streamText with Anthropic's provider.
import { canonical, harmless, same, wellFormed } from "./texts.mjs";

const request = { model: "conformance", max_tokens: 1024, messages: [{ role: "user", content: "conformance" }] };

export function sdkClient({ name, Anthropic }) {
  return { name, dialect: "anthropic", read: (url) => readAll(Anthropic, url), differences, toleratedWhenMutated: [] };
}

export function aiClient({ name, streamText, createAnthropic }) {
  return {
    name, dialect: "anthropic", read: (url) => streamed(streamText, createAnthropic, url), differences, toleratedWhenMutated: [],
    takes: (theCase) => !lenient.has(theCase.name),
  };
}

// lenient are the faults that the AI SDK does not mind.
const lenient = new Set(["control: no message_start", "control: message_start without content"]);

async function readAll(Anthropic, url) {
  const client = new Anthropic({ baseURL: url, apiKey: "conformance", maxRetries: 0 });
  return {
    readings: {
      helper: await helped(client.messages.stream(request)),
      beta: await helped(client.beta.messages.stream({ ...request, betas: ["mcp-client-2025-11-20"] })),
      bare: await bare(client),
    },
  };
}

// helped is what a helper of the SDK puts together.
async function helped(stream) {
  const u = { end: "none", message: "", blocks: [] };
  let snapshot;
  stream.on("streamEvent", (_, message) => { snapshot = message; });
  try {
    snapshot = await stream.finalMessage();
    u.end = snapshot.stop_reason === null ? "none" : "success";
  } catch (err) {
    failed(u, err);
  }
  understand(u, snapshot, u.end === "success");
  return u;
}

// bare is what the events say by themselves.
async function bare(client) {
  const u = { end: "none", message: "", blocks: [], lint: [] };
  let message;
  try {
    for await (const event of await client.messages.create({ ...request, stream: true })) {
      lint(u, event, message);
      message = gather(message, event);
      if (event.type === "message_stop") u.end = "success";
    }
  } catch (err) {
    failed(u, err);
  }
  for (const b of message?.content ?? []) {
    if (b.json !== "") b.input = parsed(b.json);
  }
  understand(u, message, u.end === "success");
  return u;
}

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

// failed notes an error of the stream, or one of the client's own.
function failed(u, err) {
  const body = err?.error?.error;
  u.end = "error";
  if (body) u.message = body.message;
  else u.rejected = String(err);
}

function gather(message, event) {
  const block = message?.content[event.index];
  switch (event.type) {
    case "message_start": return { ...event.message, content: [] };
    case "content_block_start": message.content.push({ ...event.content_block, json: "" }); break;
    case "content_block_delta": add(block, event.delta); break;
    case "message_delta": Object.assign(message, event.delta, { usage: { ...message.usage, ...event.usage } }); break;
  }
  return message;
}

function add(block, delta) {
  switch (delta.type) {
    case "text_delta": block.text += delta.text; break;
    case "thinking_delta": block.thinking += delta.thinking; break;
    case "signature_delta": block.signature += delta.signature; break;
    case "input_json_delta": block.json += delta.partial_json; break;
  }
}

// lint checks the order that Claude Code and others insist on, where the SDK is lenient.
function lint(u, event, message) {
  const expect = (ok, what) => { if (!ok) u.lint.push(`${event.type}: ${what}`); };
  const next = message?.content.length ?? 0;
  expect(u.end === "none", "after the end");
  expect((event.type === "message_start") === (message === undefined), "out of place");
  switch (event.type) {
    case "content_block_start":
      expect(!u.open && event.index === next, `block ${event.index} where ${next} should be, or inside another`);
      expect(event.content_block.id === undefined || /^[a-zA-Z0-9_-]+$/.test(event.content_block.id), `id ${event.content_block.id}`);
      u.open = event.content_block.type;
      break;
    case "content_block_delta": {
      const deltas = {
        text: ["text_delta", "citations_delta"], thinking: ["thinking_delta", "signature_delta"], tool_use: ["input_json_delta"],
        server_tool_use: ["input_json_delta"], mcp_tool_use: ["input_json_delta"],
      };
      expect(event.index === next - 1 && deltas[u.open]?.includes(event.delta.type), `${event.delta.type} in ${u.open} ${event.index}`);
      break;
    }
    case "content_block_stop": {
      const block = message.content[event.index];
      expect(u.open && event.index === next - 1, `block ${event.index} is not open`);
      expect(block?.type !== "text" || block.text !== "", "an empty text");
      u.open = undefined;
      break;
    }
    case "message_stop":
      expect(!u.open && message.stop_reason !== null, "a block is open, or there is no stop reason");
  }
}

// understand takes a message apart. Arguments are looked at only in a message that ended well: of others they may be cut.
function understand(u, message, whole) {
  const usage = message?.usage;
  if (usage) {
    u.usage = { in: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0), out: usage.output_tokens };
  }
  u.reason = message?.stop_reason;
  for (const b of message?.content ?? []) {
    switch (b.type) {
      case "text": u.blocks.push({ text: b.text }); break;
      case "thinking": u.blocks.push({ reasoning: b.thinking }); break;
      case "tool_use": u.blocks.push({ call: b.id, name: b.name, input: whole ? b.input : undefined, client: true }); break;
      case "mcp_tool_use":
      case "server_tool_use": u.blocks.push({ call: b.id, name: b.name, input: whole ? b.input : undefined }); break;
      default: if (b.tool_use_id) u.blocks.push({ result: b.tool_use_id, content: b.content, failed: b.is_error }); break;
    }
  }
}

async function streamed(streamText, createAnthropic, url) {
  const u = { end: "none", message: "", blocks: [], ai: true };
  const anthropic = createAnthropic({ apiKey: "conformance", baseURL: `${url}/v1` });
  const result = streamText({ model: anthropic("conformance"), prompt: "conformance", maxOutputTokens: 1024, maxRetries: 0, onError() {} });
  for await (const part of result.fullStream) takers[part.type]?.(u, part);
  return { readings: { streamText: u } };
}

const takers = {
  "text-delta": (u, p) => { u.blocks.push({ text: p.text }); },
  "reasoning-delta": (u, p) => { u.blocks.push({ reasoning: p.text }); },
  "tool-call": (u, p) => { u.blocks.push({ call: p.toolCallId, name: p.toolName, input: p.input, client: !p.providerExecuted }); },
  "tool-result": (u, p) => { u.blocks.push({ result: p.toolCallId, content: p.output }); },
  "tool-error": (u, p) => { if (p.providerExecuted) u.blocks.push({ result: p.toolCallId, content: p.error, failed: true }); },
  error: (u, p) => { Object.assign(u, { end: "error", message: p.error?.message ?? String(p.error) }); },
  finish: (u, p) => {
    u.usage = { in: p.totalUsage.inputTokens, out: p.totalUsage.outputTokens };
    u.reason = p.rawFinishReason;
    if (u.end === "none" && p.rawFinishReason !== undefined) u.end = "success";
  },
};

// differences lists what the client understood otherwise than the canonical stream says it.
export function differences(want, got) {
  return Object.entries(got.readings).flatMap(([how, u]) => compare(want, u).map((fault) => `${how}: ${fault}`));
}

function compare(want, u) {
  const faults = [...(u.lint ?? [])];
  const invalid = want.tools.some((t) => t.client_runs && t.invalid);
  if (u.rejected && !invalid) return [`rejected: ${u.rejected}`]; // arguments that are no JSON are refused before we can say so
  if (u.rejected) return faults;
  const differ = (what, a, b) => {
    if (canonical(a) !== canonical(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const joined = (member) => u.blocks.map((b) => b[member] ?? "").join("");
  differ("answers", want.answers.join(""), wellFormed(joined("text")));
  differ("reasoning", want.reasoning.join(""), wellFormed(joined("reasoning")));
  const calls = want.tools.filter((t) => !(t.client_runs && t.resumed));
  differ("calls", calls.map((t) => [wireID(t.id), t.client_runs ?? false]), u.blocks.filter((b) => b.call).map((b) => [b.call, b.client ?? false]));
  for (const t of calls) faults.push(...call(t, u));
  ending(want, u, invalid, faults);
  const said = want.usage?.run ?? want.usage?.step; // of several models it is the sum
  if (u.end === "success" && (said?.in > u.usage?.in || said?.out > u.usage?.out)) differ("usage", said, u.usage);
  return faults;
}

// call compares one call. The AI SDK has names and inputs of its own for the tools of the API.
function call(t, u) {
  const faults = [];
  const id = wireID(t.id);
  const c = u.blocks.find((b) => b.call === id);
  const r = u.blocks.find((b) => b.result === id);
  const ofAPI = u.ai && id.startsWith("srvtoolu_");
  if (c && !ofAPI) {
    if (c.name !== wellFormed(t.name)) faults.push(`call ${id}: want ${t.name}, got ${c.name}`);
    if (c.input !== undefined && !(t.invalid && t.client_runs) && canonical(c.input) !== canonical(meantInput(t))) {
      faults.push(`call ${id}: want the arguments ${t.args}, got ${JSON.stringify(c.input)}`);
    }
  }
  if (t.client_runs || ofAPI) return faults;
  if (t.answered && t.result !== "" && !r) faults.push(`call ${id}: want the result ${t.result}, got none`);
  if (r && !t.answered && !t.failed) faults.push(`call ${id}: want no result, got ${JSON.stringify(r.content)}`);
  const empty = t.result === "" && canonical(r?.content) === "[]";
  if (r && t.answered && !t.any_text && !empty && ![t.result, harmless(t.result)].some((want) => same(want, resultText(r.content)))) {
    faults.push(`call ${id}: want the result ${t.result}, got ${JSON.stringify(r.content)}`);
  }
  return faults;
}

// meantInput is the input of a call as it should arrive. In a call that was run it is an object in any case; tools of the
// API have none where the arguments are no JSON.
function meantInput(t) {
  if (t.invalid && t.id.startsWith("srvtoolu_")) return {};
  const args = t.invalid ? t.args : JSON.parse(t.client_runs ? t.args : harmless(t.args));
  const isObject = args !== null && typeof args === "object" && !Array.isArray(args);
  return isObject || t.client_runs ? args : { value: args };
}

// resultText is the one text of a result, or the result as it is.
function resultText(content) {
  const texts = Array.isArray(content) && content.every((b) => b?.type === "text");
  if (texts && content.length === 1) return content[0].text;
  return typeof content === "string" ? content : JSON.stringify(content);
}

// wireID is the id that the API would take back.
function wireID(id) {
  if (/^[a-zA-Z0-9_-]+$/.test(id) && !id.startsWith("sabir_")) return id;
  const bytes = new TextEncoder().encode(id);
  return "sabir_" + Array.from(bytes, (b) => {
    const c = String.fromCharCode(b);
    return /\w/.test(c) ? c : "-" + b.toString(16).padStart(2, "0");
  }).join("");
}

// ending compares ends. A call for the client whose arguments are no JSON makes a failure of an end that asks to run it.
function ending(want, u, invalid, faults) {
  const end = want.end === "error" ? "error" : "success";
  if (u.end !== end && !(invalid && u.end === "error")) faults.push(`end: want ${end}, got ${u.end}`);
  const toRun = u.blocks.some((b) => b.client);
  if (u.end === "success" && u.reason === "tool_use" && !toRun) faults.push("asks to run tools, but calls none");
  if (want.end === "error" && want.message && u.message !== want.message) {
    faults.push(`message of the error: want ${want.message}, got ${u.message}`);
  }
}
