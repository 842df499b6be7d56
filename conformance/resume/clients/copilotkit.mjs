// The core of CopilotKit, which connects to its thread when a page is loaded.
import { shown } from "./agui.mjs";

globalThis.window ??= {}; // it asks a runtime only in a browser

export function copilotkitClient({ name, CopilotKitCore, reload = true }) {
  return {
    name, dialect: "agui", stranger: 200, open: (target) => new Talk(CopilotKitCore, target, reload),
    back: reload ? "`connectAgent` of a page that is loaded anew" : "`connectAgent` of the same page, which takes off the part that it has",
  };
}

class Talk {
  constructor(CopilotKitCore, { url, key, principal }, reload) {
    Object.assign(this, { CopilotKitCore, url, key, principal, reload, names: { thread: crypto.randomUUID() } });
  }

  async read() {
    const agent = await this.load(this.names.thread);
    agent.addMessage({ id: "mine", role: "user", content: this.key });
    let failed = await this.take(() => this.core.runAgent({ agent }));
    for (let n = 0; failed && !this.reported && n < 5; n++) {
      if (this.reload) await this.load(this.names.thread);
      else this.agent.setMessages(this.agent.messages.filter((m) => m.role === "user")); // what comes again is appended to what is there
      failed = await this.connect();
    }
    return { text: this.shown(), failed };
  }

  async come({ thread }) {
    await this.load(thread);
    return { failed: await this.connect(), text: this.shown() };
  }

  connect() {
    this.wrong = undefined;
    return this.take(() => this.core.connectAgent({ agent: this.agent }));
  }

  async take(run) {
    let ended = false;
    const watch = this.agent.subscribe({
      onRunErrorEvent: ({ event }) => { this.reported = event.message; }, onRunFinishedEvent: () => { ended = true; },
    });
    try {
      await run();
    } catch (err) {
      this.wrong ??= err.message;
    }
    watch.unsubscribe();
    return this.reported ?? this.wrong ?? (ended ? undefined : "the run has no end");
  }

  // load is a new page.
  async load(thread) {
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
