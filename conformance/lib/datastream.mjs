// What clients of the line-coded data stream make of it. What they understood is brought into one form: the parts of the
// message in their order, and how it ended.
import { harmless, same as sameText, wellFormed } from "./texts.mjs";

// others says that a stream is for other clients than these.
export const others = (c) => c.options?.client === "assistant-ui";

// differences compares. got is {parts: [{type: "text" or "reasoning", text} or {type: "tool", id, name, args, result,
// answered, failed}], error, finish, usage}; args and result are text that may be JSON.
export function differences(want, got, options = {}) {
  const faults = [];
  const differ = (what, a, b) => {
    if (JSON.stringify(a) !== JSON.stringify(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const texts = (type) => got.parts.filter((p) => p.type === type).map((p) => wellFormed(p.text)).filter(Boolean);
  differ("answers", want.answers.join(""), texts("text").join(""));
  differ("reasoning", want.reasoning.join(""), texts("reasoning").join(""));
  if (!options.joins) differ("parts of the answer", true, texts("text").length >= want.answers.length);
  const calls = got.parts.filter((p) => p.type === "tool");
  differ("tools", want.tools.map((t) => t.id), calls.map((t) => wellFormed(t.id)));
  if (faults.length === 0) want.tools.forEach((t, i) => tool(t, calls[i], options, faults));
  ending(want, got, options, faults);
  return faults;
}

function tool(t, call, options, faults) {
  const fault = (text) => faults.push(`tool ${t.id}: ${text}`);
  if (call.name !== t.name) fault(`want the name ${t.name}, got ${call.name}`);
  if (!sameArguments(t.args, call.args, options.wraps)) fault(`want the arguments ${t.args}, got ${call.args}`);
  if (t.client_runs && t.invalid) return; // some learn that they must not run it
  if (!t.answered) {
    if (call.answered && !t.failed) fault(`want no result, got ${call.result}`);
  } else if (!call.answered) {
    fault(`want the result ${t.result}, got none`);
  } else if (!t.any_text && t.result !== "" && !same(t.result, call.result)) {
    fault(`want the result ${t.result}, got ${call.result}`);
  } else if (call.failed !== undefined && Boolean(t.failed) !== call.failed) {
    fault(`want ${t.failed ? "a failure" : "success"}, got ${call.failed ? "a failure" : "success"}`);
  }
}

// same compares texts that may be JSON.
const same = (want, got) => sameText(want, got) || sameText(harmless(want), got);

// sameArguments compares arguments. What is no JSON may come as a string of JSON; and a client that takes nothing but objects
// gets others as the member "value" of one.
function sameArguments(want, got, wraps) {
  if (same(want, got) || same(JSON.stringify(want), got)) return true;
  const wrapped = wraps && JSON.parse(got).value;
  return wraps && (same(want, JSON.stringify(wrapped)) || typeof wrapped === "string" && same(want, wrapped));
}

function ending(want, got, options, faults) {
  const failed = want.end === "error" && !want.cancelled;
  if (failed !== (got.error !== undefined)) faults.push(`end: want ${want.end}, got the error ${got.error}`);
  else if (failed && want.message && got.error !== want.message) faults.push(`error: want ${want.message}, got ${got.error}`);
  if (failed) return;
  if (!got.finish) faults.push("the message did not end");
  const total = options.uncounted ? undefined : want.usage?.run_sum;
  for (const name of ["in", "out"]) {
    if (total?.[name] !== undefined && total[name] !== got.usage?.[name]) faults.push(`usage ${name}: want ${total[name]}, got ${got.usage?.[name]}`);
  }
}
