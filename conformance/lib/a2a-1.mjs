// Version 1.0 of A2A, with the SDK's types.

// send1 sends a message to the agent at url, as a card of the agent says.
export async function* send1(ClientFactory, url, protocolBinding) {
  // The server of the cases answers any path below its number's with the body of the case.
  const card = {
    name: "agent", description: "", version: "1", supportedInterfaces: [{ url, protocolBinding, protocolVersion: "1.0", tenant: "" }],
    capabilities: { streaming: true, extensions: [] }, skills: [], defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"],
    securitySchemes: {}, securityRequirements: [], signatures: [],
  };
  const client = await new ClientFactory().createFromAgentCard(card);
  yield* client.sendMessageStream({
    message: { messageId: "u1", role: 1, contextId: "", taskId: "", parts: [{ content: { $case: "text", value: "hello" } }], extensions: [], referenceTaskIds: [] },
  });
}

const states = ["", "submitted", "working", "completed", "failed", "canceled", "input-required", "rejected", "auth-required"];

// shape1 makes a normal event of the SDK's.
export function shape1(event) {
  const { $case, value } = event.payload ?? {};
  if ($case === "task") return { kind: "task", task: value.id, context: value.contextId };
  if ($case === "statusUpdate") {
    return { kind: "status", task: value.taskId, state: states[value.status.state], parts: (value.status.message?.parts ?? []).map(part1) };
  }
  if ($case === "artifactUpdate") {
    return { kind: "artifact", id: value.artifact.artifactId, parts: value.artifact.parts.map(part1), append: value.append, last: value.lastChunk };
  }
  return { kind: $case ?? "unknown" };
}

const part1 = (p) => ({ [p.content?.$case]: p.content?.value, metadata: p.metadata });
