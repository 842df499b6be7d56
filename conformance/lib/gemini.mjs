// What clients of Gemini's generateContent make of a stream. The readers are the chats of Google's SDK, which keep a history
// of their own, and the AI SDK's streamText with Google's provider.
import { canonical, wellFormed } from "./texts.mjs";

export function genaiClient({ name, GoogleGenAI }) {
  return { name, dialect: "gemini", read: (url) => chat(GoogleGenAI, url), differences, toleratedWhenMutated: [] };
}

export function aiClient({ name, streamText, createGoogle }) {
  return { name, dialect: "gemini", read: (url) => stream(streamText, createGoogle, url), differences, toleratedWhenMutated: [] };
}

function newUnderstanding() {
  return { answers: "", reasoning: "", calls: [], end: "none", message: "", usage: null, history: null };
}

// ends says what a finishReason means to the caller.
const ends = {
  STOP: "success", MAX_TOKENS: "success", SAFETY: "success", RECITATION: "success", BLOCKLIST: "success", PROHIBITED_CONTENT: "success",
  SPII: "success", LANGUAGE: "success", IMAGE_SAFETY: "success", IMAGE_PROHIBITED_CONTENT: "success", IMAGE_RECITATION: "success",
  TOO_MANY_TOOL_CALLS: "success",
};

async function chat(GoogleGenAI, url) {
  const u = newUnderstanding();
  const ai = new GoogleGenAI({ apiKey: "conformance", httpOptions: { baseUrl: url } });
  const session = ai.chats.create({ model: "conformance" });
  try {
    for await (const chunk of await session.sendMessageStream({ message: "conformance" })) note(u, chunk);
  } catch (err) {
    if (err.name !== "ApiError") throw err;
    u.end = "error";
    u.message = JSON.parse(err.message.slice(err.message.indexOf("{"))).error.message; // behind "got status: …"
  }
  u.history = session.getHistory();
  return u;
}

function note(u, chunk) {
  if (chunk.usageMetadata) {
    const { promptTokenCount: i, candidatesTokenCount: o = 0, thoughtsTokenCount: t = 0 } = chunk.usageMetadata;
    u.usage = { in: i, out: o + t };
  }
  const [candidate] = chunk.candidates;
  for (const part of candidate.content.parts) {
    if (part.functionCall) {
      const { id, name, args } = part.functionCall;
      u.calls.push({ id, name, args });
    } else if (part.text !== undefined) {
      u[part.thought ? "reasoning" : "answers"] += part.text;
    }
  }
  if (candidate.finishReason === undefined) return;
  if (u.end !== "none") throw new Error("a second end");
  u.end = ends[candidate.finishReason] ?? "error";
  u.message = candidate.finishMessage ?? "";
}

async function stream(streamText, createGoogle, url) {
  const u = newUnderstanding();
  const google = createGoogle({ apiKey: "conformance", baseURL: url });
  const result = streamText({ model: google("conformance"), prompt: "conformance", maxRetries: 0, onError() {} });
  for await (const part of result.fullStream) take(u, part);
  return u;
}

const takers = {
  "text-delta": (u, p) => { u.answers += p.text; },
  "reasoning-delta": (u, p) => { u.reasoning += p.text; },
  "tool-call": (u, p) => {
    if (!p.providerExecuted) u.calls.push({ id: p.toolCallId, name: p.toolName, args: p.input });
  },
  error: (u, p) => { Object.assign(u, { end: "error", message: p.error?.message ?? String(p.error) }); },
  finish: (u, p) => {
    u.usage = { in: p.totalUsage.inputTokens, out: p.totalUsage.outputTokens };
    if (u.end === "none" && p.rawFinishReason !== undefined) u.end = ends[p.rawFinishReason] ?? "error";
  },
};

function take(u, part) {
  takers[part.type]?.(u, part);
}

// differences lists what the client understood otherwise than the canonical stream says it.
export function differences(want, got) {
  const faults = [];
  const differ = (what, a, b) => {
    if (canonical(a) !== canonical(b)) faults.push(`${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const toRun = want.tools.filter((t) => t.client_runs);
  differ("answers", want.answers.join(""), wellFormed(got.answers));
  differ("reasoning", want.reasoning.join(""), wellFormed(got.reasoning));
  differ("calls", toRun.filter((t) => !t.invalid).map(meantCall), got.calls);
  ending(want, got, toRun.some((t) => t.invalid), faults);
  const said = want.usage?.run_sum ?? want.usage?.run;
  for (const k of ["in", "out"]) if (said?.[k] !== undefined && said[k] !== got.usage?.[k]) differ(`usage, ${k}`, said[k], got.usage?.[k]);
  if (got.history && got.end === "success") {
    const kept = got.history.filter((c) => c.role === "model").flatMap((c) => c.parts);
    differ("answers in the history", got.answers, kept.filter((p) => !p.thought).map((p) => p.text ?? "").join(""));
    differ("calls in the history", got.calls, kept.filter((p) => p.functionCall).map((p) => p.functionCall));
  }
  return faults;
}

// meantCall is a call as it should arrive: arguments that are no object are wrapped.
function meantCall(t) {
  const args = JSON.parse(t.args);
  const isObject = args !== null && typeof args === "object" && !Array.isArray(args);
  return { id: t.id, name: t.name, args: isObject ? args : { value: args } };
}

// ending compares ends. A call whose arguments are no JSON makes a failure of a good end, but not of one for another reason.
function ending(want, got, invalid, faults) {
  const end = want.end === "error" ? "error" : "success";
  if (got.end !== end && !(invalid && got.end === "error")) faults.push(`end: want ${end}, got ${got.end}`);
  // The reason of an end, other than that of an error, may have no words.
  if (want.end === "error" && want.message && got.message && got.message !== want.message) {
    faults.push(`message of the error: want ${want.message}, got ${got.message}`);
  }
}
