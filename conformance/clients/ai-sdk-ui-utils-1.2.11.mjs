// @ai-sdk/ui-utils 1.2.11: what useChat of the AI SDK 4 runs.
import { callChatApi } from "@ai-sdk/ui-utils";
import { differences, others } from "../lib/datastream.mjs";

export default {
  name: "@ai-sdk/ui-utils 1.2.11",
  dialect: "datastream",
  takes: (c) => !others(c),
  read,
  differences: (want, got) => differences(want, got, { wraps: true }),
  toleratedWhenMutated: [],
};

async function read(url) {
  const got = { parts: [] };
  let message = { parts: [] };
  let id = 0;
  try {
    await callChatApi({
      api: url,
      body: { id: "conformance", messages: [] },
      streamProtocol: "data",
      restoreMessagesOnFailure: () => {},
      onResponse: () => {},
      onUpdate: (update) => { message = update.message; },
      onFinish: (_, { finishReason, usage }) => {
        got.finish = finishReason;
        got.usage = { in: usage.promptTokens, out: usage.completionTokens };
      },
      generateId: () => `id-${++id}`,
      lastMessage: undefined,
    });
  } catch (err) {
    got.error = err.message;
  }
  got.parts = message.parts.flatMap(part);
  return got;
}

function part(p) {
  switch (p.type) {
    case "text":
      return [{ type: "text", text: p.text }];
    case "reasoning":
      return [{ type: "reasoning", text: p.reasoning }];
    case "tool-invocation": {
      const { toolCallId: id, toolName: name, args, state, result } = p.toolInvocation;
      const text = typeof result === "string" ? result : JSON.stringify(result);
      return [{ type: "tool", id, name, args: JSON.stringify(args), result: text, answered: state === "result" }];
    }
  }
  return [];
}
