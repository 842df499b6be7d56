// What the two versions of A2A's SDK have an agent write differently: textOf is what a message says, speaker writes the events of a task.
import * as v03 from "a2a-sdk-0/server";
import * as routes03 from "a2a-sdk-0/server/express";
import * as v1 from "a2a-sdk-1/server";
import * as routes1 from "a2a-sdk-1/server/express";

const states = { working: 2, completed: 3, failed: 4, canceled: 5, "input-required": 6 }; // TaskState of 1.0

const version1 = {
  server: v1, routes: routes1,
  textOf: ({ parts }) => parts.map((p) => (p.content?.$case === "text" ? p.content.value : "")).join(""),
  speaker(bus, taskId, contextId) {
    const partOf = (value) => ({ content: { $case: "text", value }, metadata: {}, filename: "", mediaType: "text/plain" });
    const statusOf = (state, text) => ({
      state: states[state], timestamp: new Date().toISOString(),
      message: text && { messageId: crypto.randomUUID(), contextId, taskId, role: 2, parts: [partOf(text)], metadata: {}, extensions: [], referenceTaskIds: [] },
    });
    const status = (state, text) => bus.publish(v1.AgentEvent.statusUpdate({ taskId, contextId, status: statusOf(state, text), metadata: {} }));
    return {
      status,
      // Each stream begins with the task, also one that goes on, with what is in it already.
      begin: (task, message) => bus.publish(v1.AgentEvent.task(
        { id: taskId, contextId, artifacts: [], history: [message], metadata: {}, ...task, status: statusOf("working") })),
      artifact: (artifactId, name, text, append) => bus.publish(v1.AgentEvent.artifactUpdate({
        taskId, contextId, append, lastChunk: false, metadata: {},
        artifact: { artifactId, name, description: "", parts: [partOf(text)], metadata: {}, extensions: [] },
      })),
    };
  },
};

const version03 = {
  server: v03, routes: routes03,
  textOf: ({ parts }) => parts.map((p) => p.text ?? "").join(""),
  speaker(bus, taskId, contextId) {
    const statusOf = (state, text) => ({
      state, timestamp: new Date().toISOString(),
      message: text && { kind: "message", messageId: crypto.randomUUID(), contextId, taskId, role: "agent", parts: [{ kind: "text", text }] },
    });
    const status = (state, text) => bus.publish({ kind: "status-update", taskId, contextId, status: statusOf(state, text), final: state !== "working" });
    return {
      status,
      begin: (task, message) => (task ? status("working") : bus.publish({ kind: "task", id: taskId, contextId, history: [message], status: statusOf("submitted") })),
      artifact: (artifactId, name, text, append) => bus.publish({
        kind: "artifact-update", taskId, contextId, append, lastChunk: false, artifact: { artifactId, name, parts: [{ kind: "text", text }] },
      }),
    };
  },
};

export const versions = { "1.0": version1, 0.3: version03 };
