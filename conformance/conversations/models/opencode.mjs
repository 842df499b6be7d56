// OpenAI's Chat Completions as OpenCode calls them. OpenCode has its own tools in place of the script's, and has its sessions named by
// requests without tools; what it sends beside the conversation is not looked at.
import { frames as answer } from "./chat.mjs";
import { History } from "./strict.mjs";

export { refusal } from "./chat.mjs";
export const path = "/opencode/v1/chat/completions";

// commands are what the script's tools are in the shell. The agent's configuration has OpenCode ask before it runs those that note something.
// NOTES is set for it.
const commands = {
  get_weather: ({ city }) => `echo '9 degrees in ${city}'`,
  delete_file: ({ path }) => `echo 'deleted ${path}' | tee -a "$NOTES"`,
};

export function read({ messages, tools = [] }) {
  const has = (name) => tools.some((t) => t.function.name === name);
  const history = new History([...(has("bash") ? Object.keys(commands) : []), ...(has("question") ? ["choose_colour"] : [])]);
  if (tools.length === 0) messages = [{ role: "user", content: "a title" }];
  const calls = new Map();
  for (const { role, content, tool_calls = [], tool_call_id } of messages) {
    if (role === "user") history.user(words(content));
    if (role === "assistant") history.model(words(content ?? ""));
    for (const { id, function: f } of tool_calls) calls.set(id, called(f.name, JSON.parse(f.arguments)));
    if (role === "tool") history.called(calls.get(tool_call_id), result(words(content)));
  }
  return history;
}

const words = (content) => typeof content === "string" ? content : content.map((p) => p.text ?? "").join("");

const called = (name, { description }) => name === "bash" ? JSON.parse(description) : { name: "choose_colour" }; // see frames

const result = (text) => (/="(.*?)"/.exec(text)?.[1] ?? text).trimEnd(); // OpenCode says the answers to questions in a sentence

const inShell = (name, args) => ({ name: "bash", args: { command: commands[name](args), description: JSON.stringify({ name, args }) } });

const asking = ({ question, options }) => ({
  name: "question", args: { questions: [{ question, header: "Question", options: options.map((label) => ({ label, description: label })) }] },
});

// frames has failures of another kind than other models: OpenCode asks again, behind the words that it has shown, where a server has failed.
export function* frames(scene) {
  const calls = scene.calls.map(({ id, name, args }) => ({ id, ...(commands[name] ? inShell(name, args) : asking(args)) }));
  if (!scene.fails) return yield* answer({ ...scene, calls });
  for (const frame of answer(scene)) yield frame.replace("server_error", "invalid_request_error");
}
