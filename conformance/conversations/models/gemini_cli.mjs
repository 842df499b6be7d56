// Gemini's generateContent as the Gemini CLI calls it. It says something of its own before the user, and has its own tools in place of
// the script's; what it sends beside the conversation is not looked at.
import { frames as answer } from "./gemini.mjs";
import { History } from "./strict.mjs";

export { refusal } from "./gemini.mjs";
export const path = "/gemini-cli/v1beta/models/scripted:streamGenerateContent?alt=sse";

// commands are what the script's tools are in the shell.
const commands = { get_weather: ({ city }) => `echo '9 degrees in ${city}'` };

export function read({ contents, tools = [] }) {
  const names = tools.flatMap((t) => t.functionDeclarations ?? []).map((f) => f.name);
  const history = new History(names.includes("run_shell_command") ? Object.keys(commands) : []);
  const calls = [];
  for (const { role, parts } of contents) {
    if (role === "model") history.model(parts.map((p) => (p.thought ? "" : p.text ?? "")).join(""));
    for (const { text, functionCall, functionResponse } of parts) {
      if (functionCall) calls.push({ name: "get_weather", args: functionCall.args });
      else if (functionResponse) history.called(calls.shift() ?? { name: "get_weather" }, output(functionResponse.response ?? {}));
      else if (role === "user" && text !== undefined && !text.startsWith("<session_context>")) history.user(text); // a turn that was stopped stands in one message with the next
    }
  }
  return history;
}

const output = ({ output = "", error = "" }) => /^Output: (.*)/m.exec(output)?.[1] ?? output + error;

// The CLI's own reader does not get over U+2028 in a line.
export function* frames(scene) {
  const calls = scene.calls.map(({ id, name, args }) => ({
    id, name: "run_shell_command", args: { command: commands[name](args), description: name },
  }));
  for (const frame of answer({ ...scene, calls })) yield frame.replaceAll("\u2028", "\\u2028");
}
