// OpenAI's Chat Completions as the Copilot CLI calls them. It has its own tools in place of the script's, beside those of its client, and
// says the time in front of what the user says; what it sends beside the conversation is not looked at.
import { frames as answer } from "./chat.mjs";
import { History } from "./strict.mjs";

export { refusal } from "./chat.mjs";
export const path = "/copilot/chat/completions";

// own are what the script's tools are among Copilot's: a query of the session's own database, which runs unasked, a command that writes a file,
// before which it asks, and a question. NOTES is set for the command.
const own = {
  get_weather: ({ city }, description) => ({ name: "sql", args: { description, query: `SELECT '9 degrees in ${city}' AS weather` } }),
  delete_file: ({ path }, description) => ({ name: "bash", args: { description, command: `echo 'deleted ${path}' | tee -a "$NOTES"` } }),
  choose_colour: ({ question, options }) => ({ name: "ask_user", args: { question, choices: options } }),
};

export function read({ messages, tools = [] }) {
  const names = tools.map((t) => t.function.name);
  const history = new History([
    ...names, ...(names.includes("bash") ? ["get_weather", "delete_file"] : []), ...(tools.some(asksUser) ? ["choose_colour"] : []),
  ]);
  const calls = new Map();
  for (const { role, content, tool_calls = [], tool_call_id } of messages) {
    if (role === "user") history.user(words(content).replace(/^<current_datetime>.*?<\/current_datetime>\s*/s, ""));
    if (role === "assistant") history.model(words(content ?? ""));
    for (const { id, function: f } of tool_calls) calls.set(id, called(f.name, JSON.parse(f.arguments)));
    if (role === "tool") history.called(calls.get(tool_call_id), result(words(content)));
  }
  return history;
}

// asksUser reports whether a tool is Copilot's own: clients of the script bring one of the same name, which is in its place.
const asksUser = ({ function: f }) => f.name === "ask_user" && f.parameters.properties.choices !== undefined;

const words = (content) => typeof content === "string" ? content : content.map((p) => p.text ?? "").join("");

// called is the call of the script that a call of Copilot's is. See frames.
function called(name, args) {
  if (name === "sql" || name === "bash") return JSON.parse(args.description);
  return args.choices ? { name: "choose_colour", args } : { name, args };
}

// result is what came of a call: the row of a table, the output of a command without its end, or the answer in a sentence.
const result = (text) => (/ \|\n\| --- \|\n\| (.*) \|/.exec(text)?.[1] ?? text)
  .replace(/\s*<shellId: \d+ completed with exit code \d+>\s*$/, "").replace(/^User (?:selected|responded): /, "").trimEnd();

// frames has failures of another kind than other models: Copilot asks again where a server has failed.
export function* frames(scene) {
  const calls = scene.calls.map(({ id, name, args }) => ({ id, ...(own[name]?.(args, JSON.stringify({ name, args })) ?? { name, args }) }));
  if (!scene.fails) return yield* answer({ ...scene, calls });
  for (const frame of answer(scene)) yield frame.replace("server_error", "invalid_request_error");
}
