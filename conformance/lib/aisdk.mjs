// What a client of the AI SDK makes of a stream. The reader is the chat that useChat of every framework runs, with the
// transport that it has by default; only the messages that it shows are compared.
import { canonical, harmless, same, wellFormed } from "./texts.mjs";

export function aisdkClient({ name, version, AbstractChat, DefaultChatTransport }) {
  return {
    name,
    dialect: "aisdk",
    // A stream for clients of a later version holds what this one need not know.
    takes: (c) => Number(c.version ?? 5) <= version,
    read: (url) => read(newChat(AbstractChat), DefaultChatTransport, url),
    differences,
    toleratedWhenMutated: [],
  };
}

function newChat(AbstractChat) {
  class State {
    status = "ready";
    error = undefined;
    messages = [];
    pushMessage = (m) => { this.messages = [...this.messages, m]; };
    popMessage = () => { this.messages = this.messages.slice(0, -1); };
    replaceMessage = (i, m) => { this.messages = this.messages.with(i, structuredClone(m)); };
    snapshot = (v) => structuredClone(v);
  }
  return class extends AbstractChat {
    constructor(init) {
      super({ ...init, state: new State() });
    }
  };
}

async function read(Chat, DefaultChatTransport, url) {
  const understood = { toRun: [], notes: [], finished: 0 };
  const chat = new Chat({
    transport: new DefaultChatTransport({ api: url }),
    onToolCall: ({ toolCall }) => { understood.toRun.push(toolCall.toolCallId); },
    onData: (part) => { understood.notes.push(part); },
    onFinish: () => { understood.finished++; },
  });
  await chat.sendMessage({ text: "hello" });
  understood.status = chat.status;
  understood.error = chat.error?.message ?? "";
  understood.messages = chat.messages.slice(1);
  return understood;
}

export function differences(want, got) {
  const faults = [];
  if (got.messages.length > 1) faults.push(`${got.messages.length} messages are shown for one answer`);
  if (got.messages.some((m) => m.role !== "assistant")) faults.push("a message of the answer is not the agent's");
  const parts = got.messages.flatMap((m) => m.parts);
  texts("answers", want.answers, parts.filter((p) => p.type === "text"), faults);
  texts("reasoning", want.reasoning, parts.filter((p) => p.type === "reasoning"), faults);
  tools(want, parts.filter((p) => p.type === "dynamic-tool" || p.type.startsWith("tool-")), got, faults);
  usage(want, got, parts, faults);
  ending(want, got, parts, faults);
  return faults;
}

// texts compares parts. The end of a step may have cut one in two.
function texts(what, want, parts, faults) {
  const got = parts.map((p) => wellFormed(p.text)).filter(Boolean);
  if (got.join("") !== want.join("") || got.length < want.length) {
    faults.push(`${what}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
  }
  if (parts.some((p) => p.state !== "done")) faults.push(`${what}: a part did not end`);
}

function tools(want, parts, got, faults) {
  const ids = (list) => JSON.stringify(list.map((id) => wellFormed(id)));
  if (ids(want.tools.map((t) => t.id)) !== ids(parts.map((p) => p.toolCallId))) {
    faults.push(`tools: want ${ids(want.tools.map((t) => t.id))}, got ${ids(parts.map((p) => p.toolCallId))}`);
    return;
  }
  want.tools.forEach((t, i) => tool(t, parts[i], got.toRun.includes(parts[i].toolCallId), faults));
}

function tool(t, part, toRun, faults) {
  const fault = (text) => faults.push(`tool ${t.id}: ${text}`);
  const name = part.toolName ?? part.type.slice("tool-".length);
  if (name !== t.name) fault(`want the name ${t.name}, got ${name}`);
  const input = part.input === undefined ? part.rawInput : part.input; // what was refused is not taken for input by all releases
  if (!sameValue(t.args, input)) fault(`want the arguments ${t.args}, got ${JSON.stringify(input)}`);
  if (!t.undecided && toRun !== Boolean(t.client_runs && !t.invalid)) fault(`the client was ${toRun ? "" : "not "}asked to run it`);
  const answered = part.state === "output-available" || part.state === "output-error"; // only then an agent is known to run it
  const agents = t.undecided ? answered : !t.client_runs;
  if (part.state !== "output-denied" && Boolean(part.providerExecuted) !== agents) fault(`providerExecuted is ${part.providerExecuted}`);
  if (part.state === "input-streaming") fault("its arguments did not end");
  if (part.preliminary && part.state === "output-available") fault("its output did not end");
  if (t.client_runs && t.invalid) {
    if (part.state !== "output-error") fault(`its arguments are no JSON, but its state is ${part.state}`);
    return;
  }
  const result = { "output-available": part.output, "output-error": part.errorText, "output-denied": "" }[part.state];
  if (!t.answered) {
    if (result !== undefined && part.state !== "output-error") fault(`want no result, got ${JSON.stringify(result)}`);
  } else if (result === undefined) {
    fault(`want the result ${t.result}, got the state ${part.state}`);
  } else if (!t.any_text && t.result !== "" && part.state !== "output-denied" && !sameValue(t.result, result)) {
    fault(`want the result ${t.result}, got ${JSON.stringify(result)}`);
  }
  if (Boolean(t.failed) !== (part.state === "output-error" || part.state === "output-denied") && t.answered) {
    fault(`want ${t.failed ? "a failure" : "success"}, got the state ${part.state}`);
  }
}

// sameValue compares text that may be JSON with a value.
function sameValue(want, got) {
  if (typeof got === "string" && same(want, got)) return true;
  const text = JSON.stringify(got);
  return same(want, text) || same(harmless(want), text);
}

// usage looks for the totals of the run, in a data part or in the metadata of the message.
function usage(want, { messages }, parts, faults) {
  const total = want.usage?.run;
  if (!total) return;
  const part = parts.findLast((p) => p.type === "data-usage" && p.data.scope === "run");
  const got = part?.data ?? messages[0]?.metadata?.usage ?? {};
  for (const [name, member] of [["in", "inputTokens"], ["out", "outputTokens"], ["total", "totalTokens"]]) {
    if (total[name] !== undefined && total[name] !== got[member]) faults.push(`usage ${name}: want ${total[name]}, got ${got[member]}`);
  }
}

function ending(want, got, parts, faults) {
  const status = want.end === "error" && !want.cancelled ? "error" : "ready";
  if (got.status !== status) faults.push(`status: want ${status}, got ${got.status} ${got.error}`);
  if (status === "error" && want.message && got.error !== want.message) {
    faults.push(`error: want ${want.message}, got ${got.error}`);
  }
  if (want.end !== "interrupt") return;
  const answered = parts.filter((p) => p.type === "data-answer").map((p) => p.id);
  const asked = parts.flatMap((p) => {
    if (p.type === "data-ask") return answered.includes(p.id) ? [] : [p.id];
    return p.state === "approval-requested" ? [p.approval.id] : [];
  });
  if (canonical([...asked].sort()) !== canonical([...want.interrupts].sort())) {
    faults.push(`questions: want ${JSON.stringify(want.interrupts)}, got ${JSON.stringify(asked)}`);
  }
}
