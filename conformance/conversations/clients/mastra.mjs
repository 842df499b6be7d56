// The client of Mastra's servers, which runs its tools itself and goes on by itself: in a thread, of which an application keeps the name and
// the server the rest, or with messages that the application keeps, and sends each time.
import { askUser, kept } from "./talk.mjs";

export function mastraClient({ name, MastraClient, threads, agents }) {
  return {
    name, agents, dialect: "mastra", can: { bring: true, decide: true, form: true, leave: false, atOnce: false, regenerate: !threads },
    open: (url) => new Talk(MastraClient, url, threads),
  };
}

class Talk {
  users = 0;
  messages = []; // before the turn, without a thread

  constructor(MastraClient, baseUrl, threads) {
    this.begin = () => { this.agent = new MastraClient({ baseUrl, retries: 0 }).getAgent("conformance"); };
    this.begin();
    if (threads) this.memory = { thread: crypto.randomUUID(), resource: "user" };
  }

  say(content) {
    this.users += 1;
    if (!this.memory) this.messages.push(...this.said ?? [], { role: "user", content });
    this.said = [];
    return this.run((more) => this.agent.stream(this.memory ? content : this.messages, { memory: this.memory, clientTools: { ask_user: this.tool() }, ...more }), "");
  }

  // tool waits for the result that answer brings. The client runs calls at once one after the other.
  tool() {
    return {
      id: askUser.name, description: askUser.description, inputSchema: askUser.schema,
      execute: (args) => new Promise((resolve) => {
        if (this.given !== undefined) return resolve(this.given);
        this.open.push({ call: { name: askUser.name, args }, resolve });
        this.onCall();
      }),
    };
  }

  answer(result) {
    this.given = result;
    for (const { resolve } of this.open.splice(0)) resolve(result);
    return this.over();
  }

  // decide answers one question after the other, as each has a request of its own.
  async decide(...yes) {
    const asked = this.questions;
    let seen;
    for (const [i, { runId, payload: { toolCallId } }] of asked.entries()) {
      seen = await this.run((more) => this.agent[yes[i] ? "approveToolCall" : "declineToolCall"]({ runId, toolCallId, ...more }), this.text);
    }
    return seen;
  }

  reply(text) {
    const [{ runId, payload: { toolCallId, resumeSchema } }] = this.questions;
    return this.run((more) => this.agent.resumeStream(filled(resumeSchema, text), { runId, toolCallId, clientTools: { ask_user: this.tool() }, ...more }), this.text);
  }

  regenerate() {
    const { content } = this.messages.pop();
    return this.again(content);
  }

  edit(content) {
    this.messages.splice(this.messages.findLastIndex((m, i) => m.role === "user" && i < this.messages.length - 1));
    this.users -= 1;
    return this.again(content);
  }

  // again says something in place of what was said last.
  again(content) {
    this.users -= 1;
    this.said = [];
    return this.say(content);
  }

  // reload leaves the name of the thread, or the messages, and the questions that are open.
  reload() {
    Object.assign(this, kept({ questions: this.questions, messages: this.messages, said: this.said, text: this.text }));
    this.begin();
  }

  stop() {
    this.gone.abort();
  }

  shown() {
    return this.text ?? "";
  }

  run(ask, before) {
    Object.assign(this, { text: before, given: undefined, open: [], questions: [], failed: undefined, gone: new AbortController() });
    this.running = this.read(ask).catch((err) => { this.failed = err.message; });
    return this.over();
  }

  async read(ask) {
    const response = await ask({ abortSignal: this.gone.signal });
    await response.processDataStream({ onChunk: (chunk) => { takers[chunk.type]?.(this, chunk.payload, chunk); } });
  }

  // over is when the run has ended, or waits for the tool of the application.
  async over() {
    await Promise.race([this.running, new Promise((resolve) => { this.onCall = resolve; })]);
    return {
      text: this.text, calls: this.open.map((o) => o.call), questions: this.questions.map((q) => q.payload.toolCallId), failed: this.failed, turns: this.users,
    };
  }

  // keep notes a part of a message of the turn, for the next one.
  keep(role, part) {
    if (this.said.at(-1)?.role !== role) this.said.push({ role, content: [] });
    const { content } = this.said.at(-1);
    if (part.type === "text" && content.at(-1)?.type === "text") content.at(-1).text += part.text;
    else content.push(part);
  }
}

// filled is the form that a tool wants, whose field is for words; words where it wants none.
function filled(schema, text) {
  const [field] = Object.entries(JSON.parse(schema ?? "{}").properties ?? {});
  return field?.[1].type === "string" ? { [field[0]]: text } : text;
}

const takers = {
  "text-delta": (talk, { text }) => {
    talk.text += text;
    talk.keep("assistant", { type: "text", text });
  },
  "tool-call": (talk, { toolCallId, toolName, args }) => talk.keep("assistant", { type: "tool-call", toolCallId, toolName, input: args }),
  "tool-result": (talk, { toolCallId, toolName, result }) => talk.keep("tool", { type: "tool-result", toolCallId, toolName, output: { type: "text", value: String(result) } }),
  "tool-call-approval": (talk, payload, chunk) => talk.questions.push(chunk),
  "tool-call-suspended": (talk, payload, chunk) => talk.questions.push(chunk),
  error: (talk, { error }) => { talk.failed = error.message ?? String(error); },
};
