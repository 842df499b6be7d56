// What clients of Mastra's servers make of a stream: the chunks that applications are given one by one, and the message that the client
// itself makes of them, which it runs its tools by.
import { canonical, same, wellFormed } from "./texts.mjs";

export function mastraClient({ name, MastraClient }) {
  return { name, dialect: "mastra", read: (url) => read(MastraClient, url), differences, toleratedWhenMutated: [] };
}

async function read(MastraClient, url) {
  const u = { texts: new Map(), calls: new Map(), asks: 0, end: "none", printed: [], message: undefined };
  const print = console.error;
  console.error = (...args) => { u.printed.push(args.map((a) => a?.message ?? String(a)).join(" ")); };
  try {
    const agent = new MastraClient({ baseUrl: url, retries: 0 }).getAgent("conformance");
    const response = await agent.stream("hello");
    const [forApplication, forMessage] = response.body.tee();
    await agent.processChatResponse_vNext({
      stream: new Response(forMessage).body,
      update: ({ message }) => { u.message = message; },
    }).catch((err) => { u.broke = err.message; });
    await chunks(forApplication, (chunk) => take(u, chunk, []));
    await new Promise((resolve) => setImmediate(resolve)); // the client prints behind the end
  } finally {
    console.error = print;
  }
  return u;
}

// chunks reads the rest of what the client has given to the application.
async function chunks(body, take) {
  const text = await new Response(body).text();
  for (const block of text.split("\n\n")) if (block.startsWith("data: ")) take(JSON.parse(block.slice(6)));
}

const takers = {
  "text-start": (u, p, lane) => void part(u, "text", p.id, lane),
  "reasoning-start": (u, p, lane) => void part(u, "reasoning", p.id, lane),
  "text-delta": (u, p, lane) => { part(u, "text", p.id, lane).text += p.text; },
  "reasoning-delta": (u, p, lane) => { part(u, "reasoning", p.id, lane).text += p.text; },
  "text-end": (u, p, lane) => { part(u, "text", p.id, lane).over = true; },
  "reasoning-end": (u, p, lane) => { part(u, "reasoning", p.id, lane).over = true; },
  "tool-call-input-streaming-start": (u, p, lane) => begin(u, p, lane),
  "tool-call-delta": (u, p) => { u.calls.get(p.toolCallId).text += p.argsTextDelta; },
  "tool-call": (u, p, lane) => {
    if (!u.calls.has(p.toolCallId) || u.calls.get(p.toolCallId).ready) begin(u, p, lane);
    Object.assign(u.calls.get(p.toolCallId), { args: p.args, ready: true });
  },
  "tool-result": (u, p, lane) => ended(u, p, lane, { result: p.result, answered: true, failed: Boolean(p.isError) }),
  "tool-error": (u, p, lane) => ended(u, p, lane, { result: p.error.message, answered: true, failed: true }),
  "tool-output-denied": (u, p, lane) => ended(u, p, lane, { result: p.approval.reason ?? "", answered: true, failed: true, denied: true }),
  "tool-call-approval": (u) => { u.asks++; },
  "tool-call-suspended": (u) => { u.asks++; },
  "tool-output": (u, p, lane) => {
    if (["AGENT", "USER"].includes(p.output?.from)) take(u, p.output, [...lane, p.toolCallId]);
  },
  tripwire: (u, p, lane) => { if (lane.length === 0) u.tripwire = true; },
  "data-answer": (u) => { u.answered = (u.answered ?? 0) + 1; },
  error: (u, p, lane) => { if (lane.length === 0) Object.assign(u, { end: "error", reason: p.error.message }); },
  abort: (u, p, lane) => { if (lane.length === 0) u.end = "cancelled"; },
  finish: (u, p, lane) => {
    if (lane.length > 0) return;
    if (u.end === "none") u.end = "success";
    u.usage = p.output.usage;
  },
};

function take(u, chunk, lane) {
  if (typeof chunk.runId !== "string" && !chunk.type.startsWith("data-")) throw new Error(`a chunk of no run: ${chunk.type}`);
  takers[chunk.type]?.(u, chunk.type.startsWith("data-") ? chunk.data : chunk.payload, lane);
}

function part(u, type, id, lane) {
  const key = JSON.stringify([type, id, lane]);
  if (!u.texts.has(key) || u.texts.get(key).over) {
    if (u.texts.has(key)) u.texts.set(`${key} ${u.texts.size}`, u.texts.get(key)); // an id may come again in the next step
    u.texts.delete(key);
    u.texts.set(key, { type, text: "", lane, over: false });
  }
  return u.texts.get(key);
}

function begin(u, p, lane) {
  u.calls.set(p.toolCallId, { name: p.toolName, providerExecuted: p.providerExecuted, text: "", lane });
}

function ended(u, p, lane, result) {
  if (!u.calls.has(p.toolCallId)) u.calls.set(p.toolCallId, { name: p.toolName, lane, resumed: true });
  Object.assign(u.calls.get(p.toolCallId), result);
}

