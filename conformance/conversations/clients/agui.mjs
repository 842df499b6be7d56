// AG-UI's HttpAgent, as an application uses it that keeps no messages of its own.
import { askUser, counting, kept } from "./talk.mjs";

const tools = [{ name: askUser.name, description: askUser.description, parameters: askUser.schema }];

export function aguiClient({ name, HttpAgent }) {
  return { name, dialect: "agui", can: { bring: true, decide: true, form: true }, open: (url) => new Talk(HttpAgent, url) };
}

class Talk {
  ids = 0;

  constructor(HttpAgent, url) {
    Object.assign(this, { HttpAgent, url });
    this.begin(crypto.randomUUID(), []);
  }

  begin(threadId, initialMessages) {
    this.agent = new this.HttpAgent({ url: this.url, threadId, initialMessages, fetch: counting() });
  }

  say(content) {
    this.agent.addMessage({ id: this.id(), role: "user", content });
    return this.run({ resume: withdrawn(this.agent) });
  }

  answer(content) {
    for (const call of openCalls(this.agent)) this.agent.addMessage({ id: this.id(), role: "tool", toolCallId: call.id, content });
    return this.run();
  }

  decide(...yes) {
    return this.run({ resume: decisions(this.agent, yes) });
  }

  reply(text) {
    return this.run({ resume: replies(this.agent, text) });
  }

  regenerate() {
    this.agent.setMessages(before(this.agent, -1, 1));
    return this.run();
  }

  edit(content) {
    this.agent.setMessages(before(this.agent, -2));
    return this.say(content);
  }

  reload() {
    const { threadId, messages, pendingInterrupts } = kept(this.agent);
    this.begin(threadId, messages);
    this.agent.pendingInterrupts = pendingInterrupts;
  }

  stop() {
    this.agent.abortRun();
  }

  shown() {
    return shown(this.agent);
  }

  id() {
    return `mine-${++this.ids}`;
  }

  async run(more = {}) {
    let failed;
    try {
      await this.agent.runAgent({ tools, ...more }, { onRunErrorEvent: ({ event }) => { failed = event.message; } });
    } catch (err) {
      failed = err.message;
    }
    return seen(this.agent, failed);
  }
}

// seen is what the user sees of an agent of AG-UI's client.
export function seen(agent, failed) {
  return {
    text: shown(agent), calls: openCalls(agent).map((c) => ({ name: c.function.name, args: JSON.parse(c.function.arguments) })),
    questions: questions(agent).map((q) => q.id), failed, turns: agent.messages.filter((m) => m.role === "user").length,
  };
}

export function shown(agent) {
  return latest(agent).filter((m) => m.role === "assistant").map((m) => m.content ?? "").join("");
}

export function decisions(agent, yes) {
  return questions(agent).map((q, i) => ({ interruptId: q.id, status: "resolved", payload: { approved: yes[i] } }));
}

// withdrawn are the answers of a user who says something else: the client wants one to each question that it knows to be open.
export function withdrawn(agent) {
  const all = questions(agent).map((q) => ({ interruptId: q.id, status: "cancelled" }));
  return all.length > 0 ? all : undefined;
}

export function replies(agent, payload) {
  return questions(agent).map((q) => ({ interruptId: q.id, status: "resolved", payload }));
}

// before are the messages before the nth turn of the user's, counted from the end, and some more.
export function before({ messages }, nth, more = 0) {
  const turn = messages.filter((m) => m.role === "user").at(nth);
  return messages.slice(0, messages.indexOf(turn) + more);
}

function latest({ messages }) {
  return messages.slice(messages.findLastIndex((m) => m.role === "user") + 1);
}

const questions = (agent) => agent.pendingInterrupts ?? [];

// openCalls are unanswered, and no question is about them.
function openCalls(agent) {
  const answered = new Set(latest(agent).filter((m) => m.role === "tool").map((m) => m.toolCallId));
  const inQuestion = new Set(questions(agent).map((q) => q.toolCallId));
  return latest(agent).flatMap((m) => m.toolCalls ?? []).filter((c) => !answered.has(c.id) && !inQuestion.has(c.id));
}
