// What clients of ConverseStream make of a stream. The readers are the AWS SDKs, which give the events as they are.
import { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { canonical, wellFormed } from "./texts.mjs";

// One handler keeps the connections. By itself the SDK speaks HTTP/2, which the server of this suite does not.
const requestHandler = new NodeHttpHandler();
const request = { modelId: "conformance", messages: [{ role: "user", content: [{ text: "conformance" }] }] };

export function sdkClient({ name }) {
  return { name, dialect: "bedrock", read, differences, toleratedWhenMutated: [] };
}

async function read(url) {
  const client = new BedrockRuntimeClient({
    region: "us-east-1", endpoint: url, maxAttempts: 1, requestHandler, credentials: { accessKeyId: "conformance", secretAccessKey: "conformance" },
  });
  const u = { answers: "", reasoning: "", signatures: [], calls: [], end: "none", message: "", usage: null };
  const open = new Map();
  try {
    const { stream } = await client.send(new ConverseStreamCommand(request));
    for await (const event of stream) take(u, open, event);
  } catch (err) {
    if (!err.name?.endsWith("Exception")) throw err;
    Object.assign(u, { end: "error", message: err.message });
  }
  return u;
}

function take(u, open, event) {
  const [name, e] = Object.entries(event)[0];
  takers[name](u, open, e);
}

const takers = {
  messageStart: () => {},
  contentBlockStart: (u, open, e) => {
    if (open.has(e.contentBlockIndex)) throw new Error("a block that is open begins");
    open.set(e.contentBlockIndex, { id: e.start.toolUse.toolUseId, name: e.start.toolUse.name, json: "" });
  },
  contentBlockDelta: (u, open, { contentBlockIndex: i, delta }) => {
    u.answers += delta.text ?? "";
    u.reasoning += delta.reasoningContent?.text ?? "";
    if (delta.toolUse) open.get(i).json += delta.toolUse.input;
  },
  contentBlockStop: (u, open, { contentBlockIndex: i }) => {
    const call = open.get(i);
    open.delete(i);
    if (call) u.calls.push({ id: call.id, name: call.name, args: call.json });
  },
  messageStop: (u, open, e) => {
    if (open.size > 0) throw new Error("the end inside of a block");
    u.end = "success";
    u.reason = e.stopReason;
  },
  metadata: (u, open, { usage: c }) => {
    u.usage = { in: c.inputTokens + (c.cacheReadInputTokens ?? 0) + (c.cacheWriteInputTokens ?? 0), out: c.outputTokens };
  },
};

// differences lists what the client understood otherwise than the canonical stream says it.
export function differences(want, got) {
  const faults = [];
  const differ = (what, a, b) => {
    if (canonical(a) !== canonical(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const toRun = want.tools.filter((t) => t.client_runs);
  const invalid = toRun.some((t) => t.invalid);
  differ("answers", want.answers.join(""), wellFormed(got.answers));
  differ("reasoning", want.reasoning.join(""), wellFormed(got.reasoning));
  if (got.end === "success") differ("calls", toRun.map(meantCall), got.calls.map(readCall));
  ending(want, got, invalid, faults);
  const said = want.usage?.run_sum ?? want.usage?.run;
  if (got.usage) for (const k of ["in", "out"]) if (said?.[k] !== undefined) differ(`usage, ${k}`, said[k], got.usage[k]);
  return faults;
}

// meantCall is a call as it should arrive: its id in the letters of the API, its arguments as they were written.
function meantCall(t) {
  const legal = /^(?!sabir_)[\w-]+$/.test(t.id);
  const hex = (c) => [...Buffer.from(c)].map((b) => `-${b.toString(16).padStart(2, "0")}`).join("");
  return { id: legal ? t.id : `sabir_${t.id.replace(/[^A-Za-z0-9_]/gu, hex)}`, name: t.name, args: parsed(t.args) };
}

function readCall(c) {
  return { ...c, args: parsed(c.args) };
}

// parsed is what arguments say; those that were cut are compared as text.
function parsed(args) {
  try {
    return JSON.parse(args || "{}");
  } catch {
    return args;
  }
}

// ending compares ends. A call whose arguments are no JSON makes a failure of a good end, but not of one for another reason.
function ending(want, got, invalid, faults) {
  const end = want.end === "error" ? "error" : "success";
  if (got.end !== end && !(invalid && got.end === "error")) faults.push(`end: want ${end}, got ${got.end}`);
  if (want.end === "error" && want.message && got.message !== want.message) {
    faults.push(`message of the error: want ${want.message}, got ${got.message}`);
  }
}
