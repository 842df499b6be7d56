// Anthropic's SDK: the application keeps the messages and runs the tools.
import { askUser, kept } from "./talk.mjs";

const tools = [{ name: askUser.name, description: askUser.description, input_schema: askUser.schema }];

export function anthropicClient({ name, Anthropic }) {
  return { name, dialect: "anthropic", can: { bring: true, decide: false }, open: (url) => new Talk(Anthropic, url) };
}

class Talk {
  messages = [];
  calls = [];

  constructor(Anthropic, url) {
    this.client = new Anthropic({ apiKey: "conformance", baseURL: url, maxRetries: 0 });
  }

  say(content) {
    this.messages.push({ role: "user", content });
    return this.run("");
  }

  answer(content) {
    this.messages.push({ role: "user", content: this.calls.map((c) => ({ type: "tool_result", tool_use_id: c.id, content })) });
    return this.run(this.text);
  }

  regenerate() {
    this.messages.length = this.messages.findLastIndex(saidByUser) + 1;
    return this.run("");
  }

  edit(content) {
    this.messages.length = this.messages.indexOf(this.messages.filter(saidByUser).at(-2));
    return this.say(content);
  }

  reload() {
    this.messages = kept(this.messages);
  }

  stop() {
    this.stopped = true;
    this.stream.abort();
  }

  shown() {
    return this.text ?? "";
  }

  async run(before) {
    Object.assign(this, { text: before, stopped: false, calls: [] });
    let failed;
    this.stream = this.client.messages.stream({ model: "scripted", max_tokens: 1024, messages: this.messages, tools });
    this.stream.on("text", (delta) => { this.text += delta; });
    try {
      const { role, content } = await this.stream.finalMessage();
      this.messages.push({ role, content });
      this.calls = content.filter((b) => b.type === "tool_use");
    } catch (err) {
      if (this.stopped) this.messages.push({ role: "assistant", content: this.text });
      else failed = err.message;
    }
    return this.seen(failed);
  }

  seen(failed) {
    return {
      text: this.text, calls: this.calls.map((c) => ({ name: c.name, args: c.input })), questions: [], failed,
      turns: this.messages.filter(saidByUser).length,
    };
  }
}

const saidByUser = (m) => m.role === "user" && typeof m.content === "string";
