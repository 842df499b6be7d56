// The openai package with Chat Completions: the application keeps the messages and runs the tools.
import { askUser, kept } from "./talk.mjs";

const tools = [{ type: "function", function: { name: askUser.name, description: askUser.description, parameters: askUser.schema } }];

export function openaiChatClient({ name, OpenAI }) {
  return { name, dialect: "openai-chat", can: { bring: true, decide: false }, open: (url) => new Talk(OpenAI, url) };
}

class Talk {
  messages = [];

  constructor(OpenAI, url) {
    this.client = new OpenAI({ apiKey: "conformance", baseURL: `${url}/v1`, maxRetries: 0 });
  }

  say(content) {
    this.messages.push({ role: "user", content });
    return this.run("");
  }

  answer(content) {
    for (const call of this.messages.at(-1).tool_calls) this.messages.push({ role: "tool", tool_call_id: call.id, content });
    return this.run(this.text);
  }

  regenerate() {
    this.messages.length = this.messages.findLastIndex((m) => m.role === "user") + 1;
    return this.run("");
  }

  edit(content) {
    this.messages.length = this.messages.indexOf(this.messages.filter((m) => m.role === "user").at(-2));
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
    this.text = before;
    this.stopped = false;
    let failed;
    this.stream = this.client.chat.completions.stream({ model: "scripted", messages: this.messages, tools });
    this.stream.on("content", (delta) => { this.text += delta; });
    try {
      this.messages.push(await this.stream.finalMessage());
    } catch (err) {
      if (this.stopped) this.messages.push({ role: "assistant", content: this.text });
      else failed = err.message;
    }
    return this.seen(failed);
  }

  seen(failed) {
    const calls = this.messages.at(-1).tool_calls ?? [];
    return {
      text: this.text, calls: calls.map((c) => ({ name: c.function.name, args: JSON.parse(c.function.arguments) })), questions: [], failed,
      turns: this.messages.filter((m) => m.role === "user").length,
    };
  }
}
