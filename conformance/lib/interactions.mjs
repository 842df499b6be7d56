// What clients of Gemini's Interactions API make of a stream: Google's SDK, and the AI SDK's streamText with Google's provider.
import { canonical } from "./texts.mjs";
import { differences as ofGemini } from "./gemini.mjs";

export function genaiClient({ name, GoogleGenAI }) {
  return { name, dialect: "gemini-interactions", read: (url) => events(GoogleGenAI, url), differences, toleratedWhenMutated: [] };
}

export function aiClient({ name, streamText, createGoogle }) {
  return { name, dialect: "gemini-interactions", read: (url) => parts(streamText, createGoogle, url), differences: readByAI, toleratedWhenMutated: [] };
}

// differences are those of Gemini's clients, but for arguments that are no object: they are streamed as they are.
function differences(want, got) {
  const toRun = want.tools.filter((t) => t.client_runs && !t.invalid);
  const calls = toRun.map((t) => ({ id: t.id, name: t.name, args: JSON.parse(t.args) }));
  const others = ofGemini({ ...want, tools: want.tools.filter((t) => t.client_runs && t.invalid) }, { ...got, calls: [] });
  if (canonical(calls) !== canonical(got.calls)) others.push(`calls: want ${JSON.stringify(calls)}, got ${JSON.stringify(got.calls)}`);
  return others;
}

// readByAI leaves out what the AI SDK does not show: the usage of an interaction that failed, and whether arguments that it gives as a string
// are one or are no JSON.
function readByAI(want, got) {
  const tools = want.tools.filter((t) => !t.client_runs || t.invalid || typeof JSON.parse(t.args) !== "string");
  return differences({ ...want, tools, usage: got.end === "error" ? null : want.usage }, got);
}

function newUnderstanding() {
  return { answers: "", reasoning: "", calls: [], end: "none", message: "", usage: null };
}

// ends says what a status means to the caller.
const ends = { completed: "success", requires_action: "success", incomplete: "success", budget_exceeded: "success" };

async function events(GoogleGenAI, url) {
  const u = newUnderstanding();
  const ai = new GoogleGenAI({ apiKey: "conformance", httpOptions: { baseUrl: url } });
  const open = new Map();
  for await (const event of await ai.interactions.create({ model: "conformance", input: "conformance", stream: true })) {
    if (typeof event !== "object") throw new Error(`an event that is no JSON: ${event}`);
    if (u.end !== "none") throw new Error(`behind the end: ${event.event_type}`);
    const note = notes[event.event_type];
    if (!note) throw new Error(`an event of no known type: ${event.event_type}`);
    note(u, event, open);
  }
  if (u.end === "success" && open.size > 0) throw new Error("a step was left open");
  return u;
}

const notes = {
  "interaction.created": (u, { interaction }) => {
    if (typeof interaction.id !== "string" || interaction.status !== "in_progress") throw new Error("what was created?");
  },
  "interaction.status_update": (u, { usage }) => total(u, usage),
  "step.start": (u, { index, step }, open) => {
    if (open.has(index)) throw new Error(`step ${index} is open`);
    open.set(index, { step, args: "" });
  },
  "step.delta": (u, { index, delta }, open) => {
    const at = open.get(index);
    if (!at) throw new Error(`step ${index} is not open`);
    if (delta.type === "text" && at.step.type === "model_output") u.answers += delta.text;
    if (delta.type === "thought_summary" && at.step.type === "thought") u.reasoning += delta.content.text;
    if (delta.type === "arguments_delta") at.args += delta.arguments;
  },
  "step.stop": (u, { index }, open) => {
    const at = open.get(index);
    if (!at) throw new Error(`step ${index} is not open`);
    open.delete(index);
    if (at.step.type === "function_call") call(u, at);
  },
  "interaction.completed": (u, { interaction }) => {
    total(u, interaction.usage);
    u.end = ends[interaction.status] ?? "error";
  },
  error: (u, { error }) => Object.assign(u, { end: "error", message: error.message }),
};

// call notes a call as an application would run it. One whose arguments are no JSON cannot be run.
function call(u, { step: { id, name, arguments: whole }, args }) {
  let read = whole;
  try {
    if (args) read = JSON.parse(args);
  } catch {
    return;
  }
  u.calls.push({ id, name, args: read });
}

function total(u, usage) {
  if (usage) u.usage = { in: usage.total_input_tokens, out: usage.total_output_tokens + (usage.total_thought_tokens ?? 0) };
}

async function parts(streamText, createGoogle, url) {
  const u = newUnderstanding();
  const google = createGoogle({ apiKey: "conformance", baseURL: url });
  const result = streamText({ model: google.interactions("conformance"), prompt: "conformance", maxRetries: 0, onError() {} });
  for await (const part of result.fullStream) takers[part.type]?.(u, part);
  return u;
}

const takers = {
  "text-delta": (u, p) => { u.answers += p.text; },
  "reasoning-delta": (u, p) => { u.reasoning += p.text; },
  "tool-call": (u, p) => {
    if (!p.providerExecuted && typeof p.input !== "string") u.calls.push({ id: p.toolCallId, name: p.toolName, args: p.input });
  },
  error: (u, p) => { Object.assign(u, { end: "error", message: p.error?.message ?? String(p.error) }); },
  finish: (u, p) => {
    u.usage = { in: p.totalUsage.inputTokens, out: p.totalUsage.outputTokens };
    if (u.end === "none" && p.rawFinishReason !== undefined) u.end = ends[p.rawFinishReason] ?? "error";
  },
};
