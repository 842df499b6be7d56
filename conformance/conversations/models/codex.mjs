// OpenAI's Responses as Codex calls them. Codex puts messages of its own between what the user says, and has its own tools in place of
// the script's; what it sends beside the conversation is not looked at.
import { frames as answer } from "./responses.mjs";
import { History } from "./strict.mjs";

export { refusal } from "./responses.mjs";
export const path = "/codex/v1/responses";

// commands are what the script's tools are in the shell, and how they are known again. Codex runs them in a sandbox, and
// asks where the model wants to leave it. NOTES is set for it.
const commands = {
  get_weather: { write: ({ city }) => `echo '9 degrees in ${city}'`, read: /^echo '9 degrees in (?<city>.*)'$/ },
  delete_file: { write: ({ path }) => `echo 'deleted ${path}' | tee -a "$NOTES"`, read: /^echo 'deleted (?<path>.*)' \|/, leaves: true },
};

export function read({ input, tools = [] }) {
  const history = new History(tools.some((t) => t.name === "exec_command") ? Object.keys(commands) : []);
  const calls = new Map();
  for (const item of input) {
    if (item.type === "message") said(item, history);
    if (item.type === "function_call") {
      calls.set(item.call_id, called(JSON.parse(item.arguments).cmd));
      history.model("");
    }
    if (item.type === "function_call_output") history.called(calls.get(item.call_id), output(item.output));
  }
  return history;
}

function said({ role, content }, history) {
  const text = content.map((c) => c.text ?? "").join("");
  if (role === "assistant") history.model(text);
  if (role === "user" && !/^<(environment_context|turn_aborted|user_instructions|skills_instructions)>/.test(text)) history.user(text);
}

function called(cmd) {
  for (const [name, { read }] of Object.entries(commands)) {
    const args = read.exec(cmd)?.groups;
    if (args) return { name, args: { ...args } };
  }
  throw new Error(`a command that is not the script's: ${cmd}`);
}

const output = (text) => text.replace(/^Chunk ID: .*?\nOutput:\n/s, "").trimEnd();

let answers = 0;

export function frames(scene) {
  const calls = scene.calls.map(({ id, name, args }) => {
    const { write, leaves } = commands[name];
    return { id, name: "exec_command", args: { cmd: write(args), ...(leaves && { sandbox_permissions: "require_escalated", justification: "May I?" }) } };
  });
  return answer({ ...scene, calls }, ++answers);
}
