// What a client of A2A makes of a stream: the SDK's client reads it, and the artifacts are put together as the
// specification says.
import { same, wellFormed } from "./texts.mjs";

// stream sends a message and yields the events of the answer, as the SDK gives them.
export function a2aClient({ name, version, binding, stream, shape, forgetsAppend = false }) {
  return {
    name,
    dialect: "a2a",
    // The default of the version is 1.0, that of the binding JSON-RPC.
    takes: (c) => c.options?.text !== "status" && (c.version === "auto" ? "1.0" : c.version ?? version) === version && (c.binding === "rest" ? "rest" : "jsonrpc") === binding,
    read: (url) => read(url, stream, (event) => ({ ...shape(event), forgetsAppend })),
    differences,
    toleratedWhenMutated: [],
  };
}

async function read(url, stream, shape) {
  const understood = { artifacts: new Map(), notes: [], calls: new Map(), results: new Map(), asks: [], states: [], task: "", late: 0, message: "" };
  let events = 0;
  try {
    for await (const event of stream(url)) {
      events++;
      note(understood, shape(event));
    }
  } catch (err) {
    // An error of the binding is an end like others, if it is one that was sent.
    if (!/-32603|INTERNAL|Internal|REST error/.test(`${err} ${err.cause ?? ""} ${err.code ?? ""}`)) throw err;
    understood.states.push("failed");
    understood.message = String(err.message);
    understood.bindingError = true;
  }
  understood.events = events;
  return understood;
}

// note adds a normal event: {kind, task, context, state, parts, artifact, append, last}.
function note(u, e) {
  if (u.states.some((s) => final.includes(s))) u.late++;
  if (e.kind === "task") {
    u.task = e.task;
    return;
  }
  if (e.kind === "artifact") return artifact(u, e);
  if (e.kind !== "status") return;
  if (e.task !== u.task) u.notes.push(`the update is of task ${e.task}, not ${u.task}`);
  u.states.push(e.state);
  const text = e.parts.filter((p) => p.text !== undefined).map((p) => p.text).join("\n");
  if (final.includes(e.state)) u.message = text;
  for (const p of e.parts) {
    const kind = p.metadata?.adk_type;
    if (kind === "function_call") u.calls.set(p.data.id, p.data);
    if (kind === "function_response") u.results.set(p.data.id, p.data.response);
    if (kind === "sabir_ask") u.asks.push(p.data.id);
  }
}

const final = ["completed", "failed", "canceled", "rejected", "input-required", "auth-required"];

// artifact: append false makes an artifact or takes its place, append true adds to one that is there.
function artifact(u, e) {
  const known = u.artifacts.get(e.id);
  const texts = e.parts.filter((p) => p.text !== undefined).map((p) => p.text);
  if (e.forgetsAppend) e.append = known !== undefined; // the SDK does not pass it on
  if (e.append && !known) u.notes.push(`artifact ${e.id} is appended to, but was not made`);
  if (known?.sealed && texts.length > 0) u.notes.push(`artifact ${e.id} is sealed, and gets more`);
  u.artifacts.set(e.id, { texts: e.append && known ? [...known.texts, ...texts] : texts, sealed: e.last });
}

export function differences(want, got, theCase) {
  const faults = [...got.notes];
  const equal = (what, a, b) => {
    if (JSON.stringify(a) !== JSON.stringify(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  if (got.late) faults.push(`${got.late} events follow the final state`);
  const texts = [...got.artifacts.values()].map((a) => wellFormed(a.texts.join(""))).filter(Boolean);
  equal("answers", want.answers, texts);
  // The REST binding of 0.3 has no metadata of parts.
  if (!(theCase.binding === "rest" && theCase.version === "0.3")) {
    tools(want, got, faults);
    equal("questions", want.interrupts, got.asks.map(wellFormed));
  }
  ending(want, got, equal);
  return faults;
}

function tools(want, got, faults) {
  const ids = want.tools.filter((t) => t.args !== "").map((t) => wellFormed(t.id)).sort();
  const made = [...got.calls.keys()].map(wellFormed).sort();
  if (JSON.stringify(ids) !== JSON.stringify(made)) {
    faults.push(`tools: want ${JSON.stringify(ids)}, got ${JSON.stringify(made)}`);
    return;
  }
  for (const t of want.tools) {
    const call = [...got.calls.values()].find((c) => wellFormed(c.id) === wellFormed(t.id));
    if (!call) continue;
    const args = typeof call.args === "string" ? call.args : JSON.stringify(call.args);
    if (wellFormed(call.name) !== t.name || !same(args, t.args) && !same(JSON.stringify(call.args), t.args)) {
      faults.push(`tool ${t.id}: want ${t.name} ${t.args}, got ${call.name} ${args}`);
    }
    const response = [...got.results].find(([id]) => wellFormed(id) === wellFormed(t.id))?.[1];
    if (t.answered && t.result && !t.any_text && !isResult(t.result, response)) {
      faults.push(`tool ${t.id}: want the result ${t.result}, got ${JSON.stringify(response)}`);
    }
  }
}

// isResult looks for a result in the object that carries it.
function isResult(result, response) {
  if (response === undefined) return false;
  const forms = [response, response.result, response.error].filter((v) => v !== undefined);
  return forms.some((v) => same(result, typeof v === "string" ? v : JSON.stringify(v)));
}

function ending(want, got, equal) {
  const state = got.states.at(-1) ?? "";
  if (want.end === "error") {
    equal("a failure", true, ["failed", "canceled"].includes(state));
    if (want.message) equal("message of the failure", true, got.message.includes(want.message));
    return;
  }
  if (want.end === "interrupt") return equal("the task waits", true, ["input-required", "auth-required"].includes(state));
  equal("the task is over", true, ["completed", "rejected", "input-required"].includes(state));
}
