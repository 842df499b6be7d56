// The client of the LangGraph SDK, as an application uses it that keeps no messages: a thread, its runs as streams, and its state.
import { counting } from "./talk.mjs";

export function langgraphClient({ name, Client, agents }) {
  return { name, dialect: "langgraph", agents, can: { bring: false, decide: true, form: true, regenerate: false }, open: (url) => new Talk(Client, url) };
}

class Talk {
  texts = new Map(); // of the turn's answers, by the id of their message
  messages = [];
  interrupts = [];

  constructor(Client, apiUrl) {
    this.begin = () => { this.client = new Client({ apiUrl, apiKey: null, callerOptions: { maxRetries: 0, fetch: counting(24) } }); };
    this.begin();
    this.thread = this.client.threads.create().then((t) => t.thread_id);
    this.thread.catch(() => {}); // every run says it again
  }

  say(content) {
    this.texts.clear();
    return this.run({ input: { messages: [{ type: "human", id: crypto.randomUUID(), content }] } });
  }

  answer(content) {
    return this.run({ input: { messages: this.calls().map((c) => ({ type: "tool", id: crypto.randomUUID(), tool_call_id: c.id, name: c.name, content })) } });
  }

  // decide answers as an inbox does: with the decisions that the middleware of LangChain takes, by the ids of the interrupts if there are several.
  decide(...yes) {
    const answers = this.interrupts.map(({ id }, i) => [id, { decisions: [{ type: yes[i] ? "approve" : "reject" }] }]);
    return this.run({ command: { resume: answers.length === 1 ? answers[0][1] : Object.fromEntries(answers) } });
  }

  // reply answers a question with what the graph's author expects: any value.
  reply(value) {
    return this.run({ command: { resume: value } });
  }

  // reload leaves the name of the thread; its state says what was said, and what it waits for.
  async reload() {
    this.begin();
    const { values, tasks } = await this.client.threads.getState(await this.thread);
    this.messages = values.messages;
    this.interrupts = tasks.flatMap((t) => t.interrupts);
  }

  async run(payload) {
    let failed;
    this.interrupts = [];
    try {
      const thread = await this.thread;
      for await (const { event, data } of this.client.runs.stream(thread, "agent", { ...payload, streamMode: ["messages-tuple", "values"] })) {
        if (event === "metadata") this.id = data.run_id;
        if (event === "error") failed = data.message;
        if (event === "messages") this.take(data[0]);
        if (data?.__interrupt__) this.interrupts = data.__interrupt__;
      }
      await this.check(thread);
    } catch (err) {
      failed = err.message;
    }
    return this.seen(failed);
  }

  take({ id, type, content }) {
    const text = typeof content === "string" ? content : content.map((block) => block.text ?? "").join("");
    if (type === "ai" || type === "AIMessageChunk") this.texts.set(id, (this.texts.get(id) ?? "") + text);
  }

  // check reads the state of the thread, which has to say what the streams said.
  async check(thread) {
    const { values, tasks } = await this.client.threads.getState(thread);
    this.messages = values.messages;
    const last = this.latest().filter((m) => m.type === "ai").map((m) => m.content).join("");
    if (last !== this.shown()) throw new Error(`the state has ${JSON.stringify(last)}, and the streams said ${JSON.stringify(this.shown())}`);
    const waits = tasks.flatMap((t) => t.interrupts).map((i) => i.id);
    if (waits.join() !== this.interrupts.map((i) => i.id).join()) throw new Error(`the state waits for ${JSON.stringify(waits)}`);
  }

  async stop() {
    await this.client.runs.cancel(await this.thread, this.id);
  }

  shown() {
    return [...this.texts.values()].join("");
  }

  latest() {
    return this.messages.slice(this.messages.findLastIndex((m) => m.type === "human") + 1);
  }

  // calls are unanswered, and no question is about them.
  calls() {
    if (this.interrupts.length > 0) return [];
    const answered = new Set(this.latest().filter((m) => m.type === "tool").map((m) => m.tool_call_id));
    return this.latest().flatMap((m) => m.tool_calls ?? []).filter((c) => !answered.has(c.id));
  }

  seen(failed) {
    return {
      text: this.shown(), calls: this.calls().map(({ name, args }) => ({ name, args })), questions: this.interrupts.map((i) => i.id), failed,
      turns: this.messages.filter((m) => m.type === "human").length,
    };
  }
}
