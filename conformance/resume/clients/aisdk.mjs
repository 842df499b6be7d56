// The chat that useChat of every framework runs. useChat({resume: true}) calls resumeStream when a page is loaded.
//
// copied: the agent speaks the same protocol. There is no snapshot of its records.
export function aisdkClient({ name, ai, version, reload = true, copied = false }) {
  return {
    name, dialect: "aisdk", options: { version }, stranger: 204, copied, counts: copied, open: (target) => new Talk(ai, target, reload),
    back: reload ? "a page that is loaded anew: a new chat with `resumeStream`" : "`resumeStream` of the same chat",
  };
}

class Talk {
  constructor(ai, { url, key, principal }, reload) {
    Object.assign(this, { ai, url, key, principal, reload, names: { chat: crypto.randomUUID() } });
  }

  async read() {
    this.chat = this.load(this.names.chat, []);
    await this.chat.sendMessage({ text: this.key });
    const asked = this.chat.messages.slice(0, 1); // what a page has of its server's when it is loaded
    for (let n = 0; this.broken() && n < 5; n++) {
      if (this.reload) this.chat = this.load(this.names.chat, asked);
      await this.chat.resumeStream();
    }
    return this.result();
  }

  async come({ chat }) {
    this.chat = this.load(chat, [{ id: "mine", role: "user", parts: [{ type: "text", text: this.key }] }]);
    await this.chat.resumeStream();
    return this.result();
  }

  load(id, messages) {
    class Chat extends this.ai.AbstractChat {}
    const transport = new this.ai.DefaultChatTransport({ api: this.url, headers: { authorization: this.principal } });
    this.finished = undefined;
    return new Chat({ id, state: newState(messages), transport, onFinish: (about) => { this.finished = about; } });
  }

  broken() {
    return this.chat.status === "error" && (this.chat.error instanceof TypeError);
  }

  result() {
    const { isAbort, isDisconnect, isError } = this.finished ?? {};
    const nothing = !this.chat.messages.some((m) => m.role === "assistant");
    const failed = this.chat.error?.message ?? (nothing ? "there is nothing" : isAbort || isDisconnect || isError ? "it is cut" : undefined);
    return { text: this.shown(), failed };
  }

  shown() {
    const answers = (this.chat?.messages ?? []).filter((m) => m.role === "assistant");
    return answers.flatMap((m) => m.parts).filter((p) => p.type === "text").map((p) => p.text).join("");
  }
}

function newState(messages) {
  return {
    status: "ready", error: undefined, messages,
    pushMessage(m) { this.messages = this.messages.concat(m); },
    popMessage() { this.messages = this.messages.slice(0, -1); },
    replaceMessage(at, m) { this.messages = this.messages.with(at, structuredClone(m)); },
    snapshot: (v) => structuredClone(v),
  };
}
