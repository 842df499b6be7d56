// What a client of the Agent Client Protocol makes of a turn. The reader is the connection of the SDK, over a stream of lines
// whose other side is played here: it answers initialize and session/new, and sends the body of the case for the prompt.
import { canonical, same, wellFormed } from "./texts.mjs";

// acpClient makes a judge. open(agent) connects a client to the streams of an agent; agent has handlers for what the SDK
// hands on: update(params), permission(params), elicitation(params). It returns {initialize, newSession, prompt}.
export function acpClient({ name, version, open, seesUsage }) {
  return {
    name,
    dialect: "acp",
    takes: (c) => (c.version ?? "1") === version,
    read: (url) => read(open, url, version),
    differences: (want, got) => differences(want, got, seesUsage),
    toleratedWhenMutated: [],
  };
}

async function read(open, url, version) {
  const u = {
    updates: [], sent: [], faults: [], texts: [], tools: new Map(), asks: [], taken: [], notices: [], plan: null,
    end: "", message: "", code: "", usage: null, version,
  };
  const body = new Body(await fetch(url));
  const agent = new Agent(u, body, version);
  const client = open(agent, {
    update: (params) => { u.updates.push(params); },
    permission: (params) => {
      u.asks.push(params);
      return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
    },
    elicitation: (params) => {
      u.asks.push(params);
      return { action: "decline" };
    },
  });
  await client.initialize();
  const { sessionId } = await client.newSession();
  try {
    const response = await client.prompt(sessionId);
    u.end = response.stopReason ?? "";
    u.usage = response.usage ?? null;
  } catch (err) {
    if (typeof err.code !== "number" || !agent.prompted) throw err;
    Object.assign(u, { end: "error", message: err.message, code: err.data?.code ?? String(err.code), usage: err.data?.usage ?? null });
  }
  await agent.done;
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve)); // what came with the response is reported after it
  for (const p of u.updates) take(u, p.update);
  return u;
}

// Body is the body of a case, read as far as it must be.
class Body {
  constructor(response) {
    this.refused = !response.ok;
    this.reader = response.body.getReader();
    this.head = [];
  }

  // session is the id that the updates have: the client must know it before they come.
  async session() {
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await this.reader.read();
      if (!done) this.head.push(value);
      text += decoder.decode(value, { stream: true });
      const found = /"sessionId":("(?:[^"\\]|\\.)*")/.exec(text);
      if (found) return JSON.parse(found[1]);
      if (done) return "session-1";
    }
  }

  async *rest() {
    yield* this.head;
    for (;;) {
      const { done, value } = await this.reader.read();
      if (done) return;
      yield value;
    }
  }
}

// Agent is the other side of the connection: two streams of bytes.
class Agent {
  constructor(u, body, version) {
    this.u = u;
    this.body = body;
    this.version = version;
    this.prompted = false;
    this.done = new Promise((resolve) => { this.finish = resolve; });
    this.readable = new ReadableStream({ start: (controller) => { this.controller = controller; } });
    let line = "";
    const decoder = new TextDecoder();
    this.writable = new WritableStream({
      write: (chunk) => {
        line += decoder.decode(chunk, { stream: true });
        for (let i; (i = line.indexOf("\n")) >= 0; line = line.slice(i + 1)) this.hear(JSON.parse(line.slice(0, i)));
      },
    });
  }

  say(message) {
    this.controller.enqueue(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"));
  }

  // hear answers what the client says. A client that answers with an error has refused what it was sent.
  async hear(m) {
    if (m.error && m.error.code !== -32800) this.u.faults.push(`the client answers ${JSON.stringify(m)}`);
    switch (m.method) {
      case "initialize": {
        const info = { name: "conformance", version: "1" };
        const result = this.version === "2" ? { protocolVersion: 2, info, capabilities: {} } : { protocolVersion: 1, agentInfo: info, agentCapabilities: {} };
        this.say({ id: m.id, result });
        break;
      }
      case "session/new":
        this.say({ id: m.id, result: { sessionId: await this.body.session(), ...(this.version === "2" && { configOptions: [] }) } });
        break;
      case "session/prompt":
        this.prompted = true;
        this.u.prompt = m.id;
        await this.play();
        break;
    }
  }

  async play() {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this.body.rest()) {
      text += decoder.decode(chunk, { stream: true });
      if (!this.body.refused) this.controller.enqueue(chunk);
    }
    // A status that is no success fails the call of HTTP, and with it the request that it carried.
    if (this.body.refused) this.say({ id: this.u.prompt, error: JSON.parse(text).error });
    for (const line of text.split("\n").filter(Boolean)) {
      try {
        this.u.sent.push(JSON.parse(line));
      } catch {
        this.u.faults.push(`a line is no JSON: ${line}`);
      }
      if (/[\u2028\u2029]/.test(line)) this.u.faults.push("a line separator is not escaped");
    }
    // The client must have the time to answer what it was asked before the connection ends.
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    this.controller.close();
    this.finish();
  }
}

