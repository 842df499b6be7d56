// What useStream of @langchain/react is made of: the StreamController of the LangGraph SDK, which speaks the thread protocol. An application
// shows what is in its store.
import { counting, sleep } from "./talk.mjs";

export function langgraphProtocolClient({ name, Client, StreamController, agents }) {
  return { name, dialect: "langgraph", agents, can: { bring: false, decide: true, form: true, regenerate: false }, open: (url) => new Talk(Client, StreamController, url) };
}

class Talk {
  constructor(Client, StreamController, apiUrl) {
    this.begin = (threadId) => {
      this.close();
      this.client = new Client({ apiUrl, apiKey: null, callerOptions: { maxRetries: 0, fetch: counting(500) } });
      this.controller = new StreamController({ client: this.client, assistantId: "agent", threadId, fetch: counting(60), onThreadId: (id) => { this.thread = id; } });
      this.left = this.controller.activate?.();
    };
    this.begin();
  }

  say(content) {
    return this.run(() => this.controller.submit({ messages: [{ type: "human", content }] }));
  }

  answer(content) {
    return this.run(() => this.controller.submit({ messages: this.calls().map((c) => ({ type: "tool", id: crypto.randomUUID(), tool_call_id: c.id, name: c.name, content })) }));
  }

  decide(...yes) {
    const answers = this.state.interrupts.map(({ id }, i) => [id, { decisions: [{ type: yes[i] ? "approve" : "reject" }] }]);
    return this.run(() => this.controller.respondAll(Object.fromEntries(answers)), true);
  }

  reply(value) {
    return this.run(() => this.controller.respond(value), true);
  }

  // reload leaves the name of the thread.
  async reload() {
    this.begin(this.thread);
    await this.controller.hydrationPromise;
  }

  async run(act, resumes) {
    let failed;
    try {
      await act();
      if (resumes) await this.settled();
      await this.arrived();
      failed = this.state.error?.message;
    } catch (err) {
      failed = err.message;
    }
    return this.seen(failed);
  }

  // settled waits for the end of a run that goes on with answers: those calls return when it has begun, and the events before are replayed
  // to a page that was loaded anew, so that the store alone does not tell.
  async settled() {
    do await sleep(50); while (this.state.isLoading || (await this.client.threads.get(this.thread)).status === "busy");
  }

  // arrived waits for what the end of a run tells of by another stream than its words. The store gathers changes, too.
  async arrived() {
    for (let n = 0; n < 100 && this.shown() === "" && this.calls().length + this.state.interrupts.length === 0; n++) await sleep(20);
    await sleep(50);
  }

  async stop() {
    await this.controller.stop();
  }

  get state() {
    return this.controller.rootStore.getSnapshot();
  }

  get messages() {
    return this.state.messages;
  }

  shown() {
    return this.latest().filter((m) => m.type === "ai").map((m) => m.text).join("");
  }

  latest() {
    return this.messages.slice(this.messages.findLastIndex((m) => m.type === "human") + 1);
  }

  // calls are unanswered, and no question is about them.
  calls() {
    if (this.state.interrupts.length > 0) return [];
    const answered = new Set(this.latest().filter((m) => m.type === "tool").map((m) => m.tool_call_id));
    return this.latest().flatMap((m) => m.tool_calls ?? []).filter((c) => !answered.has(c.id));
  }

  seen(failed) {
    return {
      text: this.shown(), calls: this.calls().map(({ name, args }) => ({ name, args })), questions: this.state.interrupts.map((i) => i.id), failed,
      turns: this.messages.filter((m) => m.type === "human").length,
    };
  }

  close() {
    this.left?.();
    this.controller?.dispose?.();
  }
}
