// What assistant-ui makes of a stream: its decoders feed one accumulator, whatever the dialect.
import { AssistantMessageAccumulator } from "assistant-stream";
import { differences } from "./datastream.mjs";

// The accumulator keeps the usage of steps alone, and joins texts that only an end of a step parts.
const options = { joins: true, uncounted: true };

export function assistantClient({ name, dialect, Decoder, takes = () => true }) {
  return {
    name,
    dialect,
    takes,
    read: (url) => read(Decoder, url),
    differences: (want, got) => differences(want, got, options),
    toleratedWhenMutated: [],
  };
}

async function read(Decoder, url) {
  // The history is empty, and the client says so: it has none of the calls that an answer may go on with.
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ messages: [] }) });
  const messages = response.body.pipeThrough(new Decoder()).pipeThrough(new AssistantMessageAccumulator());
  let message;
  for await (const m of messages) message = m;
  const got = { parts: message.parts.flatMap(part), finish: message.status.type !== "running" };
  if (message.status.type === "incomplete" && message.status.reason === "error") {
    got.error = message.status.error.message;
  }
  return got;
}

function part(p) {
  switch (p.type) {
    case "text":
    case "reasoning":
      return [{ type: p.type, text: p.text }];
    case "tool-call": {
      const text = typeof p.result === "string" ? p.result : JSON.stringify(p.result);
      return [{
        type: "tool", id: p.toolCallId, name: p.toolName, args: p.argsText, result: text, answered: p.result !== undefined,
        failed: Boolean(p.isError),
      }];
    }
  }
  return [];
}
