// Anthropic's Messages as Claude Code calls them. Claude Code puts reminders of its own between what the user says, and has its own
// tools in place of the script's; what it sends beside the conversation is not looked at.
import { frames as messages } from "./anthropic.mjs";
import { demand, History } from "./strict.mjs";

export { refusal } from "./anthropic.mjs";
export const path = "/claude-code/v1/messages?beta=true";

// commands are what the script's tools are in the shell. Claude Code lets echo run unasked, and asks before a file is written. NOTES
// is set for it.
const commands = {
  get_weather: ({ city }) => `echo '9 degrees in ${city}'`,
  delete_file: ({ path }) => `echo 'deleted ${path}' | tee -a "$NOTES"`,
};

export function read({ messages, tools = [], stream }) {
  demand(stream, "the model fell over"); // it tries so what has failed as a stream
  const has = (name) => tools.some((t) => t.name === name);
  const history = new History([...(has("Bash") ? Object.keys(commands) : []), ...(has("AskUserQuestion") ? ["choose_colour"] : [])]);
  const calls = new Map();
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (role === "assistant") blocks.forEach((b) => said(b, history, calls));
    if (role === "user") userMessage(blocks, history, calls);
  }
  return history;
}

function said(block, history, calls) {
  history.model(block.text ?? "");
  if (block.type === "tool_use") calls.set(block.id, block.name === "Bash" ? JSON.parse(block.input.description) : { name: "choose_colour" }); // see frames
}

// userMessage reads a message of the user's. A turn that was stopped before the model said anything stands in one message with the next.
function userMessage(blocks, history, calls) {
  for (const b of blocks.filter((b) => b.type === "tool_result")) {
    const said = words(b.content);
    history.called(calls.get(b.tool_use_id), /="(.*?)"/.exec(said)?.[1] ?? said); // Claude Code says the answers to questions in a sentence
  }
  let turn = "";
  for (const b of blocks.filter((b) => b.type === "text")) {
    if (b.text.startsWith("[Request interrupted by user")) {
      if (turn) history.user(turn);
      turn = "";
    } else {
      turn += withoutReminders(b.text);
    }
  }
  if (turn) history.user(turn);
}

function words(content) {
  return withoutReminders(typeof content === "string" ? content : content.map((b) => b.text ?? "").join(""));
}

const withoutReminders = (text) => text.replaceAll(/\s*<system-reminder>.*?<\/system-reminder>\s*/gs, "");

const inShell = (name, args) => ({ name: "Bash", args: { command: commands[name](args), description: JSON.stringify({ name, args }) } });

const asking = ({ question, options }) => ({
  name: "AskUserQuestion", args: { questions: [{ question, header: "Question", multiSelect: false, options: options.map((label) => ({ label, description: label })) }] },
});

let answers = 0;

export function frames(scene) {
  const calls = scene.calls.map(({ id, name, args }) => ({ id, ...(commands[name] ? inShell(name, args) : asking(args)) }));
  return messages({ ...scene, calls }, `msg_${++answers}`); // messages of one id are one to Claude Code
}
