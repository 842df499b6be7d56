// Anthropic's SDK with message threads: the SDK sends what is new, without instructions and tools, and the server keeps the rest.
import { askUser, kept } from "./talk.mjs";

const tools = [{ name: askUser.name, description: askUser.description, input_schema: askUser.schema }];

export function anthropicThreadsClient({ name, Anthropic, agents }) {
  return { name, agents, dialect: "anthropic", can: { bring: true, decide: false, regenerate: false }, open: (url) => new Talk(Anthropic, url) };
}

class Talk {
  users = 0;
  calls = [];
  begun = 0;
  may = 1; // begin

  constructor(Anthropic, url) {
    const counted = (target, init) => {
      if (JSON.parse(init.body).thread.type === "create") this.begun += 1;
      return fetch(target, init);
    };
    this.client = new Anthropic({ apiKey: "conformance", baseURL: url, maxRetries: 0, fetch: counted });
    this.thread = this.client.beta.messages.thread({ model: "scripted", max_tokens: 1024, tools });
  }

  say(content) {
    this.users += 1;
    return this.run({ role: "user", content }, "");
  }

  answer(content) {
    return this.run({ role: "user", content: this.calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content })) }, this.text);
  }

  // reload begins with the whole conversation, as the SDK hands it out to be stored.
  reload() {
    this.may += 1;
    this.thread = this.client.beta.messages.thread(kept(this.thread.params));
  }

  stop() {
    this.stopped = true;
    this.stream.abort();
  }

  shown() {
    return this.text ?? "";
  }

  async run(message, before) {
    const stopped = this.stopped;
    Object.assign(this, { text: before, stopped: false, calls: [] });
    let failed;
    this.stream = this.thread.stream(message);
    this.stream.on("text", (delta) => { this.text += delta; });
    try {
      this.calls = (await this.stream.finalMessage()).content.filter((b) => b.type === "tool_use");
    } catch (err) {
      if (!this.stopped) failed = err.message;
    }
    if (this.begun > this.may + (stopped ? 1 : 0)) failed ??= "the SDK has begun the thread anew";
    return { text: this.text, calls: this.calls.map((c) => ({ name: c.name, args: c.input })), questions: [], failed, turns: this.users };
  }
}
