// An editor with the client of the ACP SDK: it starts "sabir acp" as its agent, or connects to a route, and asks its user in the middle of a turn.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { sleep } from "./talk.mjs";

// connect makes the SDK's stream of a URL, and what ends it; without it, the editor starts its agent. agents are those that it is tried with,
// all if there are none.
export function acpClient({ name, sdk, agents, connect = (url) => program(sdk, new URL(url).pathname) }) {
  return { name, agents, dialect: "acp", runtime: true, can: { bring: false, tools: false, decide: true, regenerate: false }, open: (url) => new Talk(sdk, connect(url)) };
}

// program starts the agent.
function program(sdk, route) {
  const { SABIR, SABIR_CONFIG } = process.env;
  const agent = spawn(SABIR, ["acp", "--config", SABIR_CONFIG, "--route", route], { stdio: ["pipe", "pipe", "inherit"] });
  return { stream: sdk.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), end: () => agent.stdin.end() };
}

class Talk {
  turns = 0;
  text = "";
  questions = []; // {options, resolve}

  constructor(sdk, { stream, end }) {
    this.close = end;
    this.editor = new sdk.ClientSideConnection(() => this, stream);
    this.session = this.begin(sdk.PROTOCOL_VERSION);
  }

  async begin(protocolVersion) {
    await this.editor.initialize({ protocolVersion, clientCapabilities: {} });
    return (await this.editor.newSession({ cwd: process.cwd(), mcpServers: [] })).sessionId;
  }

  sessionUpdate({ update }) {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") this.text += update.content.text;
  }

  requestPermission({ options }) {
    return new Promise((resolve) => this.questions.push({ options, resolve }));
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
