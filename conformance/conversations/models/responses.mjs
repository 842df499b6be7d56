// OpenAI's Responses.
import { demand, event, jsonText, list, only, Open, schema, text, History } from "./strict.mjs";

export const path = "/v1/responses";
export const refusal = (message) => ({ error: { message, type: "invalid_request_error", param: null, code: null } });

const members = [
  "model", "input", "instructions", "tools", "tool_choice", "stream", "store", "include", "temperature", "top_p", "max_output_tokens",
  "parallel_tool_calls", "reasoning", "text", "metadata", "user", "truncation",
];

export function read(body) {
  only(body, "body", members);
  text(body.model, "model");
  demand(body.stream === true, "stream: only streams are scripted");
  const history = new History((body.tools ?? []).map(toolName));
  if (typeof body.input === "string") {
    history.user(body.input);
    return history;
  }
  const open = new Open();
  list(body.input, "input").forEach((item, i) => entry(item, `input[${i}]`, open, history));
  open.none("input");
  return history;
}

function toolName(t, i) {
  const at = `tools[${i}]`;
  only(t, at, ["type", "name", "description", "parameters", "strict"]);
  demand(t.type === "function", `${at}.type: ${t.type}`);
  if (t.parameters !== null) schema(t.parameters, `${at}.parameters`);
  return text(t.name, `${at}.name`);
}

const items = {
  message: (m, at, open, history) => {
    only(m, at, ["type", "id", "role", "content", "status", "phase"]);
    itemID(m, at, "msg");
    demand(["system", "developer", "user", "assistant"].includes(m.role), `${at}: unknown role ${m.role}`);
    const said = words(m.content, `${at}.content`, m.role === "assistant" ? ["output_text", "refusal"] : ["input_text"]);
    if (m.role === "user") history.user(said);
    if (m.role === "assistant") history.model(said);
  },
  reasoning: (r, at) => {
    only(r, at, ["type", "id", "summary", "encrypted_content", "content", "status"]);
    itemID(r, at, "rs");
  },
  function_call: (c, at, open, history) => {
    only(c, at, ["type", "id", "call_id", "name", "arguments", "status", "parsed_arguments"]); // helpers of the SDK feed that back
    itemID(c, at, "fc");
    const args = jsonText(c.arguments, `${at}.arguments`);
    open.call(text(c.call_id, `${at}.call_id`), { name: text(c.name, `${at}.name`), args }, at);
    history.model("");
  },
  function_call_output: (o, at, open, history) => {
    only(o, at, ["type", "id", "call_id", "output", "status"]);
    history.called(open.result(text(o.call_id, `${at}.call_id`), at), words(o.output, `${at}.output`, ["input_text"]));
  },
};

// Calls need not be answered at once, but by the end of the input.
function entry(item, at, open, history) {
  const type = item?.type ?? "message";
  demand(Object.hasOwn(items, type), `${at}: unknown type ${type}`);
  items[type](item, at, open, history);
}

function itemID({ id }, at, prefix) {
  demand(id === undefined || text(id, `${at}.id`).startsWith(prefix), `${at}.id: want an id that begins with ${prefix}, got ${id}`);
}

function words(content, at, types) {
  if (typeof content === "string") return content;
  return list(content, at).map((p, i) => {
    demand(types.includes(p?.type), `${at}[${i}]: want ${types.join(" or ")}, got ${p?.type}`);
    only(p, `${at}[${i}]`, p.type === "output_text" ? ["type", "text", "annotations", "logprobs", "parsed"] : ["type", "text", "refusal"]);
    return text(p.text ?? p.refusal, `${at}[${i}].text`);
  }).join("");
}

// frames is what the model says. Agents that keep what it said may want answers whose ids differ: nth is the number of this one.
export function* frames(scene, nth = 1) {
  let sequence_number = 0;
  for (const e of events(scene, nth)) yield event({ ...e, sequence_number: sequence_number++ }, e.type);
}

function* events({ words, calls, fails }, nth) {
  const response = (status, output, error = null) => ({
    id: `resp_${nth}`, object: "response", created_at: 1, model: "scripted", status, output, error, incomplete_details: null, usage: null,
  });
  const output = [];
  yield { type: "response.created", response: response("in_progress", []) };
  if (words.length > 0) output.push(yield* message(words, fails, `msg_${nth}`));
  if (fails) {
    yield { type: "response.failed", response: response("failed", [], { code: "server_error", message: fails }) };
    return;
  }
  for (const call of calls) output.push(yield* functionCall(call, output.length));
  yield { type: "response.completed", response: response("completed", output) };
}

function* message(words, fails, id) {
  const at = { item_id: id, output_index: 0, content_index: 0 };
  const part = (text) => ({ type: "output_text", text, annotations: [] });
  const item = (status, content) => ({ id, type: "message", role: "assistant", status, content });
  yield { type: "response.output_item.added", output_index: 0, item: item("in_progress", []) };
  yield { type: "response.content_part.added", ...at, part: part("") };
  for (const delta of words) yield { type: "response.output_text.delta", ...at, delta };
  if (fails) return;
  const text = words.join("");
  yield { type: "response.output_text.done", ...at, text };
  yield { type: "response.content_part.done", ...at, part: part(text) };
  const done = item("completed", [part(text)]);
  yield { type: "response.output_item.done", output_index: 0, item: done };
  return done;
}

function* functionCall({ id, name, args }, output_index) {
  const item = (status, text) => ({ id: `fc_${id}`, type: "function_call", call_id: id, name, arguments: text, status });
  const at = { item_id: `fc_${id}`, output_index };
  const text = JSON.stringify(args);
  yield { type: "response.output_item.added", output_index, item: item("in_progress", "") };
  yield { type: "response.function_call_arguments.delta", ...at, delta: text };
  yield { type: "response.function_call_arguments.done", ...at, name, arguments: text };
  const done = item("completed", text);
  yield { type: "response.output_item.done", output_index, item: done };
  return done;
}
