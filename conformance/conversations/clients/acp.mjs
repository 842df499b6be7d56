// An editor with the client of the ACP SDK: it starts "sabir acp" as its agent, or connects to a route, and asks its user in the middle of a turn.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { sleep } from "./talk.mjs";

// connect makes the SDK's stream of a URL, and what ends it; without it, the editor starts its agent. agents are those that it is tried with,
// all if there are none.
export function acpClient({ name, sdk, agents, connect }) {
  return {
    name, agents, dialect: "acp", runtime: true, waits: true,
    can: { bring: false, tools: false, decide: true, form: true, regenerate: false, reload: Boolean(connect), reask: false },
    open: (url) => new Talk(sdk, () => (connect ? connect(url) : program(sdk, new URL(url).pathname))),
  };
}

// program starts the agent.
function program(sdk, route) {
  const { SABIR, SABIR_CONFIG } = process.env;
  const agent = spawn(SABIR, ["acp", "--config", SABIR_CONFIG, "--route", route], { stdio: ["pipe", "pipe", "inherit"] });
  return { stream: sdk.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), end: () => agent.stdin.end() };
}

// fillIn fills in the form of a question, which has one field.
function fillIn({ schema, resolve }, text) {
  resolve({ action: "accept", content: { [Object.keys(schema.properties)[0]]: text } });
}

class Talk {
  turns = 0;
  text = "";
  questions = []; // {options, resolve}

  constructor(sdk, connect) {
    Object.assign(this, { sdk, connect });
    this.session = this.begin(({ editor, place }) => editor.newSession(place)).then((s) => s.sessionId);
  }

  // begin connects, and opens a session.
  async begin(open) {
    const { stream, end } = this.connect();
    this.close = end;
    this.editor = new this.sdk.ClientSideConnection(() => this, stream);
    const { agentCapabilities: can } = await this.editor.initialize({
      protocolVersion: this.sdk.PROTOCOL_VERSION, clientCapabilities: { elicitation: { form: {} } },
    });
    return open({ editor: this.editor, can, place: { cwd: process.cwd(), mcpServers: [] } });
  }

  // reload leaves the name of the session, which the agent tells again if it can, or goes on with.
  async reload() {
    const sessionId = await this.session;
    this.close();
    this.text = "";
    await this.begin(({ editor, can, place }) => (can.loadSession ? editor.loadSession : editor.resumeSession).call(editor, { sessionId, ...place }));
    this.again = this.text;
  }

  sessionUpdate({ update }) {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") this.text += update.content.text;
  }

  requestPermission({ options }) {
    return new Promise((resolve) => this.questions.push({ options, resolve }));
  }

  createElicitation({ message, requestedSchema }) {
    return new Promise((resolve) => this.questions.push({ message, schema: requestedSchema, resolve }));
  }

  async reply(text) {
    for (const q of this.questions.splice(0)) fillIn(q, text);
    return this.seen();
  }

  async say(text) {
    this.turns++;
    this.text = "";
    this.failed = undefined;
    this.over = false;
    const sessionId = await this.session;
    this.editor.prompt({ sessionId, prompt: [{ type: "text", text }] })
      .then(({ stopReason }) => { this.reason = stopReason; }, (err) => { this.failed = err.message; })
      .finally(() => { this.over = true; });
    return this.seen();
  }

  async decide(...yes) {
    const asked = this.questions.splice(0);
    for (const [i, q] of asked.entries()) {
      if (q.schema) {
        fillIn(q, yes[i] ? "yes" : "no");
        continue;
      }
      const { optionId } = q.options.find((o) => o.kind.startsWith(yes[i] ? "allow" : "reject"));
      q.resolve({ outcome: { outcome: "selected", optionId } });
    }
    return this.seen();
  }

  async stop() {
    await this.editor.cancel({ sessionId: await this.session });
  }

  shown() {
    return this.text;
  }

  // seen waits until the turn is over, or the user is asked and nothing more comes.
  async seen() {
    for (let quiet = 0; !this.over && quiet < 20; await sleep(10)) quiet = this.questions.length > 0 ? quiet + 1 : 0;
    return { text: this.text, calls: [], questions: this.questions.map((_, i) => i), failed: this.failed, turns: this.turns };
  }
}