// takers note what an update does to what the client shows.
const takers = {
  agent_message_chunk: (u, p) => chunk(u, "answers", p),
  agent_thought_chunk: (u, p) => chunk(u, "reasoning", p),
  user_message_chunk: (u, p) => chunk(u, "users", p),
  tool_call: (u, p) => {
    if (u.tools.has(p.toolCallId)) u.faults.push(`call ${p.toolCallId} is announced twice`);
    u.tools.set(p.toolCallId, { ...p });
    u.open = null;
  },
  tool_call_update: (u, p) => {
    const t = u.tools.get(p.toolCallId);
    u.open = null;
    if (!t) {
      u.tools.set(p.toolCallId, { ...p, announced: u.version === "2" }); // where an update may announce a call
      return;
    }
    if (["completed", "failed", "cancelled"].includes(t.status)) u.faults.push(`call ${p.toolCallId} goes on after its end`);
    for (const [key, value] of Object.entries(p)) {
      if (value !== null && value !== undefined) t[key] = value;
    }
    if (["completed", "failed", "cancelled"].includes(p.status)) t.result = p;
  },
  notice: (u, p) => { u.notices.push(p); },
  plan: (u, p) => { u.plan = p.entries; },
  state_update: (u, p) => {
    if (p.state !== "idle") return;
    Object.assign(u, { end: p.stopReason, message: p.error?.message ?? "", code: p.error?.data?.code ?? String(p.error?.code ?? "") });
  },
};

function take(u, update) {
  takers[update.sessionUpdate]?.(u, update);
}

// chunk appends to the message of its id, or to the one before if neither has one.
function chunk(u, kind, { messageId, content }) {
  if (content.type !== "text") return;
  const key = `${kind} ${messageId}`;
  let message = messageId === undefined ? (u.open?.key === key ? u.open : undefined) : u.texts.find((m) => m.key === key);
  if (!message) {
    message = { key, kind, id: messageId, text: "" };
    if (messageId !== undefined && u.texts.some((m) => m.id === messageId)) u.faults.push(`messages of two kinds share the id ${messageId}`);
    u.texts.push(message);
  }
  u.open = message;
  message.text += content.text;
}

