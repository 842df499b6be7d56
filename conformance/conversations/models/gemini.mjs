// Gemini's generateContent. Its calls have no ids here, as most of its models give none: results are matched by name.
import { demand, event, list, only, text, History } from "./strict.mjs";

export const path = "/v1beta/models/scripted:streamGenerateContent?alt=sse";
export const refusal = (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });

const members = ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent", "labels"];

export function read(body) {
  only(body, "body", members);
  if (body.systemInstruction) only(body.systemInstruction, "systemInstruction", ["parts", "role"]);
  const history = new History((body.tools ?? []).flatMap(toolNames));
  const calls = { waiting: [] };
  list(body.contents, "contents").forEach((c, i) => content(c, `contents[${i}]`, calls, history));
  demand(calls.waiting.length === 0, `contents: calls without responses: ${calls.waiting.map((c) => c.name)}`);
  demand((body.contents.at(-1).role ?? "user") === "user", "contents: the last turn must be the user's");
  return history;
}

function toolNames(t, i) {
  only(t, `tools[${i}]`, ["functionDeclarations"]);
  return list(t.functionDeclarations, `tools[${i}].functionDeclarations`).map((f) => {
    only(f, `tools[${i}].functionDeclarations`, ["name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema", "behavior"]);
    demand(!(f.parameters && f.parametersJsonSchema), "parameters and parametersJsonSchema are both set");
    return text(f.name, "name");
  });
}

// content checks one turn. The responses to the calls of a turn stand all in the turn that follows it.
function content(c, at, calls, history) {
  only(c, at, ["role", "parts"]);
  demand([undefined, "user", "model"].includes(c.role), `${at}: please use a valid role: user, model`);
  let said;
  const results = [];
  list(c.parts, `${at}.parts`).forEach((p, i) => {
    const where = `${at}.parts[${i}]`;
    const kind = kindOf(p, where);
    if (kind === "functionCall") call(c, p.functionCall, where, calls);
    else if (kind === "functionResponse") results.push(response(c, p.functionResponse, where, calls));
    else if (kind === "text" && !p.thought) said = (said ?? "") + text(p.text, where);
  });
  if (c.role === "model") {
    history.model(said ?? "");
    return;
  }
  demand(calls.waiting.length === 0, `${at}: the number of function response parts is not that of the function calls before`);
  for (const r of results) history.called(r.call, r.text);
  if (said !== undefined) history.user(said);
}

const kinds = ["text", "functionCall", "functionResponse", "inlineData", "fileData"];

function kindOf(p, at) {
  only(p, at, [...kinds, "thought", "thoughtSignature"]);
  const set = kinds.filter((k) => p[k] !== undefined);
  demand(set.length === 1, `${at}: required oneof field 'data' must have one initialized field, got ${JSON.stringify(p)}`);
  return set[0];
}

function call({ role }, c, at, calls) {
  demand(role === "model", `${at}: a call of the user's`);
  only(c, at, ["id", "name", "args"]);
  demand(c.args === undefined || (c.args !== null && typeof c.args === "object" && !Array.isArray(c.args)), `${at}.args: want an object`);
  calls.waiting.push({ name: text(c.name, `${at}.name`), args: c.args ?? {} });
}

function response({ role }, r, at, calls) {
  demand(role !== "model", `${at}: a response of the model's`);
  only(r, at, ["id", "name", "response", "willContinue", "scheduling"]);
  demand(r.response !== null && typeof r.response === "object" && !Array.isArray(r.response), `${at}.response: want an object`);
  const found = calls.waiting.findIndex((c) => c.name === r.name);
  demand(found >= 0, `${at}: a response without a call: ${r.name}`);
  const [call] = calls.waiting.splice(found, 1);
  const value = r.response.output ?? r.response.result ?? r.response;
  return { call, text: typeof value === "string" ? value : JSON.stringify(value) };
}

export function* frames({ words, calls, fails }) {
  const chunk = (parts, finishReason) => event({
    candidates: [{ content: { parts, role: "model" }, finishReason, index: 0 }], modelVersion: "scripted", responseId: "1",
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
  });
  for (const text of words) yield chunk([{ text }]);
  if (fails) {
    yield event({ error: { code: 500, message: fails, status: "INTERNAL" } });
    return;
  }
  if (calls.length > 0) yield chunk(calls.map(({ name, args }) => ({ functionCall: { name, args } })));
  yield chunk([{ text: "" }], "STOP");
}
