// A2A's SDK. The application keeps the artifacts of the task, and subscribes to it again. An SDK that does not say which pieces are to be
// appended appends them all, and begins anew with each task that it receives.
import { authorized, last, persist } from "./talk.mjs";

export function a2aClient({ name, speaker, back, stranger, forgetsAppend = false }) {
  return { name, dialect: "a2a", back, stranger, open: (target) => new Talk(speaker(target), target, forgetsAppend) };
}

class Talk {
  artifacts = new Map();
  names = {};

  constructor(speaker, { key }, forgetsAppend) {
    Object.assign(this, { speaker, key, forgetsAppend });
  }

  async read() {
    const failed = await persist(() => this.take(this.speaker.send(this.key)), () => this.take(this.speaker.again(this.names.task)), () => this.over);
    return { text: this.shown(), failed };
  }

  async come({ task }) {
    const failed = await persist(() => this.take(this.speaker.again(task)), () => { throw last("it is broken"); }, () => this.over);
    return { text: this.shown(), failed };
  }

  async take(events) {
    for await (const { task, artifacts, state, why, artifact } of events) {
      if (task) this.names.task = task;
      if (artifacts && this.forgetsAppend) this.artifacts.clear();
      for (const { id, text } of artifacts ?? []) this.artifacts.set(id, text);
      if (artifact) this.add(artifact);
      if (["failed", "canceled", "rejected"].includes(state)) throw last(why || state);
      if (state === "completed") this.over = true;
    }
  }

  add({ id, append, text }) {
    const before = append || this.forgetsAppend ? this.artifacts.get(id) : "";
    this.artifacts.set(id, (before ?? "") + text);
  }

  shown() {
    return [...this.artifacts.values()].join("");
  }
}

const states = ["", "submitted", "working", "completed", "failed", "canceled", "input-required", "rejected", "auth-required"];

// speaker1 speaks version 1.0, by the binding of a transport.
export function speaker1({ ClientFactory, DefaultAgentCardResolver }, Transport) {
  return ({ url, principal }) => {
    const fetchImpl = authorized(principal);
    const client = new ClientFactory({ transports: [new Transport({ fetchImpl })], cardResolver: new DefaultAgentCardResolver({ fetchImpl }) }).createFromUrl(`${url}/`);
    client.catch(() => {}); // every call says it again
    return {
      async *send(text) {
        const message = {
          messageId: crypto.randomUUID(), role: 1, contextId: "", taskId: "", extensions: [], referenceTaskIds: [],
          parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }],
        };
        for await (const event of (await client).sendMessageStream({ message })) yield event1(event.payload);
      },
      async *again(id) {
        for await (const event of (await client).resubscribeTask({ id })) yield event1(event.payload);
      },
    };
  };
}

function event1({ $case, value }) {
  switch ($case) {
    case "task":
      return { task: value.id, state: states[value.status.state], artifacts: value.artifacts.map((a) => ({ id: a.artifactId, text: text1(a) })) };
    case "statusUpdate":
      return { state: states[value.status.state], why: value.status.message && text1(value.status.message) };
    case "artifactUpdate":
      return { artifact: { id: value.artifact.artifactId, text: text1(value.artifact), append: value.append } };
  }
  throw last(`an event that the SDK does not know: ${$case}`);
}

const text1 = ({ parts }) => parts.map((p) => (p.content?.$case === "text" ? p.content.value : "")).join("");

// speaker0 speaks version 0.3, likewise.
export function speaker0({ ClientFactory, DefaultAgentCardResolver }, Transport) {
  return ({ url, principal }) => {
    const fetchImpl = authorized(principal);
    const client = new ClientFactory({ transports: [new Transport({ fetchImpl })], cardResolver: new DefaultAgentCardResolver({ fetchImpl }) }).createFromUrl(`${url}/`);
    client.catch(() => {});
    return {
      async *send(text) {
        const message = { kind: "message", messageId: crypto.randomUUID(), role: "user", parts: [{ kind: "text", text }] };
        for await (const event of (await client).sendMessageStream({ message })) yield event0(event);
      },
      async *again(id) {
        for await (const event of (await client).resubscribeTask({ id })) yield event0(event);
      },
    };
  };
}

function event0(event) {
  switch (event.kind) {
    case "task":
      return { task: event.id, state: event.status.state, artifacts: (event.artifacts ?? []).map((a) => ({ id: a.artifactId, text: text0(a) })) };
    case "status-update":
      return { state: event.status.state, why: event.status.message && text0(event.status.message) };
    case "artifact-update":
      return { artifact: { id: event.artifact.artifactId, text: text0(event.artifact), append: event.append } };
  }
  throw last(`an event that the SDK does not know: ${event.kind}`);
}

const text0 = ({ parts }) => parts.map((p) => p.text ?? "").join("");
