// What clients of the Responses API make of a stream. The readers are OpenAI's SDK, two ways (the helper, and the bare
// events, which are also checked for what stricter clients want), its WebSocket, and the AI SDK's streamText with OpenAI's
// provider.
import { canonical, same, wellFormed } from "./texts.mjs";

const request = { model: "conformance", input: "conformance" };

export function sdkClient({ name, OpenAI }) {
  return { name, dialect: "openai-responses", read: (url) => readAll(OpenAI, url), differences, toleratedWhenMutated: [] };
}

export function aiClient({ name, streamText, dynamicTool, jsonSchema, createOpenAI }) {
  const read = (url) => streamed({ streamText, dynamicTool, jsonSchema, createOpenAI }, url);
  // It goes by the deltas and looks at little else, so most controls are nothing to it.
  const takes = (c) => !c.control || /an item that was not announced|no end|a failure|an error of its own/.test(c.name);
  return { name, dialect: "openai-responses", takes, read, differences, toleratedWhenMutated: [] };
}

// socketClient reads by WebSocket: from a proxy over its own socket, in two lanes at once; the bodies of cases as messages of
// a server in this process, twice over one lane.
export function socketClient({ name, OpenAI, ResponsesWS, ResponsesWebSocketSession, ResponsesWebSocketAccumulator, WebSocketServer }) {
  // Messages are never cut, and a lane goes by the end of a response, so most controls are nothing to it.
  const takes = (c) => !c.control || /no item|another text|a failure|an error of its own|a call that|missing/.test(c.name);
  const read = async (url) => {
    const direct = /\/(whole|bytes)\/\d+$/.test(url);
    const bridge = direct ? await serveMessages(WebSocketServer, url) : undefined;
    const ws = new ResponsesWS(new OpenAI({ apiKey: "conformance", baseURL: bridge?.base ?? url }));
    ws.on("error", () => {}); // the lanes tell
    try {
      while (ws.socket.readyState === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      const session = new ResponsesWebSocketSession(ws, { maxLanes: 2, maxBufferedEvents: 1 << 20, maxBufferedBytes: 1 << 28 });
      const first = session.lane(direct ? undefined : "a");
      const second = direct ? first : session.lane("b.1");
      if (!direct) second.create(request);
      const events = await eventsOf(first, new ResponsesWebSocketAccumulator());
      if (direct) second.create(request);
      return { readings: { events, final: await finalOf(second) } };
    } finally {
      ws.close();
      bridge?.close();
    }
  };
  return { name, dialect: "openai-responses", takes, read, differences, toleratedWhenMutated: [] };
}

// serveMessages serves the events of a case as messages, once for each message of the client.
async function serveMessages(WebSocketServer, url) {
  const frames = (await (await fetch(url)).text()).split("\n\n").filter(Boolean);
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (socket) => {
    socket.on("message", () => frames.forEach((f) => socket.send(f.slice(f.indexOf("data: ") + "data: ".length))));
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return { base: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

// eventsOf reads a response event by event, and lets the SDK put its output together on the way.
async function eventsOf(lane, accumulator) {
  const u = newUnderstanding();
  lane.create(request);
  try {
    for (let ended = false; !ended; ) {
      const event = await lane.receive();
      accumulator.add(event);
      const { phase, error } = accumulator.current ?? {};
      if (phase === "unavailable") u.lint.push(`${event.type}: ${error}`);
      ended = ["response.completed", "response.failed", "response.incomplete", "error"].includes(event.type);
      if (event.type === "error") thrown(u, event);
      else if (ended) understand(u, event.response);
    }
  } catch (err) {
    thrown(u, err);
  }
  return u;
}

async function finalOf(lane) {
  const u = newUnderstanding();
  try {
    understand(u, await lane.finalResponse());
  } catch (err) {
    thrown(u, err);
  }
  return u;
}

function newUnderstanding() {
  return { answers: [], reasoning: [], calls: [], approvals: 0, end: "none", message: "", lint: [] };
}

async function readAll(OpenAI, url) {
  const fetchIt = (_, init) => fetch(url, { method: "POST", signal: init?.signal });
  const client = new OpenAI({ baseURL: url, apiKey: "conformance", maxRetries: 0, fetch: fetchIt });
  return { readings: { helper: await helped(client), bare: await bare(client) } };
}

// helped is what the helper of the SDK puts together.
async function helped(client) {
  const u = newUnderstanding();
  try {
    understand(u, await client.responses.stream(request).finalResponse());
  } catch (err) {
    thrown(u, err);
  }
  return u;
}

// thrown notes an error of the stream, or one of the client's own. The older SDK throws the bare event.
function thrown(u, err) {
  const body = err?.error?.error ?? err?.error ?? err;
  u.end = "error";
  if (typeof body?.message === "string" && (err?.type === "error" || err?.error)) {
    u.message = body.message;
    u.code = body.code;
  } else {
    u.rejected = String(err);
  }
}

// understand takes a response apart.
export function understand(u, response) {
  const ends = { completed: "success", incomplete: "success", failed: "error" };
  u.end = ends[response.status] ?? "none";
  u.reason = response.incomplete_details?.reason;
  u.message = response.error?.message ?? "";
  u.code = response.error?.code;
  if (response.usage) {
    const { input_tokens, output_tokens, total_tokens } = response.usage;
    u.usage = { in: input_tokens, out: output_tokens, total: total_tokens };
  }
  for (const item of response.output) understandItem(u, item);
}

function understandItem(u, item) {
  switch (item.type) {
    case "message": u.answers.push(item.content.map((c) => c.text ?? c.refusal).join("")); break;
    case "reasoning": u.reasoning.push(item.summary.map((s) => s.text).join("")); break;
    case "function_call":
      u.calls.push({ id: item.call_id, name: item.name, args: item.arguments, client: true, cut: item.status === "incomplete" });
      break;
    case "mcp_call":
      u.calls.push({
        id: item.id, name: item.name, args: item.arguments, failed: item.status === "failed", cut: item.status === "incomplete",
        result: item.output ?? undefined, error: item.error?.content?.[0]?.text,
      });
      break;
    case "mcp_approval_request": u.approvals++; break;
    case "image_generation_call": break;
    default: u.lint.push(`an item of type ${item.type}`);
  }
}

// bare is what the events say by themselves.
async function bare(client) {
  const u = newUnderstanding();
  const items = [];
  let n = 0;
  try {
    for await (const event of await client.responses.create({ ...request, stream: true })) {
      if (event.sequence_number !== n++) u.lint.push(`event ${n} has the sequence number ${event.sequence_number}`);
      if (u.end !== "none") u.lint.push(`${event.type} after the end`);
      gather(u, items, event);
    }
  } catch (err) {
    thrown(u, err);
  }
  return u;
}

// gather follows the items through their life: what was streamed must be what each of their ends repeats.
function gather(u, items, event) {
  const { type } = event;
  const expect = (ok, what) => { if (!ok) u.lint.push(`${type}: ${what}`); };
  const item = items[event.output_index];
  if (event.item_id !== undefined) expect(item?.id === event.item_id && !item.done, `item ${event.item_id} is not open`);
  if (type === "response.output_item.added") {
    expect(items.length === event.output_index, `index ${event.output_index} where ${items.length} should be`);
    expect(!items.some((i) => i.id === event.item.id), `item ${event.item.id} once more`);
    items.push({ id: event.item.id, streamed: "" });
  } else if (type === "response.output_item.done") {
    expect(item && !item.done && event.item.id === item.id, `item ${event.item.id} is not open`);
    expect(event.item.type === "image_generation_call" || event.item.type === "mcp_approval_request" || textOf(event.item) === item.streamed,
      `the item says ${textOf(event.item)}, but ${item.streamed} was streamed`);
    item.done = event.item;
  } else if (type.endsWith(".delta")) {
    item.streamed += event.delta;
  } else if (/(text|refusal|arguments)\.done$/.test(type)) {
    const whole = event.text ?? event.refusal ?? event.arguments;
    expect(whole === item.streamed || same(whole, item.streamed), `the whole is ${whole}, but ${item.streamed} was streamed`);
    item.streamed = whole;
  } else if (["response.completed", "response.incomplete", "response.failed"].includes(type)) {
    expect(items.every((i) => i.done), "an item is open");
    expect(canonical(event.response.output) === canonical(items.map((i) => i.done)), "the output is not that of the items");
    expect(event.response.id === u.id, `response ${event.response.id} where ${u.id} began`);
    understand(u, event.response);
  } else if (type === "response.created") {
    u.id = event.response.id;
  } else if (type === "error") { // the SDK throws it only where the frame is named
    expect(false, "the error was not thrown");
  }
}

function textOf(item) {
  return item.arguments ?? (item.content ?? item.summary)?.map((p) => p.text ?? p.refusal).join("");
}

// streamed is what the AI SDK's streamText makes of it. The tools are whichever the stream names.
async function streamed({ streamText, dynamicTool, jsonSchema, createOpenAI }, url) {
  const u = { ...newUnderstanding(), ai: true };
  const tool = dynamicTool({ inputSchema: jsonSchema({}) });
  const tools = new Proxy({}, {
    get: (_, name) => (typeof name === "string" && name !== "then" ? tool : undefined),
    has: () => true,
    getOwnPropertyDescriptor: () => ({ value: tool, enumerable: true, configurable: true }),
  });
  const model = createOpenAI({ apiKey: "conformance", fetch: () => fetch(url, { method: "POST" }) }).responses("conformance");
  const texts = new Map();
  const result = streamText({ model, prompt: "conformance", tools, maxRetries: 0, onError: () => {} });
  for await (const part of result.fullStream) notePart(u, texts, part);
  for (const t of texts.values()) u[t.list].push(t.text);
  return { readings: { ai: u } };
}

function notePart(u, texts, part) {
  switch (part.type) {
    case "text-start": texts.set("t" + part.id, { list: "answers", text: "" }); break;
    case "text-delta": texts.get("t" + part.id).text += part.text; break;
    case "reasoning-start": texts.set("r" + part.id, { list: "reasoning", text: "" }); break;
    case "reasoning-delta": texts.get("r" + part.id).text += part.text; break;
    case "tool-call":
      if (part.toolCallId.startsWith("ig_")) break; // a picture
      u.calls.push({
        id: part.toolCallId, name: part.toolName.replace(/^mcp\./, ""), client: !part.providerExecuted,
        args: typeof part.input === "string" ? part.input : JSON.stringify(part.input),
      });
      break;
    case "tool-result": {
      const call = u.calls.find((c) => c.id === part.toolCallId);
      if (!call) break;
      call.result = part.output.output ?? undefined;
      call.error = part.output.error?.content?.[0]?.text;
      call.failed = part.output.error !== undefined;
      break;
    }
    case "tool-approval-request": u.approvals++; break;
    case "error": streamError(u, part.error); break;
    case "finish":
      if (part.finishReason === "interrupted") break; // the stream did not say that it is the end
      if (u.end === "none") u.end = part.finishReason === "error" ? "error" : "success";
      u.finish = part.finishReason;
      u.usage = { in: part.totalUsage.inputTokens, out: part.totalUsage.outputTokens };
      break;
  }
}

// streamError notes an error of the stream, in the words of the AI SDK, or one of its own.
function streamError(u, err) {
  u.end = "error";
  if (["AI_StreamProviderError", "AI_APICallError"].includes(err?.name)) u.message = err.message;
  else u.rejected = err?.stack ?? JSON.stringify(err);
}

// differences lists what the readings understood otherwise than the canonical stream says it.
export function differences(want, got) {
  return Object.entries(got.readings).flatMap(([how, u]) => reading(want, u).map((fault) => `${how}: ${fault}`));
}

function reading(want, u) {
  if (u.rejected) return [`rejected: ${u.rejected}`];
  const faults = [...u.lint];
  texts("answers", want.answers, u.answers, faults);
  texts("reasoning", want.reasoning, u.reasoning, faults);
  calls(want, u, faults);
  ending(want, u, faults);
  usage(want, u, faults);
  return faults;
}

function texts(what, want, got, faults) {
  const said = got.map(wellFormed).filter(Boolean);
  if (canonical(said) !== canonical(want)) faults.push(`${what}: want ${JSON.stringify(want)}, got ${JSON.stringify(said)}`);
}

// calls compares the calls. Asking for consent, the AI SDK shows a call of its own, which has the same name.
function calls(want, u, faults) {
  const own = u.ai && u.approvals > 0 ? u.calls.slice(0, want.tools.length) : u.calls;
  const id = (s) => wellFormed(s).replace(/^mcp_(?=(msg|rs|fc|ig|mcpr)_)/, "");
  if (canonical(want.tools.map((t) => wellFormed(t.id)).sort()) !== canonical(own.map((c) => id(c.id)).sort())) {
    faults.push(`calls: want ${want.tools.map((t) => t.id)}, got ${own.map((c) => c.id)}`);
    return;
  }
  for (const t of want.tools) call(t, own.find((c) => id(c.id) === wellFormed(t.id)), u, faults);
}

function call(t, got, u, faults) {
  const fault = (text) => faults.push(`call ${t.id}: ${text}`);
  if (got.name !== t.name) fault(`want the name ${t.name}, got ${got.name}`);
  if (!same(t.args, got.args) && !(u.ai && same(t.args, JSON.stringify(got.args)))) fault(`want the arguments ${t.args}, got ${got.args}`);
  if (Boolean(t.client_runs) !== Boolean(got.client)) fault(`the client is ${got.client ? "" : "not "}asked to run it`);
  if (t.client_runs) return;
  const said = got.result ?? (t.failed ? got.error : undefined);
  if (t.dropped) return;
  if (t.answered && !t.any_text && t.result !== "" && !same(t.result, said ?? "") && !same(t.result, got.error ?? "")) {
    fault(`want the result ${t.result}, got ${said}`);
  }
  if (t.answered && (t.failed ? !got.failed && !got.cut : got.failed)) fault(`it ${got.failed ? "failed" : "did not fail"}`);
}

function ending(want, u, faults) {
  const end = want.end === "interrupt" ? "success" : want.end;
  if (end !== u.end) faults.push(`end: want ${end}, got ${u.end}`);
  if (want.message && wellFormed(u.message) !== wellFormed(want.message)) faults.push(`error: want ${want.message}, got ${u.message}`);
  if (want.code && !u.ai && u.code !== want.code && !standsFor(u.code, want.code)) faults.push(`code: want ${want.code}, got ${u.code}`);
  if (u.finish === undefined || end !== "success") return;
  if (u.finish === "stop" && want.tools.some((t) => t.client_runs)) faults.push("the calls are not the reason of the end");
}

// usage looks for the totals of the run, of all its models.
function usage(want, u, faults) {
  const total = want.usage?.run_sum;
  if (!total || u.ai && u.end === "error") return;
  for (const name of u.ai ? ["in", "out"] : ["in", "out", "total"]) {
    if (total[name] !== undefined && total[name] !== u.usage?.[name]) faults.push(`usage ${name}: want ${total[name]}, got ${u.usage?.[name]}`);
  }
}

// standsFor reports whether a code of the API is given in place of one that clients do not know.
function standsFor(code, foreign) { return apiCodes.has(code) && !apiCodes.has(foreign); }

const apiCodes = new Set(["server_error", "rate_limit_exceeded", "invalid_prompt", "server_is_overloaded", "insufficient_quota", "context_length_exceeded"]);
