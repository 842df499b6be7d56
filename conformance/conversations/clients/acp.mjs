// An editor with the client of the ACP SDK: it starts "sabir acp" as its agent, and asks its user in the middle of a turn.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { sleep } from "./talk.mjs";

export function acpClient({ name, sdk }) {
  return { name, dialect: "acp", runtime: true, can: { bring: false, tools: false, decide: true, regenerate: false }, open: (url) => new Talk(sdk, new URL(url).pathname) };
}

class Talk {
  turns = 0;
  text = "";
  questions = []; // {options, resolve}

  constructor(sdk, route) {
    const { SABIR, SABIR_CONFIG } = process.env;
    this.agent = spawn(SABIR, ["acp", "--config", SABIR_CONFIG, "--route", route], { stdio: ["pipe", "pipe", "inherit"] });
    const stream = sdk.ndJsonStream(Writable.toWeb(this.agent.stdin), Readable.toWeb(this.agent.stdout));
    this.editor = new sdk.ClientSideConnection(() => this, stream);
    this.session = this.begin(sdk.PROTOCOL_VERSION);
  }

  async begin(protocolVersion) {
    await this.editor.initialize({ protocolVersion, clientCapabilities: {} });
    return (await this.editor.newSession({ cwd: process.cwd(), mcpServers: [] })).sessionId;
  }

  // close ends the editor, and with it its agent.
  close() {
    this.agent.stdin.end();
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
