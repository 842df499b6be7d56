// A client of A2A that has nothing but the URL of an agent: it reads the card, and keeps the context and the task of the conversation.

// words: it answers questions in words, as people do; else as data. forgetsAppend: the SDK loses what says that a piece is added.
export function a2aClient({ name, version, binding = "jsonrpc", speaker, agents, words, forgetsAppend }) {
  return {
    name, dialect: "a2a", options: { version, binding }, agents, can: { bring: false, tools: false, decide: true, form: true, regenerate: false }, open: (url) => new Talk(() => speaker(`${url}/`), words, forgetsAppend),
  };
}

class Talk {
  turns = 0;

  constructor(speak, words, forgetsAppend) {
    Object.assign(this, { speak, speaker: speak(), words, forgetsAppend });
  }

  say(text) {
    this.turns++;
    this.begin();
    return this.send([{ text }]);
  }

  // decide answers the question of the task: as data, since the protocol has no yes or no; in words, where the question has no name.
  decide(...yes) {
    const answers = this.asked.map((id, i) => (id === unnamed ? { text: yes[i] ? "yes" : "no" } : { data: { id, approved: yes[i] } }));
    this.begin();
    return this.send(answers, this.task);
  }

  // reply answers the question of the task that is no yes or no.
  reply(text) {
    const answers = this.words || this.asked[0] === unnamed ? [{ text }] : this.asked.map((id) => ({ data: { id, answer: text } }));
    this.begin();
    return this.send(answers, this.task);
  }

  // reload leaves the names of the context and the task; the task says what it waits for.
  async reload() {
    this.speaker = this.speak();
    this.asked = this.task ? (await this.speaker.get(this.task)).asks : [];
  }

  begin() {
    Object.assign(this, { artifacts: new Map(), asked: [], failed: undefined, state: undefined });
  }

  async send(parts, task) {
    try {
      for await (const event of this.speaker.send({ messageId: crypto.randomUUID(), context: this.context, task, parts })) this.take(event);
      if (this.state === "failed" || this.state === "rejected") this.failed = this.why || this.state;
      if (!this.state) this.failed = "the stream ends without a state";
      else await this.check();
    } catch (err) {
      this.failed = err.message;
    }
    return this.seen();
  }

  take({ task, context, state, asks, why, artifact }) {
    if (task) this.task = task;
    if (context) this.context = context;
    if (state) Object.assign(this, { state, why, asked: state === "input-required" ? asks : [] });
    if (artifact) this.artifacts.set(artifact.id, artifact.append || this.forgetsAppend ? (this.artifacts.get(artifact.id) ?? "") + artifact.text : artifact.text);
  }

  // check asks for the task of the stream: it has to be the same.
  async check() {
    const { state, artifacts } = await this.speaker.get(this.task);
    if (state !== this.state) throw new Error(`the task is ${state}, and its stream said ${this.state}`);
    if (!artifacts.join("").endsWith(this.shown())) throw new Error(`the task has ${JSON.stringify(artifacts)}, and its stream said ${JSON.stringify(this.shown())}`);
  }

  async stop() {
    await this.speaker.cancel(this.task);
  }

  shown() {
    return [...(this.artifacts?.values() ?? [])].join("");
  }

  seen() {
    return { text: this.shown(), calls: [], questions: this.asked, failed: this.failed, turns: this.turns };
  }
}

const states = ["", "submitted", "working", "completed", "failed", "canceled", "input-required", "rejected", "auth-required"];

// leadsHere fails where the card leads its clients elsewhere: they would have their conversation, and not with what is tried.
async function leadsHere(url) {
  const card = await (await fetch(`${url}.well-known/agent-card.json`)).json();
  const urls = [card.url, ...[...(card.supportedInterfaces ?? []), ...(card.additionalInterfaces ?? [])].map((i) => i.url)].filter(Boolean);
  const others = urls.filter((u) => !`${u}/`.startsWith(url));
  if (!urls.length || others.length) throw new Error(`the card of ${url} leads to ${others}`);
}

