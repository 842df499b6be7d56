// The scripted model for frameworks that take models of the AI SDK. whenGone is called with the key of an answer that is given up.
import { simulateReadableStream } from "ai-7";
import { MockLanguageModelV3 } from "ai-7/test";
import { play } from "../script.mjs";

const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };

export function scriptedModel(whenGone) {
  return new MockLanguageModelV3({
    doStream: async ({ prompt, tools, abortSignal }) => {
      const scene = play(historyOf(prompt, tools));
      abortSignal?.addEventListener("abort", () => { if (scene.delay) whenGone(scene.key); });
      return { stream: simulateReadableStream({ chunks: [...chunks(scene)], initialDelayInMs: 0, chunkDelayInMs: scene.delay || null }) };
    },
  });
}

// historyOf is what the prompt of the model says, in the terms of the script.
function historyOf(prompt, tools = []) {
  const users = prompt.filter((m) => m.role === "user");
  const last = prompt.at(-1);
  const results = last.role !== "tool" ? [] : partsOf([last], "tool-result").map((p) => ({ name: p.toolName, text: words(p.output) }));
  return {
    users: users.map((m) => textOf(m)), agent: prompt.filter((m) => m.role === "assistant").map((m) => textOf(m)), calls: callsIn(prompt), results,
    tools: tools.map((t) => t.name),
  };
}

function textOf({ content }) {
  return content.map((p) => (p.type === "text" ? p.text : "")).join("");
}

function callsIn(prompt) {
  const results = new Map(partsOf(prompt, "tool-result").map((p) => [p.toolCallId, words(p.output)]));
  return partsOf(prompt, "tool-call").map((p) => ({ name: p.toolName, args: p.input, result: results.get(p.toolCallId) }));
}

function partsOf(prompt, type) {
  return prompt.filter((m) => Array.isArray(m.content)).flatMap((m) => m.content).filter((p) => p.type === type);
}

function words(output) {
  if (output.type === "execution-denied") return output.reason ?? "denied";
  return typeof output.value === "string" ? output.value : JSON.stringify(output.value);
}

function* chunks({ words, calls, fails }) {
  yield { type: "stream-start", warnings: [] };
  if (words.length > 0) yield { type: "text-start", id: "t" };
  for (const delta of words) yield { type: "text-delta", id: "t", delta };
  if (fails) {
    yield { type: "error", error: new Error(fails) };
    return;
  }
  if (words.length > 0) yield { type: "text-end", id: "t" };
  for (const call of calls) {
    const input = JSON.stringify(call.args);
    yield { type: "tool-input-start", id: call.id, toolName: call.name };
    yield { type: "tool-input-delta", id: call.id, delta: input };
    yield { type: "tool-input-end", id: call.id };
    yield { type: "tool-call", toolCallId: call.id, toolName: call.name, input };
  }
  yield { type: "finish", finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined }, usage };
}
