// What the client of ADK's API server understands of a stream. A turn is said in fragments and then whole; both must say the
// same.
import { canonical, same, wellFormed } from "./texts.mjs";

// differences lists what the client understood otherwise than the canonical stream says it.
export function differences(want, got) {
  const faults = [];
  const equal = (what, a, b) => {
    if (canonical(a) !== canonical(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const agents = got.turns.filter((t) => t.author !== "user");
  texts("answers", want.answers, agents.map((t) => t.answer), faults);
  texts("reasoning", want.reasoning, agents.map((t) => t.reasoning), faults);
  texts("texts of the user", want.users, got.turns.filter((t) => t.author === "user").map((t) => t.answer), faults);
  for (const t of agents) fragments(t, faults);
  equal("turns without a whole", [], got.unfinished);
  equal("sub-agents", want.agents.map((name) => name || "agent"), got.agents.map((a) => a.name));
  calls(want, got, faults);
  for (const t of want.tools) if (!isCode(t)) result(t, got, faults);
  usage(want, got, faults);
  equal("end", want.end === "error" ? "error" : "success", got.end);
  if (want.end === "error" && want.message && !got.message.includes(want.message)) {
    faults.push(`message of the error: want ${want.message}, got ${got.message}`);
  }
  if (want.end === "interrupt") {
    const open = got.asks.filter((a) => a.open).map((a) => a.id);
    equal("questions", want.interrupts.filter((id) => !open.some((o) => o === id || o === `ask-${id}`)), []);
  }
  return faults;
}

// texts finds each part in a turn, in the order of the parts of that turn. Nothing may be left.
function texts(what, want, got, faults) {
  const rest = got.map(wellFormed);
  for (const part of want) {
    const i = rest.findIndex((text) => text.startsWith(part));
    if (i >= 0) rest[i] = rest[i].slice(part.length);
    else return faults.push(`${what}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
  }
  if (rest.some(Boolean)) faults.push(`${what}: want only ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
}

// fragments compares what a user interface has shown of a turn with the whole of it.
function fragments(turn, faults) {
  for (const k of ["answer", "reasoning"]) {
    if (turn.fragments?.[k] && turn.fragments[k] !== turn[k]) faults.push(`fragments: ${JSON.stringify(turn.fragments[k])}, whole: ${JSON.stringify(turn[k])}`);
  }
}

const isCode = (t) => t.name === "code_execution" && !t.client_runs;

function calls(want, got, faults) {
  const made = want.tools.filter((t) => !t.resumed);
  const list = (l) => JSON.stringify([...l].sort());
  const ids = [list(made.filter((t) => !isCode(t)).map((t) => wellFormed(t.id))), list(got.calls.filter((c) => c.id !== undefined).map((c) => wellFormed(c.id)))];
  if (ids[0] !== ids[1]) faults.push(`calls: want ${ids[0]}, got ${ids[1]}`);
  if (made.filter(isCode).length !== got.calls.filter((c) => c.code !== undefined).length) faults.push("code: another number of calls");
  for (const t of made) {
    const call = got.calls.find((c) => c.id !== undefined && wellFormed(c.id) === wellFormed(t.id));
    if (!call) continue;
    if (wellFormed(call.name) !== t.name) faults.push(`call ${t.id}: want ${t.name}, got ${call.name}`);
    if (!t.invalid && canonical(meantArgs(t)) !== canonical(call.args)) faults.push(`call ${t.id}: want ${t.args}, got ${JSON.stringify(call.args)}`);
    if (Boolean(t.client_runs) !== call.client) faults.push(`call ${t.id}: want ${t.client_runs ? "" : "not "}the client's`);
  }
}

// meantArgs are arguments as they should arrive: those that are no object are wrapped.
function meantArgs(t) {
  const args = JSON.parse(t.args);
  return args !== null && typeof args === "object" && !Array.isArray(args) ? args : { value: args };
}

function result(t, got, faults) {
  const results = got.results.filter((r) => r.id !== undefined && wellFormed(r.id) === wellFormed(t.id));
  if (t.answered && !t.paused && results.length !== 1) return faults.push(`call ${t.id}: want a result, got ${results.length}`);
  if (!t.answered || t.paused || t.any_text || t.dropped) return;
  const response = results[0].response ?? {};
  if (t.failed) {
    if (!("error" in response)) faults.push(`call ${t.id}: want a failure, got ${JSON.stringify(response)}`);
    return;
  }
  const wrapped = Object.keys(response).length === 1 && "result" in response;
  const said = wrapped ? response.result : response;
  if (t.result && !same(t.result, typeof said === "string" ? said : JSON.stringify(said))) {
    faults.push(`call ${t.id}: want the result ${t.result}, got ${JSON.stringify(response)}`);
  }
}

// usage looks for what was said last of a turn, or of the whole run.
function usage(want, got, faults) {
  const counts = want.usage?.step ?? want.usage?.run_sum;
  if (!counts || (counts.in ?? counts.out) === undefined) return;
  const is = (u) => ["in", "out"].every((k) => counts[k] === undefined || counts[k] === (u[k] ?? 0));
  if (!got.usage.some(is)) faults.push(`usage: want ${JSON.stringify(counts)}, got ${JSON.stringify(got.usage)}`);
}