// factory makes clients that have no other way than by the binding of a transport.
function factory({ ClientFactory, ClientFactoryOptions }, Transport) {
  return new ClientFactory({ ...ClientFactoryOptions.default, transports: [new Transport()] });
}

// speaker1 speaks version 1.0, with the SDK's types.
export function speaker1(sdk, Transport = sdk.JsonRpcTransportFactory) {
  return (url) => {
    const client = leadsHere(url).then(() => factory(sdk, Transport).createFromUrl(url));
    client.catch(() => {}); // every call says it again
    return {
      async *send({ messageId, context = "", task = "", parts }) {
        const message = {
          messageId, role: 1, contextId: context, taskId: task, extensions: [], referenceTaskIds: [],
          parts: parts.map(({ text, data }) => ({ content: data ? { $case: "data", value: data } : { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" })),
        };
        for await (const { payload } of (await client).sendMessageStream({ message })) yield event1(payload);
      },
      async get(id) {
        const task = await (await client).getTask({ id });
        return { state: states[task.status.state], artifacts: task.artifacts.map(text1), ...asked1(task.status) };
      },
      cancel: async (id) => (await client).cancelTask({ id }),
    };
  };
}

function event1({ $case, value }) {
  switch ($case) {
    case "task":
      return { task: value.id, context: value.contextId, state: states[value.status.state] };
    case "statusUpdate":
      return { state: states[value.status.state], ...asked1(value.status) };
    case "artifactUpdate":
      return { artifact: { id: value.artifact.artifactId, text: text1(value.artifact), append: value.append } };
  }
  throw new Error(`an event that the SDK does not know: ${$case}`);
}

const asked1 = ({ message }) => asked((message?.parts ?? []).map((p) => ({ [p.content.$case]: p.content.value, metadata: p.metadata })));

const text1 = ({ parts }) => parts.map((p) => (p.content?.$case === "text" ? p.content.value : "")).join("");

// speaker0 speaks version 0.3.
export function speaker0(sdk, Transport = sdk.JsonRpcTransportFactory) {
  return (url) => {
    const client = leadsHere(url).then(() => factory(sdk, Transport).createFromUrl(url));
    client.catch(() => {}); // every call says it again
    return {
      async *send({ messageId, context, task, parts }) {
        const message = {
          kind: "message", messageId, role: "user", contextId: context, taskId: task,
          parts: parts.map(({ text, data }) => (data ? { kind: "data", data } : { kind: "text", text })),
        };
        for await (const event of (await client).sendMessageStream({ message })) yield event0(event);
      },
      async get(id) {
        const task = await (await client).getTask({ id });
        return { state: task.status.state, artifacts: (task.artifacts ?? []).map(text0), ...asked(task.status.message?.parts ?? []) };
      },
      cancel: async (id) => (await client).cancelTask({ id }),
    };
  };
}

function event0(event) {
  switch (event.kind) {
    case "task":
      return { task: event.id, context: event.contextId, state: event.status.state };
    case "status-update":
      return { state: event.status.state, ...asked(event.status.message?.parts ?? []) };
    case "artifact-update":
      return { artifact: { id: event.artifact.artifactId, text: text0(event.artifact), append: event.append } };
  }
  throw new Error(`an event that the SDK does not know: ${event.kind}`);
}

const text0 = ({ parts }) => parts.map((p) => p.text ?? "").join("");

const unnamed = "";

// asked are the questions of a message, which Sabir marks, and its words. An agent asks in words alone.
function asked(parts) {
  const marked = parts.filter((p) => p.metadata?.adk_type === "sabir_ask").map((p) => p.data.id);
  return { asks: marked.length > 0 ? marked : [unnamed], why: parts.map((p) => p.text ?? "").join("") };
}
