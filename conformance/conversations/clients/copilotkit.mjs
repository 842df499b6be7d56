// The core of CopilotKit, which every of its front ends runs: it asks what agents there are, runs the tools of the front end
// itself, and goes on by itself.
import { z } from "zod";
import { before, decisions, replies, seen, shown, withdrawn } from "./agui.mjs";
import { askUser, kept } from "./talk.mjs";

globalThis.window ??= {}; // it asks a runtime only in a browser

export function copilotkitClient({ name, CopilotKitCore }) {
  return { name, dialect: "agui", can: { bring: true, decide: true, form: true, leave: false, atOnce: false }, runtime: true, open: (url) => new Talk(CopilotKitCore, url) };
}

class Talk {
  ids = 0;
  open = [];

  constructor(CopilotKitCore, runtimeUrl) {
    Object.assign(this, { CopilotKitCore, runtimeUrl });
    this.begin();
  }

  begin() {
    const { CopilotKitCore, runtimeUrl } = this;
    this.known = undefined;
    this.core = new CopilotKitCore({ runtimeUrl, runtimeTransport: "rest", tools: [this.tool()] });
    this.core.subscribe({ onError: ({ error }) => { this.failed ??= error.message; } });
  }

  // tool is what the front end runs: it waits for the result that answer brings. Calls at once may come one after the other.
  tool() {
    return {
      name: askUser.name, description: askUser.description, parameters: z.object({ question: z.string() }),
      handler: (args) => new Promise((resolve) => {
        if (this.given !== undefined) return resolve(this.given);
        this.open.push({ call: { name: askUser.name, args }, resolve });
        this.onCall();
      }),
    };
  }

  async agent() {
    for (let n = 0; this.core.runtimeConnectionStatus !== "connected"; n++) {
      if (n > 500) throw new Error(`the runtime is ${this.core.runtimeConnectionStatus}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.known ??= this.core.getAgent("default");
    return this.known;
  }

  async say(content) {
    (await this.agent()).addMessage({ id: `mine-${++this.ids}`, role: "user", content });
    return this.run({ resume: withdrawn(this.known) });
  }

  async answer(result) {
    this.given = result;
    for (const { resolve } of this.open.splice(0)) resolve(result);
    return this.over();
  }

  async decide(...yes) {
    return this.run({ resume: decisions(await this.agent(), yes) });
  }

  async reply(text) {
    return this.run({ resume: replies(await this.agent(), text) });
  }

  async regenerate() {
    this.known.setMessages(before(this.known, -1, 1));
    return this.run();
  }

  async edit(content) {
    this.known.setMessages(before(this.known, -2));
    return this.say(content);
  }

  async reload() {
    const { threadId, messages, pendingInterrupts } = kept(this.known);
    this.begin();
    Object.assign(await this.agent(), { threadId, pendingInterrupts });
    this.known.setMessages(messages);
  }

  stop() {
    this.core.stopAgent({ agent: this.known });
  }

  shown() {
    return this.known ? shown(this.known) : "";
  }

  async run(more = {}) {
    const agent = await this.agent();
    Object.assign(this, { failed: undefined, given: undefined, open: [] });
    const watch = agent.subscribe({ onRunErrorEvent: ({ event }) => { this.failed = event.message; } });
    this.running = this.core.runAgent({ agent, ...more })
      .catch((err) => { this.failed = err.message; })
      .finally(() => watch.unsubscribe());
    return this.over();
  }

  // over is when the run has ended, or waits for the tool of the front end.
  async over() {
    await Promise.race([this.running, new Promise((resolve) => { this.onCall = resolve; })]);
    return { ...seen(this.known, this.failed), calls: this.open.map((o) => o.call) };
  }
}