function differences(want, got, seesUsage) {
  const faults = [...got.faults];
  const differ = (what, a, b) => {
    if (canonical(a) !== canonical(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const texts = (kind) => got.texts.filter((m) => m.kind === kind).map((m) => wellFormed(m.text)).filter(Boolean);
  differ("answers", want.answers, without(texts("answers"), want.others));
  differ("reasoning", want.reasoning, texts("reasoning"));
  differ("texts of the user", want.users, texts("users"));
  delivered(got, faults);
  tools(want, got, faults);
  ending(want, got, faults, seesUsage);
  return faults;
}

// without takes instructions out of the texts: the protocol does not tell them from others.
function without(texts, others) {
  const rest = [...texts];
  for (const text of others) {
    if (rest.includes(text)) rest.splice(rest.indexOf(text), 1);
  }
  return rest;
}

// delivered compares what the SDK hands on with what was sent: it drops what its schema does not know without a word.
function delivered(got, faults) {
  const sent = got.sent.filter((m) => m.method === "session/update").map((m) => m.params);
  if (sent.length !== got.updates.length) faults.push(`${sent.length} updates were sent, ${got.updates.length} are handed on`);
  for (let i = 0; i < Math.min(sent.length, got.updates.length); i++) {
    const [a, b] = [canonical(harmless(sent[i])), canonical(harmless(got.updates[i]))];
    if (a !== b) faults.push(`sent ${a}, handed on ${b}`);
  }
  questions(got, faults);
  const ids = got.sent.filter((m) => m.method !== undefined && m.id !== undefined).map((m) => m.id);
  if (new Set(ids).size !== ids.length) faults.push("two requests have one id");
}

// harmless is a value without the members that a careful reader of JavaScript leaves out.
function harmless(value) {
  return JSON.parse(JSON.stringify(value), (key, v) => (key === "__proto__" ? undefined : v));
}

// formMembers are those of a schema that the protocol knows. What else a schema says of itself, as "$schema", the SDK leaves out.
const formMembers = ["type", "title", "description", "properties", "required", "_meta"];

// formed is a question as the SDK hands it on.
function formed({ requestedSchema, ...params }) {
  if (!requestedSchema) return params;
  return { ...params, requestedSchema: Object.fromEntries(Object.entries(requestedSchema).filter(([name]) => formMembers.includes(name))) };
}

// questions compares what the SDK asks with what it should ask, in any order. One that was withdrawn may never be asked.
function questions(got, faults) {
  const back = got.sent.filter((m) => m.method === "$/cancel_request").map((m) => m.params.requestId);
  const understood = got.asks.map((p) => canonical(p));
  for (const m of got.sent) {
    if (m.method === undefined || m.id === undefined) continue;
    const i = understood.indexOf(canonical(formed(m.params)));
    if (i >= 0) understood.splice(i, 1);
    else if (!back.includes(m.id)) faults.push(`asked ${canonical(m.params)}, which is not handed on`);
  }
  for (const p of understood) faults.push(`asks ${p}, which was not asked`);
}

function tools(want, got, faults) {
  const known = new Set(want.tools.filter((t) => t.resumed).map((t) => t.id));
  const made = [...got.tools.values()].filter((t) => t.announced !== false && !known.has(t.toolCallId));
  const calls = want.tools.filter((t) => !t.resumed);
  const ids = (list) => JSON.stringify(list.map((id) => wellFormed(id)));
  if (ids(calls.map((t) => t.id)) !== ids(made.map((t) => t.toolCallId))) {
    faults.push(`tools: want ${ids(calls.map((t) => t.id))}, got ${ids(made.map((t) => t.toolCallId))}`);
    return;
  }
  for (const [id, t] of got.tools) {
    if (t.announced === false && !want.tools.some((w) => w.resumed && w.id === id)) faults.push(`call ${id} was not announced`);
  }
  for (const t of want.tools) tool(t, got.tools.get(t.id), want.end === "interrupt", faults);
}

// tool compares a call. One that waits for an answer goes on in a later turn.
function tool(want, got, waits, faults) {
  if (!got) {
    if (want.answered) faults.push(`tool ${want.id}: nothing is said of it`);
    return;
  }
  if (!want.resumed) {
    if (!got.title) faults.push(`tool ${want.id} has no title`);
    if (wellFormed(got.name) !== want.name) faults.push(`tool ${want.id}: want the name ${want.name}, got ${got.name}`);
    const args = typeof got.rawInput === "string" ? got.rawInput : JSON.stringify(got.rawInput ?? {});
    if (!same(want.args, args)) faults.push(`tool ${want.id}: want ${want.args}, got ${args}`);
  }
  if (!want.answered || ((waits || want.paused) && ["pending", "in_progress"].includes(got.status))) return;
  const status = want.failed ? ["failed", "cancelled"] : ["completed"];
  if (!status.includes(got.status)) faults.push(`tool ${want.id}: want ${status}, got ${got.status}`);
  if (want.any_text) return;
  const blocks = (got.result ?? got).content ?? []; // the content before describes the call
  const shown = blocks.filter((c) => c.type === "content" && c.content.type === "text").map((c) => c.content.text).join("\n");
  const output = typeof got.rawOutput === "string" ? got.rawOutput : JSON.stringify(got.rawOutput ?? "");
  const failure = want.failed && want.result === ""; // words of the encoder's
  if (!failure && !same(want.result, shown) && !same(want.result, output)) {
    faults.push(`tool ${want.id}: want the result ${want.result}, got ${shown} and ${output}`);
  }
}

function ending(want, got, faults, seesUsage) {
  const stopped = want.end === "error" && !want.cancelled ? ["error"] : want.cancelled ? ["cancelled"] : ["end_turn", "max_tokens", "max_turn_requests", "refusal"];
  if (!stopped.includes(got.end)) faults.push(`end: want ${stopped}, got ${got.end}`);
  if (got.end === "error" && want.message && got.message !== want.message) faults.push(`message: want ${want.message}, got ${got.message}`);
  if (got.end === "error" && want.code && got.code !== want.code) faults.push(`code: want ${want.code}, got ${got.code}`);
  const said = want.usage?.run_sum;
  if (!seesUsage || !(said?.in >= 0 && said?.out >= 0)) return;
  const u = got.usage ?? {};
  const counts = { in: u.inputTokens + (u.cachedReadTokens ?? 0) + (u.cachedWriteTokens ?? 0), out: u.outputTokens + (u.thoughtTokens ?? 0) };
  if (counts.in !== said.in || counts.out !== said.out) faults.push(`usage: want ${JSON.stringify(said)}, got ${JSON.stringify(u)}`);
}
