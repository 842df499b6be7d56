// Anthropic's Messages.
import { demand, event, list, only, Open, schema, text, History } from "./strict.mjs";

export const path = "/v1/messages";
export const refusal = (message) => ({ type: "error", error: { type: "invalid_request_error", message } });

const members = [
  "model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "temperature", "top_p", "top_k", "stop_sequences",
  "metadata", "thinking", "output_config", "service_tier", "cache_control",
];

export function read(body, headers) {
  demand(headers["anthropic-version"], "anthropic-version: header is required");
  only(body, "body", members);
  text(body.model, "model");
  demand(Number.isInteger(body.max_tokens) && body.max_tokens > 0, "max_tokens: Field required");
  demand(body.stream === true, "stream: only streams are scripted");
  if (body.system !== undefined && typeof body.system !== "string") blocks(body.system, "system", { text: words });
  const history = new History((body.tools ?? []).map(toolName));
  const open = new Open();
  demand(list(body.messages, "messages")[0].role === "user", "messages: first message must use the user role");
  body.messages.forEach((m, i) => message(m, `messages.${i}`, open, history));
  open.none("messages");
  demand(body.messages.at(-1).role === "user", "messages: the conversation must end with a user message");
  return history;
}

function toolName(t, i) {
  only(t, `tools.${i}`, ["name", "description", "input_schema", "type", "strict", "cache_control"]);
  schema(t.input_schema, `tools.${i}.input_schema`);
  return text(t.name, `tools.${i}.name`);
}

// Messages of one role in a row are one turn to the API; results stand in the message after their calls, before its texts.
function message(m, at, open, history) {
  only(m, at, ["role", "content"]);
  demand(m.role === "user" || m.role === "assistant", `${at}: unknown role ${m.role}`);
  const content = typeof m.content === "string" ? [{ type: "text", text: m.content }] : m.content;
  if (m.role === "assistant") {
    open.none(at);
    const text = (b, where) => history.model(words(b, where));
    blocks(content, at, { text, thinking, redacted_thinking: () => {}, tool_use: (b, where) => use(b, where, open, history) });
    return;
  }
  let said;
  const results = [];
  blocks(content, at, {
    text: (b, where) => { said = (said ?? "") + words(b, where); },
    tool_result: (b, where) => {
      demand(said === undefined, `${where}: results stand before texts`);
      results.push(result(b, where, open));
    },
  });
  open.none(at);
  for (const r of results) history.called(r.call, r.text);
  if (said !== undefined) history.user(said);
}

function blocks(content, at, kinds) {
  list(content, `${at}.content`).forEach((b, i) => {
    const where = `${at}.content.${i}`;
    demand(Object.hasOwn(kinds, b?.type), `${where}: unexpected type ${b?.type}`);
    kinds[b.type](b, where);
  });
}

function words(b, at) {
  only(b, at, ["type", "text", "cache_control", "citations"]);
  demand(text(b.text, at).trim() !== "", `${at}: text content blocks must be non-empty`);
  return b.text;
}

function thinking(b, at) {
  only(b, at, ["type", "thinking", "signature"]);
  text(b.signature, `${at}.signature`);
}

function use(b, at, open, history) {
  only(b, at, ["type", "id", "name", "input", "cache_control"]);
  demand(/^[a-zA-Z0-9_-]+$/.test(b.id), `${at}.id: ${b.id} does not match the pattern`);
  demand(b.input !== null && typeof b.input === "object", `${at}.input: want an object`);
  open.call(b.id, { name: text(b.name, `${at}.name`), args: b.input }, at);
  history.model("");
}

function result(b, at, open) {
  only(b, at, ["type", "tool_use_id", "content", "is_error", "cache_control"]);
  let said = b.content ?? "";
  if (typeof said !== "string") {
    said = "";
    blocks(b.content, at, { text: (t, where) => { said += words(t, where); } });
  }
  return { call: open.result(b.tool_use_id, at), text: said };
}

export function* frames(scene, id = "msg_1") {
  for (const e of events(scene, id)) yield event(e, e.type);
}

function* events({ words, calls, fails }, id) {
  yield {
    type: "message_start",
    message: {
      id, type: "message", role: "assistant", model: "scripted", content: [], stop_reason: null, stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  };
  let index = 0;
  if (words.length > 0) {
    yield { type: "content_block_start", index, content_block: { type: "text", text: "" } };
    for (const text of words) yield { type: "content_block_delta", index, delta: { type: "text_delta", text } };
    if (fails) {
      yield { type: "error", error: { type: "api_error", message: fails } };
      return;
    }
    yield { type: "content_block_stop", index: index++ };
  }
  for (const call of calls) {
    yield { type: "content_block_start", index, content_block: { type: "tool_use", id: call.id, name: call.name, input: {} } };
    yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: JSON.stringify(call.args) } };
    yield { type: "content_block_stop", index: index++ };
  }
  yield { type: "message_delta", delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null }, usage: { output_tokens: 4 } };
  yield { type: "message_stop" };
}