// differences lists what was understood otherwise than the canonical stream says it.
function differences(want, got) {
  const faults = [];
  const differ = (what, a, b) => {
    if (canonical(a) !== canonical(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const texts = (type) => [...got.texts.values()].filter((p) => p.type === type).map((p) => wellFormed(p.text)).filter(Boolean).sort();
  differ("answers", [...want.answers].sort(), texts("text"));
  differ("reasoning", [...want.reasoning].sort(), texts("reasoning"));
  tools(want, got, faults);
  ending(want, got, differ, faults);
  message(want, got, differ, faults);
  return faults;
}

// made is whether a call was made for a sub-agent that has none.
const made = (want, [id, c]) => c.providerExecuted && c.name.startsWith("agent-") && !want.tools.some((t) => t.id === id);

function tools(want, got, faults) {
  const calls = [...got.calls].filter((call) => !made(want, call));
  const shown = want.tools.filter((t) => !t.resumed || t.answered && !t.dropped);
  const ids = (list) => JSON.stringify([...list].sort());
  if (ids(shown.map((t) => t.id)) !== ids(calls.map(([id]) => wellFormed(id)))) {
    faults.push(`tools: want ${ids(shown.map((t) => t.id))}, got ${ids(calls.map(([id]) => id))}`);
    return;
  }
  const byId = new Map(calls.map(([id, c]) => [wellFormed(id), c]));
  for (const t of shown) tool(t, byId.get(t.id), faults);
}

function tool(t, c, faults) {
  const fault = (text) => faults.push(`tool ${t.id}: ${text}`);
  if (c.name !== t.name) fault(`want the name ${t.name}, got ${c.name}`);
  if (!t.resumed && !t.invalid && t.args !== "" && !sameValue(t.args, c.args)) fault(`want the arguments ${t.args}, got ${JSON.stringify(c.args)}`);
  if (t.invalid && c.args !== undefined) fault(`its arguments are no JSON, but it has ${JSON.stringify(c.args)}`);
  if (!t.undecided && !t.resumed && Boolean(c.providerExecuted) !== !t.client_runs) fault(`providerExecuted is ${c.providerExecuted}`);
  if (!t.answered) {
    if (c.answered && !c.failed) fault(`want no result, got ${JSON.stringify(c.result)}`);
  } else if (!c.answered) {
    fault(`want the result ${t.result}, got none`);
  } else if (!t.any_text && t.result !== "" && !c.denied && !sameValue(t.result, c.result) && !String(c.result).includes(t.result)) {
    fault(`want the result ${t.result}, got ${JSON.stringify(c.result)}`);
  }
  if (t.answered && Boolean(t.failed) !== Boolean(c.failed)) fault(`want ${t.failed ? "a failure" : "success"}`);
  if (t.denied && !c.denied) fault("it was not allowed");
}

// sameValue compares text that may be JSON with a value.
const sameValue = (want, got) => typeof got === "string" && same(want, got) || same(want, JSON.stringify(got) ?? "");

function ending(want, got, differ, faults) {
  if (want.end === "interrupt") {
    differ("end", "none", got.end); // such a run has no finish
    differ("open questions", want.interrupts.length, got.asks - (got.answered ?? 0));
    return;
  }
  differ("end", want.cancelled ? "cancelled" : want.end, got.end);
  if (want.end === "error" && !want.cancelled && want.message && got.reason !== want.message) {
    faults.push(`error: want ${want.message}, got ${got.reason}`);
  }
  const total = want.usage?.run_sum;
  for (const [name, member] of [["in", "inputTokens"], ["out", "outputTokens"]]) {
    if (total?.[name] !== undefined && total[name] !== got.usage?.[member]) faults.push(`usage ${name}: want ${total[name]}, got ${got.usage?.[member]}`);
  }
}

// message judges the message that the client makes. It reads nothing behind an error, nor behind the result of a call of an earlier run, and
// prints both.
function message(want, got, differ, faults) {
  const failed = want.end === "error" && !want.cancelled;
  const resumed = want.tools.some((t) => t.resumed);
  if (failed || resumed) {
    if (failed && !resumed && got.broke !== got.reason) faults.push(`the client failed with ${got.broke}, not with ${got.reason}`);
    return;
  }
  if (got.printed.length > 0 || got.broke) faults.push(`the client printed ${JSON.stringify([...got.printed, got.broke])}`);
  const shown = [...got.texts.values()].filter((p) => p.lane.length === 0);
  const joined = (type) => shown.filter((p) => p.type === type).map((p) => p.text.length).reduce((a, b) => a + b, 0);
  const parts = got.message?.parts ?? [];
  const length = (type, of) => parts.filter((p) => p.type === type).map((p) => of(p).length).reduce((a, b) => a + b, 0);
  differ("length of the message's texts", joined("text"), length("text", (p) => p.text) - (want.end === "success" ? tripwire(got, parts) : 0));
  differ("length of the message's reasoning", joined("reasoning"), length("reasoning", (p) => p.reasoning));
  const calls = [...got.calls].filter(([, c]) => c.lane.length === 0 && !c.resumed).map(([id]) => id);
  differ("calls of the message", calls, (got.message?.toolInvocations ?? []).map((t) => t.toolCallId));
}

// tripwire is the length of the text that the client makes of the reason why an answer was withheld.
function tripwire(got, parts) {
  return got.tripwire ? parts.findLast((p) => p.type === "text").text.length : 0;
}
