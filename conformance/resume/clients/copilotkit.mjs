// The core of CopilotKit, which connects to its thread when a page is loaded.
import { shown } from "./agui.mjs";

globalThis.window ??= {}; // it asks a runtime only in a browser

export function copilotkitClient({ name, CopilotKitCore }) {
  return {
    name, dialect: "agui", back: "`connectAgent` of a page that is loaded anew", stranger: 200, open: (seat) => new Talk(CopilotKitCore, seat),
  };
}

class Talk {
  constructor(CopilotKitCore, { url, key, principal }) {
    Object.assign(this, { CopilotKitCore, url, key, principal, names: { thread: crypto.randomUUID() } });
  }

  async read() {
    const agent = await this.load(this.names.thread);
    agent.addMessage({ id: "mine", role: "user", content: this.key });
    let failed = await this.take(() => this.core.runAgent({ agent }));
    for (let n = 0; failed && !this.told && n < 5; n++) failed = (await this.come(this.names)).failed;
    return { text: this.shown(), failed };
  }

  async come({ thread }) {
    const agent = await this.load(thread);
    return { failed: await this.take(() => this.core.connectAgent({ agent })), text: this.shown() };
  }

  async take(run) {
    let ended = false;
    const watch = this.agent.subscribe({
      onRunErrorEvent: ({ event }) => { this.told = event.message; }, onRunFinishedEvent: () => { ended = true; },
    });
    try {
      await run();
    } catch (err) {
      this.wrong ??= err.message;
    }
    watch.unsubscribe();
    return this.told ?? this.wrong ?? (ended ? undefined : "the run has no end");
  }

  // load is a new page.
  async load(thread) {
    this.wrong = undefined;
    this.core = new this.CopilotKitCore({ runtimeUrl: this.url, runtimeTransport: "rest", headers: { authorization: this.principal } });
    this.core.subscribe({ onError: ({ error }) => { this.wrong ??= error.message; } });
    for (let n = 0; this.core.runtimeConnectionStatus !== "connected"; n++) {
      if (n > 500) throw new Error(`the runtime is ${this.core.runtimeConnectionStatus}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.agent = this.core.getAgent("default");
    this.agent.threadId = thread;
    return this.agent;
  }

  shown() {
    return shown(this.agent);
  }
}
