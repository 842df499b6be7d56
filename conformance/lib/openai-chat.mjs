// What clients of Chat Completions make of a stream: the helper of the openai package, which keeps a message of its own, its
// plain iteration of chunks, and the AI SDK's streamText with the provider for compatible servers.
import { canonical, wellFormed } from "./texts.mjs";

export function openaiClient({ name, OpenAI }) {
  return { name, dialect: "openai-chat", read: (url) => helper(OpenAI, url), differences, toleratedWhenMutated: [] };
}

export function aiClient({ name, streamText, createOpenAICompatible }) {
  return { name, dialect: "openai-chat", read: (url) => stream(streamText, createOpenAICompatible, url), differences, toleratedWhenMutated: [] };
}

// An understanding is plain JSON, as clients in other languages return it too. kept is what the client holds as the message
// at the end, raw what its chunks say one by one.
function newUnderstanding() {
  return { answers: "", reasoning: "", calls: [], finish: "", end: "none", message: "", code: "", usage: null, kept: null, raw: null };
}

const request = { model: "conformance", messages: [{ role: "user", content: "conformance" }], stream_options: { include_usage: true } };

async function helper(OpenAI, url) {
  const u = newUnderstanding();
  const client = new OpenAI({ apiKey: "conformance", baseURL: url, maxRetries: 0 });
  const runner = client.chat.completions.stream(request);
  runner.on("chunk", (chunk) => note(u, chunk));
  runner.on("error", () => {}); // comes again from finalChatCompletion
  await attempt(OpenAI, u, async () => {
    const { choices: [{ message }], usage } = await runner.finalChatCompletion();
    u.kept = {
      answers: message.content ?? "", refusal: message.refusal ?? "",
      calls: (message.tool_calls ?? []).map((t) => ({ id: t.id, name: t.function.name, args: t.function.arguments })),
      usage: counts(usage),
    };
  });
  u.raw = await chunks(OpenAI, client);
  return u;
}

// chunks reads the stream once more, without the helper.
async function chunks(OpenAI, client) {
  const u = newUnderstanding();
  await attempt(OpenAI, u, async () => {
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) note(u, chunk);
  });
  return u;
}

// attempt notes the error that a stream reports. Any other is one of the client, which has not understood the stream.
async function attempt(OpenAI, u, read) {
  try {
    await read();
    u.end = "success";
  } catch (err) {
    if (!(err instanceof OpenAI.APIError) || !err.error) throw err;
    Object.assign(u, { end: "error", message: err.error.message, code: err.code ?? "" });
  }
}

function note(u, chunk) {
  if (chunk.usage) u.usage = counts(chunk.usage);
  for (const { delta, finish_reason: finish } of chunk.choices) {
    u.answers += (delta.content ?? "") + (delta.refusal ?? "");
    u.reasoning += delta.reasoning_content ?? delta.reasoning ?? "";
    for (const t of delta.tool_calls ?? []) {
      u.calls[t.index] ??= { id: t.id, name: t.function.name, args: "" };
      u.calls[t.index].args += t.function.arguments;
    }
    if (finish && u.finish) throw new Error("a second finish_reason");
    u.finish = finish ?? u.finish;
  }
}

function counts(usage) {
  return usage ? { in: usage.prompt_tokens, out: usage.completion_tokens, total: usage.total_tokens } : null;
}

async function stream(streamText, createOpenAICompatible, url) {
  const u = newUnderstanding();
  const provider = createOpenAICompatible({ name: "conformance", apiKey: "conformance", baseURL: url, includeUsage: true });
  const result = streamText({ model: provider("conformance"), prompt: "conformance", maxRetries: 0, onError() {} });
  for await (const part of result.fullStream) takers[part.type]?.(u, part);
  return u;
}

const takers = {
  "text-delta": (u, p) => { u.answers += p.text; },
  "reasoning-delta": (u, p) => { u.reasoning += p.text; },
  "tool-call": (u, p) => { u.calls.push({ id: p.toolCallId, name: p.toolName, args: typeof p.input === "string" ? p.input : JSON.stringify(p.input) }); },
  error: (u, p) => { Object.assign(u, { end: "error", message: p.error?.message ?? String(p.error) }); },
  finish: (u, p) => {
    const { inputTokens: i, outputTokens: o, totalTokens: t } = p.totalUsage;
    u.finish = p.rawFinishReason ?? "";
    if (i !== undefined) u.usage = { in: i, out: o, total: t };
    if (u.end === "none") u.end = "success";
  },
};

// differences lists what the client understood otherwise than the canonical stream says it.
export function differences(want, got) {
  const faults = [];
  compare(want, got, faults, "");
  if (got.raw) compare(want, got.raw, faults, "without the helper, ");
  if (got.kept) kept(got, faults);
  return faults;
}

function compare(want, got, faults, where) {
  const differ = (what, a, b) => {
    if (canonical(a) !== canonical(b)) faults.push(`${where}${what}: want ${JSON.stringify(a)}, got ${JSON.stringify(b)}`);
  };
  const end = want.end === "error" ? "error" : "success";
  differ("answers", wellFormed(want.answers.join("")), wellFormed(got.answers));
  differ("reasoning", wellFormed(want.reasoning.join("")), wellFormed(got.reasoning));
  differ("end", end, got.end);
  differ("calls", calls(want.tools, end), calls(got.calls, end));
  if (end === "error") {
    if (want.message) differ("message of the error", want.message, got.message);
    if (want.code && got.code) differ("code of the error", want.code, got.code);
    return;
  }
  finish(want, got, faults, where);
  usage(want, got, differ);
}

// calls are those of a message, with arguments as they mean. Of a stream that failed only those that were complete.
function calls(list, end) {
  return list.filter((t) => end !== "error" || isJSON(t.args)).map((t) => ({ id: wellFormed(t.id), name: wellFormed(t.name), args: meant(t.args) }));
}

function meant(args) {
  return isJSON(args) ? JSON.parse(args) : wellFormed(args);
}

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// finish checks that an agent goes on exactly if there are calls to run.
function finish(want, got, faults, where) {
  const waiting = want.tools.filter((t) => !t.answered && !t.failed);
  const known = ["stop", "length", "tool_calls", "content_filter"];
  if (!known.includes(got.finish)) faults.push(`${where}finish_reason is ${got.finish}`);
  if (got.finish === "stop" && waiting.length > 0) faults.push(`${where}finish_reason is stop, but ${waiting.length} calls wait`);
  if (got.finish === "tool_calls" && want.tools.length === 0) faults.push(`${where}finish_reason is tool_calls, but there are no calls`);
}

// usage of the run is exact, of several models their sum; where only steps say theirs, it is their sum, of which the meaning has the last.
function usage(want, got, differ) {
  const { run_sum: run, step } = want.usage ?? {};
  for (const count of ["in", "out"]) {
    if (run?.[count] !== undefined) differ(`usage ${count}`, run[count], got.usage?.[count]);
    else if (!run && step?.[count] > (got.usage?.[count] ?? 0)) differ(`usage ${count} is too small`, step[count], got.usage?.[count]);
  }
}

// kept compares the message that the helper has put together with the chunks it was made of.
function kept(got, faults) {
  const same = (what, a, b) => {
    if (canonical(a) !== canonical(b)) faults.push(`the message holds ${what} ${JSON.stringify(b)}, but was sent ${JSON.stringify(a)}`);
  };
  same("the text", [...got.answers].length, [...got.kept.answers, ...got.kept.refusal].length);
  same("the calls", got.calls, got.kept.calls);
  same("the usage", got.usage, got.kept.usage);
}
