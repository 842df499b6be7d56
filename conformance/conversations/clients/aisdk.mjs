// The chat that useChat of every framework runs, with the transport and the automatic next steps that applications give it.
import { counting, kept, sleep } from "./talk.mjs";

// connect makes the transport for a URL; without it, each turn is posted. agents are those that it is tried with, all if there are none.
export function aisdkClient({ name, ai, version, agents, connect = (url) => new ai.DefaultChatTransport({ api: url, fetch: counting() }) }) {
  const decides = ai.lastAssistantMessageIsCompleteWithApprovalResponses !== undefined;
  return { name, agents, dialect: "aisdk", options: { version }, can: { bring: false, decide: decides }, open: (url) => new Talk(ai, () => connect(url)) };
}

class Talk {
  constructor(ai, connect) {
    Object.assign(this, { ai, connect });
    this.begin(crypto.randomUUID(), []);
  }

  begin(id, messages) {
    const { ai } = this;
    class Chat extends ai.AbstractChat {}
    this.close();
    this.transport = this.connect();
    this.chat = new Chat({
      id, state: newState(messages), transport: this.transport,
      sendAutomaticallyWhen: (state) => ai.lastAssistantMessageIsCompleteWithToolCalls(state) ||
        Boolean(ai.lastAssistantMessageIsCompleteWithApprovalResponses?.(state)),
    });
  }

  async say(text) {
    await this.chat.sendMessage({ text });
    return this.seen();
  }

  async answer(output) {
    for (const p of this.parts().filter(toRun)) await this.chat.addToolOutput({ tool: nameOf(p), toolCallId: p.toolCallId, output });
    return this.seen();
  }

  async decide(...yes) {
    const questions = this.parts().filter(asked);
    for (const [i, p] of questions.entries()) await this.chat.addToolApprovalResponse({ id: p.approval.id, approved: yes[i] });
    return this.seen();
  }

  async regenerate() {
    await this.chat.regenerate();
    return this.seen();
  }

  async edit(text) {
    await this.chat.sendMessage({ text, messageId: this.chat.messages.filter((m) => m.role === "user").at(-2).id });
    return this.seen();
  }

  reload() {
    this.begin(this.chat.id, kept(this.chat.messages));
  }

  stop() {
    return this.chat.stop();
  }

  close() {
    this.transport?.close?.();
  }

  shown() {
    return this.parts().filter((p) => p.type === "text").map((p) => p.text).join("");
  }

  parts() {
    const { messages } = this.chat;
    return messages.slice(messages.findLastIndex((m) => m.role === "user") + 1).flatMap((m) => m.parts);
  }

  // seen waits until the chat has made no request of its own any more.
  async seen() {
    for (let quiet = 0; quiet < 2; await sleep(3)) quiet = ["submitted", "streaming"].includes(this.chat.status) ? 0 : quiet + 1;
    return {
      text: this.shown(), calls: this.parts().filter(toRun).map((p) => ({ name: nameOf(p), args: p.input })),
      questions: this.parts().filter(asked).map((p) => p.approval.id), failed: this.chat.error?.message,
      turns: this.chat.messages.filter((m) => m.role === "user").length,
    };
  }
}

const toRun = (p) => p.toolCallId && p.state === "input-available" && !p.providerExecuted;
const asked = (p) => p.state === "approval-requested";
const nameOf = (p) => p.toolName ?? p.type.slice("tool-".length);

function newState(messages) {
  return {
    status: "ready", error: undefined, messages,
    pushMessage(m) { this.messages = this.messages.concat(m); },
    popMessage() { this.messages = this.messages.slice(0, -1); },
    replaceMessage(at, m) { this.messages = this.messages.with(at, structuredClone(m)); },
    snapshot: (v) => structuredClone(v),
  };
}
