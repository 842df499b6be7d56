// What the LangGraph SDK makes of a run stream. The reader is Client.runs.stream with the StreamManager and the
// MessageTupleManager behind it: what useStream runs, but for React.
import { same, wellFormed } from "./texts.mjs";

export function langgraphClient({ name, Client, StreamManager, MessageTupleManager }) {
  return {
    name,
    dialect: "langgraph",
    // useStream does not read the mode messages, which older clients ask for.
    takes: (c) => c.control || !c.body.includes("event: messages/partial"),
    read: (url) => read(Client, StreamManager, MessageTupleManager, url),
    differences,
    toleratedWhenMutated: [],
  };
}

async function read(Client, StreamManager, MessageTupleManager, url) {
  const understood = { agents: [], steps: 0, end: "", error: "" };
  const client = new Client({ apiUrl: url, callerOptions: { maxRetries: 0, fetch: (_, init) => fetch(url, init) } });
  const manager = new StreamManager(new MessageTupleManager(), { throttle: false });
  const quiet = console.error;
  console.error = (...args) => { // the manager prints what a run failed with; that is no complaint about the stream
    if (args[0] !== manager.error && args[0]?.constructor?.name !== "StreamError") quiet(...args);
  };
  try {
    await new Promise((resolve) => manager.start((signal) => noted(client.runs.stream(null, "agent", { input: {}, signal }), understood), {
      getMessages: (values) => (Array.isArray(values.messages) ? values.messages : []),
      setMessages: (values, messages) => ({ ...values, messages }),
      initialValues: {},
      callbacks: {},
      onSuccess: () => undefined,
      onError: () => undefined,
      onFinish: resolve,
    }));
  } finally {
    console.error = quiet;
  }
  if (manager.error && manager.error.constructor?.name !== "StreamError") throw manager.error;
  understood.error = manager.error?.message;
  understood.code = manager.error?.name;
  understood.values = manager.values ?? {};
  return understood;
}

// noted passes the events on to the manager, and notes those that it has no place for.
async function* noted(stream, understood) {
  for await (const part of stream) {
    const [event] = part.event.split("|");
    if (event === "lifecycle" && part.data.event === "started") understood.agents.push(part.data.graph_name);
    if (event === "tasks" && !("result" in part.data) && !("error" in part.data)) understood.steps++;
    if (part.event === "end") understood.end = part.data?.status ?? "";
    yield part;
  }
}

export function differences(want, got) {
  const faults = [];
  const messages = got.values.messages ?? [];
  const ofType = (type) => messages.filter((m) => m.type === type);
  texts("answers", want.answers, ofType("ai").map(answerOf), faults);
  texts("reasoning", want.reasoning, ofType("ai").map(reasoningOf), faults);
  texts("texts of the user", want.users, ofType("human").map(answerOf), faults);
  texts("instructions", want.others, ofType("system").map(answerOf), faults);
  if (new Set(messages.map((m) => m.id)).size !== messages.length) faults.push("two messages have one id");
  tools(want, ofType("ai"), ofType("tool"), faults);
  usage(want, ofType("ai"), faults);
  const equal = (what, a, b) => {
    if (JSON.stringify(a) !== JSON.stringify(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  equal("sub-agents", want.agents, got.agents);
  equal("steps", want.steps, got.steps);
  ending(want, got, equal);
  return faults;
}

const blocks = (m) => (Array.isArray(m.content) ? m.content : [{ type: "text", text: m.content ?? "" }]);
const answerOf = (m) => wellFormed(blocks(m).map((b) => (b.type === "text" ? b.text : "")).join(""));
const reasoningOf = (m) => wellFormed(blocks(m).map((b) => (b.type === "reasoning" ? b.reasoning : "")).join(""));

// texts finds each part in a message, in the order of the parts of that message. Nothing may be left.
function texts(what, want, got, faults) {
  const rest = [...got];
  for (const part of want) {
    const i = rest.findIndex((text) => text.startsWith(part));
    if (i >= 0) rest[i] = rest[i].slice(part.length);
    else return faults.push(`${what}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
  }
  if (rest.some(Boolean)) faults.push(`${what}: want only ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
}

function tools(want, answers, results, faults) {
  const calls = new Map(answers.flatMap(callsOf));
  const made = want.tools.filter((t) => !t.resumed).map((t) => wellFormed(t.id)).sort();
  if (JSON.stringify(made) !== JSON.stringify([...calls.keys()].sort())) {
    faults.push(`tools: want ${JSON.stringify(made)}, got ${JSON.stringify([...calls.keys()])}`);
    return;
  }
  for (const t of want.tools) {
    const call = calls.get(wellFormed(t.id));
    if (call && (wellFormed(call.name) !== t.name || !same(call.args, t.args))) {
      faults.push(`tool ${t.id}: want ${t.name} ${t.args}, got ${call.name} ${call.args}`);
    }
    const answers = results.filter((m) => wellFormed(m.tool_call_id) === wellFormed(t.id));
    if (answers.length !== (t.answered ? 1 : 0)) faults.push(`tool ${t.id}: want ${t.answered ? "a" : "no"} result, got ${answers.length}`);
    else if (t.answered) result(t, answers[0], faults);
  }
}

// callsOf are the calls of a message, by id. Those that the SDK cannot parse are there, too.
function callsOf(m) {
  const parsed = (m.tool_calls ?? []).map((c) => [wellFormed(c.id), { name: c.name, args: JSON.stringify(c.args) }]);
  const refused = (m.invalid_tool_calls ?? []).map((c) => [wellFormed(c.id), { name: c.name, args: c.args }]);
  const pieces = (m.tool_call_chunks ?? []).map((c) => [wellFormed(c.id), { name: c.name, args: c.args }]);
  return [...parsed, ...refused, ...pieces];
}

function result(t, m, faults) {
  if (!t.any_text && t.result && !same(t.result, m.content)) faults.push(`tool ${t.id}: want the result ${t.result}, got ${m.content}`);
  if (Boolean(t.failed) !== (m.status === "error")) faults.push(`tool ${t.id}: want ${t.failed ? "a failure" : "success"}, got ${m.status}`);
}

// usage looks for what was said last of a step, or of the whole run, among the messages.
function usage(want, answers, faults) {
  const counts = want.usage?.step ?? want.usage?.run;
  if (!counts) return;
  const is = (m) =>
    (counts.in ?? 0) === (m.usage_metadata?.input_tokens ?? 0) && (counts.out ?? 0) === (m.usage_metadata?.output_tokens ?? 0);
  if (!answers.some(is)) faults.push(`usage: want ${JSON.stringify(counts)}, got ${JSON.stringify(answers.map((m) => m.usage_metadata))}`);
}

function ending(want, got, equal) {
  const end = { success: "success", interrupt: "interrupted", error: "" }[want.end];
  equal("failed", want.end === "error", got.error !== undefined);
  if (want.end === "error") {
    if (want.message) equal("message of the error", want.message, got.error);
    if (want.code) equal("code of the error", want.code, got.code);
  } else if (got.end !== "interrupted" || want.end === "interrupt") {
    equal("end", end, got.end); // a pause without a question is one, too
  }
  equal("interrupts", want.interrupts, (got.values.__interrupt__ ?? []).map((i) => i.id));
}
