// The chats of Google's SDK, which keep the history: what was streamed comes back chunk by chunk. A turn that was given up is not in it.
import { askUser, kept } from "./talk.mjs";

const tools = [{ functionDeclarations: [{ name: askUser.name, description: askUser.description, parametersJsonSchema: askUser.schema }] }];

export function geminiClient({ name, GoogleGenAI }) {
  return { name, dialect: "gemini", can: { bring: true, decide: false }, forgets: true, open: (url) => new Talk(GoogleGenAI, url) };
}

class Talk {
  constructor(GoogleGenAI, url) {
    this.ai = new GoogleGenAI({ apiKey: "conformance", httpOptions: { baseUrl: url } });
    this.chat = this.newChat([]);
  }

  newChat(history) {
    return this.ai.chats.create({ model: "scripted", history });
  }

  say(message) {
    return this.run(message, "");
  }

  answer(output) {
    const message = this.calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output } } }));
    return this.run(message, this.text);
  }

  regenerate() {
    const history = this.chat.getHistory();
    const at = history.findLastIndex(saidByUser);
    this.chat = this.newChat(history.slice(0, at));
    return this.run(history[at].parts, "");
  }

  edit(text) {
    const history = this.chat.getHistory();
    this.chat = this.newChat(history.slice(0, history.indexOf(history.filter(saidByUser).at(-2))));
    return this.say(text);
  }

  reload() {
    this.chat = this.newChat(kept(this.chat.getHistory()));
  }

  stop() {
    this.stopped = true;
    this.aborter.abort();
  }

  shown() {
    return this.text ?? "";
  }

  async run(message, before) {
    Object.assign(this, { text: before, stopped: false, calls: [], aborter: new AbortController() });
    let failed;
    try {
      const stream = await this.chat.sendMessageStream({ message, config: { tools, abortSignal: this.aborter.signal } });
      for await (const chunk of stream) this.note(chunk);
    } catch (err) {
      if (!this.stopped) failed = err.message;
    }
    return this.seen(failed);
  }

  note({ candidates: [{ content }] }) {
    for (const part of content?.parts ?? []) {
      if (part.functionCall) this.calls.push(part.functionCall);
      else if (!part.thought) this.text += part.text ?? "";
    }
  }

  seen(failed) {
    return {
      text: this.text, calls: this.calls.map(({ name, args }) => ({ name, args })), questions: [], failed,
      turns: this.chat.getHistory().filter(saidByUser).length,
    };
  }
}

const saidByUser = (c) => c.role === "user" && c.parts.some((p) => p.text !== undefined);
