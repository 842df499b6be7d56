// Google's Interactions API. Interactions that are stored are gone on from, and read again.
import { demand, event, list, only, Open, schema, text, History } from "./strict.mjs";

export const path = "/v1beta/interactions";
export const refusal = (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });

const members = [
  "model", "input", "system_instruction", "tools", "generation_config", "response_format", "previous_interaction_id", "store", "stream", "background",
  "cached_content", "continuation_token", "environment", "labels", "response_mime_type", "response_modalities", "safety_settings", "service_tier",
  "webhook_config",
];
const settings = ["temperature", "top_p", "seed", "stop_sequences", "thinking_level", "thinking_summaries", "max_output_tokens", "tool_choice"];
const stored = new Map(); // by id: the answer as it is read again, and the steps up to its end

export function read(body) {
  only(body, "body", members);
  text(body.model, "model");
  demand(body.stream === true, "stream: only streams are scripted");
  demand(body.store !== false || !body.background, "background: wants an interaction that is stored");
  if (body.system_instruction !== undefined) text(body.system_instruction, "system_instruction");
  if (body.generation_config !== undefined) only(body.generation_config, "generation_config", settings);
  const before = stored.get(body.previous_interaction_id);
  demand(before || body.previous_interaction_id === undefined, `previous_interaction_id: there is no interaction ${body.previous_interaction_id}`);
  const steps = [...(before?.steps ?? []), ...inputSteps(body.input)];
  const history = new History((body.tools ?? []).map(toolName));
  const open = new Open();
  steps.forEach((s, i) => step(s, `input[${i}]`, open, history));
  open.none("input");
  return Object.assign(history, { frames: (scene) => frames(scene, steps, body) });
}

// again is an interaction that is stored, by what stands behind the path.
export function again(id) {
  return stored.get(id)?.interaction;
}

function toolName(t, i) {
  only(t, `tools[${i}]`, ["type", "name", "description", "parameters"]);
  demand(t.type === "function", `tools[${i}].type: ${t.type}`);
  if (t.parameters !== undefined) schema(t.parameters, `tools[${i}].parameters`);
  return text(t.name, `tools[${i}].name`);
}

// inputSteps are the steps of an input, which may be a text, or contents of the user's.
function inputSteps(input) {
  if (typeof input === "string") return [{ type: "user_input", content: [{ type: "text", text: input }] }];
  const isContent = (s) => s?.type === "text";
  return list(input, "input").some(isContent) ? [{ type: "user_input", content: input }] : input;
}

const kinds = {
  user_input: (s, at, open, history) => {
    only(s, at, ["type", "content"]);
    open.none(at);
    history.user(words(s.content, `${at}.content`));
  },
  model_output: (s, at, open, history) => {
    only(s, at, ["type", "content"]);
    history.model(words(s.content, `${at}.content`));
  },
  thought: (s, at) => {
    only(s, at, ["type", "summary", "signature"]);
    if (s.summary) words(s.summary, `${at}.summary`);
  },
  function_call: (s, at, open, history) => {
    only(s, at, ["type", "id", "name", "arguments", "signature"]);
    demand(s.arguments !== null && typeof s.arguments === "object" && !Array.isArray(s.arguments), `${at}.arguments: want an object`);
    open.call(text(s.id, `${at}.id`), { name: text(s.name, `${at}.name`), args: s.arguments }, at);
    history.model("");
  },
  function_result: (s, at, open, history) => {
    only(s, at, ["type", "call_id", "name", "result", "is_error", "signature"]);
    const call = open.result(text(s.call_id, `${at}.call_id`), at);
    demand(s.name === undefined || s.name === call.name, `${at}.name: the call is one of ${call.name}`);
    history.called(call, result(s.result, `${at}.result`));
  },
};

function step(s, at, open, history) {
  demand(Object.hasOwn(kinds, s?.type), `${at}: unknown type ${s?.type}`);
  kinds[s.type](s, at, open, history);
}

function words(content, at) {
  return list(content, at).map((c, i) => {
    only(c, `${at}[${i}]`, ["type", "text", "annotations"]);
    demand(c.type === "text", `${at}[${i}]: only texts are scripted, not ${c.type}`);
    return text(c.text, `${at}[${i}].text`);
  }).join("");
}

function result(value, at) {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return words(value, at);
  demand(value !== null && typeof value === "object", `${at}: want a text, contents or an object`);
  return JSON.stringify(value);
}

// frames is what the model says to a request. What was said is stored as soon as it is, since its client may leave; an interaction that is not
// stored has no id.
function* frames(scene, before, { model, previous_interaction_id, store }) {
  const id = store === false ? "" : `v1_scripted_${crypto.randomUUID()}`;
  const interaction = { id, object: "interaction", model, previous_interaction_id, status: "in_progress", steps: [] };
  const kept = { interaction, steps: before };
  if (id) stored.set(id, kept);
  let event_id = 0;
  const frame = (event_type, rest) => event({ event_type, event_id: `e${++event_id}`, ...rest }, event_type);
  const head = { id, object: "interaction", model };
  yield frame("interaction.created", { interaction: { ...head, status: "in_progress" } });
  for (const e of said(scene, interaction.steps)) {
    kept.steps = [...before, ...interaction.steps.filter((s) => s.type !== "function_call" || s.arguments)];
    yield frame(...e);
  }
  if (scene.fails) {
    interaction.status = "failed";
    yield frame("error", { error: { message: scene.fails, code: "INTERNAL" } });
    return;
  }
  interaction.status = scene.calls.length > 0 ? "requires_action" : "completed";
  const usage = { total_input_tokens: 3, total_output_tokens: 4, total_tokens: 7 };
  yield frame("interaction.completed", { interaction: { ...head, status: interaction.status, usage } });
  yield event("[DONE]", "done");
}

// said are the events about steps, which are noted as they come.
function* said({ words, calls, fails }, steps) {
  if (words.length > 0) {
    const content = { type: "text", text: "" };
    steps.push({ type: "model_output", content: [content] });
    yield ["step.start", { index: 0, step: { type: "model_output" } }];
    for (const text of words) {
      content.text += text;
      yield ["step.delta", { index: 0, delta: { type: "text", text } }];
    }
    if (fails) return;
    yield ["step.stop", { index: 0 }];
  }
  for (const { id, name, args } of calls) {
    const index = steps.push({ type: "function_call", id, name, arguments: args }) - 1;
    yield ["step.start", { index, step: { type: "function_call", id, name, arguments: {} } }];
    yield ["step.delta", { index, delta: { type: "arguments_delta", arguments: JSON.stringify(args) } }];
    yield ["step.stop", { index }];
  }
}
