// Version 0.3 of A2A, with the SDK's types, which are the same for both bindings.

// send0 sends a message to the agent at url.
export function send0(Transport, url) {
  return new Transport({ endpoint: url }).sendMessageStream({
    message: { kind: "message", messageId: "u1", role: "user", parts: [{ kind: "text", text: "hello" }] },
    configuration: { blocking: true },
  });
}

// shape0 makes a normal event of the SDK's.
export function shape0(event) {
  switch (event.kind) {
    case "task":
      return { kind: "task", task: event.id, context: event.contextId };
    case "status-update":
      return { kind: "status", task: event.taskId, state: event.status.state, parts: event.status.message?.parts ?? [] };
    case "artifact-update":
      return { kind: "artifact", id: event.artifact.artifactId, parts: event.artifact.parts, append: event.append ?? false, last: event.lastChunk ?? false };
  }
  return { kind: event.kind ?? "unknown" };
}
