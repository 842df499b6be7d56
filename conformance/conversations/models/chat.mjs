// OpenAI's Chat Completions.
import { demand, event, jsonText, list, only, Open, schema, text, History } from "./strict.mjs";

export const path = "/v1/chat/completions";
export const refusal = (message) => ({ error: { message, type: "invalid_request_error", param: null, code: null } });

const members = [
  "model", "messages", "tools", "tool_choice", "stream", "stream_options", "temperature", "top_p", "max_tokens", "max_completion_tokens",
  "stop", "seed", "n", "parallel_tool_calls", "reasoning_effort", "response_format", "user", "metadata", "store",
];

export function read(body) {
  only(body, "body", members);
  text(body.model, "model");
  demand(body.stream === true, "stream: only streams are scripted");
  demand(body.tools === undefined || body.tools.length > 0, "tools: an empty list");
  const history = new History((body.tools ?? []).map(toolName));
  const open = new Open();
  list(body.messages, "messages").forEach((m, i) => message(m, `messages[${i}]`, open, history));
  open.none("messages");
  return history;
}

function toolName(t, i) {
  const at = `tools[${i}]`;
  only(t, at, ["type", "function"]);
  demand(t.type === "function", `${at}.type: ${t.type}`);
  only(t.function, `${at}.function`, ["name", "description", "parameters", "strict"]);
  if (t.function.parameters !== undefined) schema(t.function.parameters, `${at}.function.parameters`);
  return text(t.function.name, `${at}.function.name`);
}

const roles = {
  system: (m, at) => { said(m, at, ["role", "content", "name"]); },
  developer: (m, at) => { said(m, at, ["role", "content", "name"]); },
  user: (m, at, open, history) => { history.user(said(m, at, ["role", "content", "name"])); },
  assistant: (m, at, open, history) => {
    only(m, at, ["role", "content", "name", "refusal", "tool_calls", "parsed"]); // which helpers of the SDK feed back
    demand(m.tool_calls || m.refusal || m.content, `${at}: an assistant message with neither content nor calls`);
    history.model(m.content ? words(m.content, `${at}.content`) : "");
    if (m.tool_calls !== undefined) list(m.tool_calls, `${at}.tool_calls`).forEach((c, i) => call(c, `${at}.tool_calls[${i}]`, open));
  },
  tool: (m, at, open, history) => {
    only(m, at, ["role", "content", "tool_call_id"]);
    history.called(open.result(text(m.tool_call_id, `${at}.tool_call_id`), at), words(m.content, `${at}.content`));
  },
};

function message(m, at, open, history) {
  demand(Object.hasOwn(roles, m?.role), `${at}: unknown role ${m?.role}`);
  if (m.role !== "tool") open.none(at);
  roles[m.role](m, at, open, history);
}

function said(m, at, known) {
  only(m, at, known);
  return words(m.content, `${at}.content`);
}

function words(content, at) {
  if (typeof content === "string") return content;
  return list(content, at).map((p, i) => {
    only(p, `${at}[${i}]`, ["type", "text"]);
    demand(p.type === "text", `${at}[${i}]: unknown type ${p.type}`);
    return text(p.text, `${at}[${i}].text`);
  }).join("");
}

function call(c, at, open) {
  only(c, at, ["id", "type", "function"]);
  demand(c.type === "function", `${at}.type: ${c.type}`);
  only(c.function, `${at}.function`, ["name", "arguments", "parsed_arguments"]);
  const args = jsonText(c.function.arguments, `${at}.function.arguments`);
  open.call(text(c.id, `${at}.id`), { name: text(c.function.name, `${at}.function.name`), args }, at);
}

export function* frames({ words, calls, fails }) {
  const chunk = (delta, reason = null) => event({
    id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, delta, finish_reason: reason }],
  });
  yield chunk({ role: "assistant", content: "" });
  for (const content of words) yield chunk({ content });
  if (fails) {
    yield event({ error: { message: fails, type: "server_error", param: null, code: null } });
    return;
  }
  for (const [index, call] of calls.entries()) {
    yield chunk({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] });
    yield chunk({ tool_calls: [{ index, function: { arguments: JSON.stringify(call.args) } }] });
  }
  yield chunk({}, calls.length > 0 ? "tool_calls" : "stop");
  yield event("[DONE]");
}
