// A front end that speaks the AI SDK's UI messages, by the chat that useChat of every framework runs, with its default transport.
import { AbstractChat, aiVersion, DefaultChatTransport } from "./clients.js";

export class AiSdk {
  title = "AI SDK";
  path = "/aisdk";
  library = `the chat of ai ${aiVersion}, as in useChat`;

  constructor({ base, fetch, changed }) {
    this.chat = new Chat(() => changed(1), { transport: new DefaultChatTransport({ api: base + this.path, fetch }) });
  }

  // ask resolves when the run has ended, to an error if it failed.
  async ask(text) {
    await this.chat.sendMessage({ text });
    return this.chat.error?.message;
  }

  stop() { this.chat.stop(); }

  // items are what the client has understood, for the pane.
  items() {
    return this.chat.messages.flatMap((m) => m.parts.map((part, i) => item(`${m.id}/${i}`, m.role, part))).filter(Boolean);
  }
}

class Chat extends AbstractChat {
  constructor(changed, init) { super({ ...init, state: new State(changed) }); }
}

// State is where the chat keeps what it shows. What a component of React would render again for is a call of changed.
class State {
  status = "ready";
  error = undefined;
  #messages = [];
  #changed;

  constructor(changed) { this.#changed = changed; }
  get messages() { return this.#messages; }
  set messages(list) { this.#messages = list; this.#changed(); }
  pushMessage = (m) => { this.messages = [...this.messages, m]; };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (i, m) => { this.messages = this.messages.with(i, structuredClone(m)); };
  snapshot = (v) => structuredClone(v);
}

function item(key, role, part) {
  if (part.type === "text") return { key, kind: role === "user" ? "user" : "text", text: part.text };
  if (part.type === "reasoning") return { key, kind: "reasoning", text: part.text };
  if (part.type === "data-plan") return { key, kind: "plan", steps: part.data.items };
  if (part.type === "dynamic-tool" || part.type.startsWith("tool-")) return tool(key, part);
  return null; // steps, and data that this page has no place for
}

const states = { "output-available": "done", "output-error": "failed", "output-denied": "failed" };

function tool(key, part) {
  const name = part.toolName ?? part.type.slice("tool-".length);
  return { key, kind: "tool", name, state: states[part.state] ?? "running", input: part.input, output: part.errorText ?? part.output };
}
