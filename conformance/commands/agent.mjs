// An agent in the place of the reader's own: AG-UI at /, the events of "evolve" at /stream. It says Ahoy.
import { createServer } from "node:http";

const forms = {
  "/": {
    type: "text/event-stream",
    write: (record) => `data: ${JSON.stringify(record)}\n\n`,
    records: ({ threadId = "t", runId = "r" }) => [
      { type: "RUN_STARTED", threadId, runId }, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Ahoy" }, { type: "TEXT_MESSAGE_END", messageId: "m" }, { type: "RUN_FINISHED", threadId, runId },
    ],
  },
  "/stream": {
    type: "application/x-ndjson",
    write: (record) => `${JSON.stringify(record)}\n`,
    records: () => evolve,
  },
};

const evolve = [
  { sandboxId: "b", sandbox: "running", agent: "running", timestamp: "2026-01-01T00:00:00.000Z", reason: "run_start" },
  { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Ahoy" } } },
  { sandboxId: "b", sandbox: "ready", agent: "idle", timestamp: "2026-01-01T00:00:01.000Z", reason: "run_complete" },
];

// recording is a stream of the agent at /stream.
export const recording = evolve.map(forms["/stream"].write).join("");

export function agent(port) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const form = forms[new URL(request.url, "http://agent").pathname];
    if (!form) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": form.type });
    for (const record of form.records(body ? JSON.parse(body) : {})) response.write(form.write(record));
    response.end();
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}
