// AG-UI's HttpAgent has no way back of its own: the application asks for the run by the name that its first response had.
import { authorized } from "./talk.mjs";

export function aguiClient({ name, HttpAgent }) {
  return { name, dialect: "agui", back: "`runAgent` with the header field `X-Sabir-Run`", stranger: 404, open: (target) => new Talk(HttpAgent, target) };
}

class Talk {
  constructor(HttpAgent, { url, key, principal }) {
    Object.assign(this, { HttpAgent, url, key, principal, names: { thread: crypto.randomUUID() } });
  }

  async read() {
    let failed = await this.run({});
    for (let n = 0; failed && !this.reported && n < 5; n++) failed = await this.run({ "x-sabir-run": this.names.run });
    return { text: this.shown(), failed };
  }

  async come({ run, thread }) {
    this.names.thread = thread;
    return { failed: await this.run({ "x-sabir-run": run }), text: this.shown() };
  }

  // run resolves to why it is not the whole, if it is not. reported is the error from the server.
  async run(headers) {
    const fetchHere = authorized(this.principal, (response) => { this.names.run ??= response.headers.get("x-sabir-run"); });
    this.agent = new this.HttpAgent({ url: this.url, threadId: this.names.thread, headers, fetch: fetchHere });
    this.agent.addMessage({ id: "mine", role: "user", content: this.key });
    let ended = false;
    try {
      await this.agent.runAgent({}, {
        onRunErrorEvent: ({ event }) => { this.reported = event.message; }, onRunFinishedEvent: () => { ended = true; },
      });
    } catch (err) {
      return this.reported ?? err.message;
    }
    return this.reported ?? (ended ? undefined : "the run has no end");
  }

  shown() {
    return shown(this.agent);
  }
}

// shown is what the user sees of an agent of AG-UI's.
export function shown(agent) {
  return (agent?.messages ?? []).filter((m) => m.role === "assistant").map((m) => m.content ?? "").join("");
}
