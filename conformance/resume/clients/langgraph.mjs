// LangGraph's SDK: its loop over the events of a run goes on over breaks by itself.
export function langgraphClient({ name, Client }) {
  return { name, dialect: "langgraph", back: "by itself: `Location` with `Last-Event-ID`; `joinStream`, `join`", stranger: 404, open: (target) => new Talk(Client, target) };
}

const streamMode = ["messages-tuple", "values"];

class Talk {
  text = "";
  names = {};

  constructor(Client, { url, key, principal }) {
    this.client = new Client({ apiUrl: url, apiKey: null, defaultHeaders: { authorization: principal }, callerOptions: { maxRetries: 0 } });
    this.key = key;
  }

  async read() {
    const { thread_id: thread } = await this.client.threads.create();
    this.names.thread = thread;
    return this.take(this.client.runs.stream(thread, "agent", {
      input: { messages: [{ type: "human", content: this.key }] }, streamMode, onRunCreated: ({ run_id }) => { this.names.run = run_id; },
    }));
  }

  // come reads the stream of the run, and waits for its last state, which must say the same.
  async come({ thread, run }) {
    const joined = this.client.runs.join(thread, run).catch((err) => ({ failed: err.message }));
    const { text, failed } = await this.take(this.client.runs.joinStream(thread, run, { streamMode, lastEventId: "-1" }));
    const state = await joined;
    const wrong = textOf(state.messages?.at(-1).content ?? "") !== text ? `the last state is ${JSON.stringify(state)}` : undefined;
    return { text, failed: failed ?? state.failed ?? wrong };
  }

  async take(events) {
    let failed = "the stream ends before the run does";
    try {
      for await (const { event, data } of events) {
        if (event === "error") throw new Error(data.message);
        if (event === "messages" && data[0].type !== "human") this.text += textOf(data[0].content);
        if (event === "end") failed = data.status === "success" ? undefined : data.status;
      }
    } catch (err) {
      failed = err.message;
    }
    return { text: this.text, failed };
  }

  shown() {
    return this.text;
  }
}

const textOf = (content) => (typeof content === "string" ? content : content.map((block) => block.text ?? "").join(""));
