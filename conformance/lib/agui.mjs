// What an AG-UI client makes of a stream. The reader is the stock HttpAgent, with all its checks; the subscriber only
// notes what the agent was given.

import { same, wellFormed } from "./texts.mjs";

export function aguiClient({ name, HttpAgent }) {
  return {
    name,
    dialect: "agui",
    read: (url) => read(HttpAgent, url),
    differences,
    // A patch that no longer applies, because the damage took what it applies to, is reported to the developer.
    toleratedWhenMutated: [/^Failed to apply (state|activity) patch/],
  };
}

async function read(HttpAgent, url) {
  const understood = newUnderstanding();
  const agent = new HttpAgent({ url, threadId: "conformance" });
  let failed;
  await agent.runAgent(
    { runId: "conformance-run" },
    {
      onEvent: ({ event }) => note(understood, event),
      onRunFailed: ({ error }) => { failed = error; },
    },
  );
  if (failed) throw failed;
  understood.messages = agent.messages;
  understood.pending = (agent.pendingInterrupts ?? []).map((i) => i.id);
  return understood;
}

function newUnderstanding() {
  return {
    texts: new Map(), reasoning: new Map(), tools: new Map(), results: new Map(),
    agents: [], steps: 0, end: "", message: "", code: "", interrupts: [], snapshot: false,
  };
}

const handlers = {
  TEXT_MESSAGE_START: (u, e) => {
    if (!u.texts.has(e.messageId)) u.texts.set(e.messageId, { role: e.role ?? "assistant", text: "" });
  },
  TEXT_MESSAGE_CONTENT: (u, e) => { u.texts.get(e.messageId).text += e.delta; },
  REASONING_MESSAGE_START: (u, e) => {
    if (!u.reasoning.has(e.messageId)) u.reasoning.set(e.messageId, { text: "" });
  },
  REASONING_MESSAGE_CONTENT: (u, e) => { u.reasoning.get(e.messageId).text += e.delta; },
  TOOL_CALL_START: (u, e) => { u.tools.set(e.toolCallId, { id: e.toolCallId, name: e.toolCallName, args: "" }); },
  TOOL_CALL_ARGS: (u, e) => { u.tools.get(e.toolCallId).args += e.delta; },
  TOOL_CALL_RESULT: (u, e) => { u.results.set(e.toolCallId, e.content); },
  SUBAGENT_STARTED: (u, e) => { u.agents.push(e.name); },
  STEP_STARTED: (u) => { u.steps++; },
  MESSAGES_SNAPSHOT: (u) => { u.snapshot = true; },
  RUN_FINISHED: (u, e) => {
    u.end = e.outcome?.type === "interrupt" ? "interrupt" : "success";
    u.interrupts = (e.outcome?.interrupts ?? []).map((i) => i.id);
  },
  RUN_ERROR: (u, e) => { Object.assign(u, { end: "error", message: e.message, code: e.code ?? "" }); },
};

function note(understood, event) {
  handlers[event.type]?.(understood, event);
}

// differences lists what the client understood otherwise than the canonical stream says it.
export function differences(want, got, theCase) {
  const faults = [];
  const differ = (what, a, b) => {
    if (JSON.stringify(a) !== JSON.stringify(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const texts = (role) => [...got.texts.values()].filter((t) => role.includes(t.role)).map((t) => wellFormed(t.text)).filter(Boolean);
  differ("answers", want.answers, texts(["assistant"]));
  differ("texts of the user", want.users, texts(["user"]));
  differ("instructions", want.others, texts(["system", "developer"]));
  differ("reasoning", want.reasoning, [...got.reasoning.values()].map((t) => wellFormed(t.text)).filter(Boolean));
  differ("end", want.end, got.end);
  if (want.message) differ("message of the error", want.message, got.message);
  if (want.code) differ("code of the error", want.code, got.code);
  differ("interrupts", want.interrupts, got.interrupts);
  if (want.end === "interrupt") differ("pending interrupts", want.interrupts, got.pending);
  tools(want, got, faults);
  if (!theCase.flat) {
    differ("sub-agents", want.agents, got.agents);
    differ("steps", want.steps, got.steps);
  }
  if (!got.snapshot) messages(got, faults);
  return faults;
}

function tools(want, got, faults) {
  const calls = want.tools.filter((t) => !t.resumed);
  const ids = (list) => JSON.stringify(list.map((t) => wellFormed(t.id)));
  const suffix = [...got.tools.keys()];
  const tagged = calls.length > 0 && calls.every((t, i) => suffix[i]?.endsWith("-" + t.id));
  if (!tagged && ids(calls) !== ids([...got.tools.values()])) {
    faults.push(`tools: want ${ids(calls)}, got ${ids([...got.tools.values()])}`);
    return;
  }
  for (const t of want.tools) {
    const id = tagged ? suffix[calls.indexOf(t)] : t.id;
    const call = got.tools.get(id);
    if (!t.resumed && (call.name !== t.name || !same(call.args, t.args))) {
      faults.push(`tool ${t.id}: want ${t.name} ${t.args}, got ${call.name} ${call.args}`);
    }
    const result = got.results.get(id);
    const empty = t.failed && !t.answered && result === ""; // of an aborted call: without one it would be left to the client
    if (t.answered !== (result !== undefined) && !empty) faults.push(`tool ${t.id}: want ${t.answered ? "a" : "no"} result, got ${result}`);
    else if (t.denied && t.result === "") said(t, result, faults);
    else if (t.answered && !t.any_text && !same(result, t.result)) faults.push(`tool ${t.id}: want the result ${t.result}, got ${result}`);
  }
}

// said checks that a call which was not allowed does not look like one that had nothing to say.
function said(t, result, faults) {
  if (result === "") faults.push(`tool ${t.id}: its result does not say that it was not allowed`);
}

// messages checks that the state the client ends with is what its events said: nothing was joined that is not one.
function messages(got, faults) {
  const byID = new Map(got.messages.map((m) => [m.id, m]));
  if (byID.size !== got.messages.length) faults.push("two messages have one id");
  for (const [id, { text }] of [...got.texts, ...got.reasoning]) {
    const m = byID.get(id);
    if ((m?.content ?? "") !== text) faults.push(`message ${id} holds ${JSON.stringify(m?.content)}, but was sent ${JSON.stringify(text)}`);
  }
  for (const id of got.texts.keys()) {
    if (got.reasoning.has(id)) faults.push(`text and reasoning share the message ${id}`);
  }
  const held = got.messages.flatMap((m) => m.toolCalls ?? []);
  for (const { id, args } of got.tools.values()) {
    const calls = held.filter((c) => c.id === id);
    if (calls.length !== 1 || calls[0].function.arguments !== args) faults.push(`the messages hold call ${id} ${calls.length} times`);
  }
  for (const [id, content] of got.results) {
    const m = got.messages.filter((m) => m.role === "tool" && m.toolCallId === id);
    if (m.length !== 1 || m[0].content !== content) faults.push(`the messages hold ${m.length} results of call ${id}`);
  }
}
