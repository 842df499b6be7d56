// An editor with the client of ACP's SDK, connected to a route. When its connection breaks it connects anew and loads the session: that
// tells what was said before, and goes on with the turn. Version 1 of the protocol does not say to such an editor that the turn has ended.
import { sleep } from "../../conversations/clients/talk.mjs";

const quiet = 2000; // ms without an update: the turn is over

// lasting: the connection is one in name only, and is there for a while without a request, unless the SDK manages to end it.
// What it loads does not say how a turn has ended.
export function acpClient({ name, sdk, connect, lasting, streams }) {
  const back = "`session/load` on a new connection";
  return { name, dialect: "acp", open: (target) => new Talk(sdk, connect, target), back, lasting, streams, nameless: true, endless: true };
}

// isAnswer: the agent says so, and the connection is whole.
const isAnswer = (err) => typeof err.code === "number";

class Talk {
  text = "";
  names = {};
  at = 0; // when the last update came

  constructor(sdk, connect, target) {
    Object.assign(this, { sdk, connect, target, key: target.key });
  }

  // open connects.
  async open() {
    const { url, principal } = this.target;
    this.editor = new this.sdk.ClientSideConnection(() => this, this.connect(url, principal));
    this.broken = this.editor.closed;
    await this.orBroken(this.editor.initialize({ protocolVersion: this.sdk.PROTOCOL_VERSION, clientCapabilities: {} }));
    return { cwd: "/", mcpServers: [] };
  }

  orBroken(answer) {
    answer.catch(() => {});
    return Promise.race([answer, this.broken.then(() => { throw new Error("the connection is broken"); })]);
  }

  async read() {
    try {
      const place = await this.open();
      this.names.session = (await this.orBroken(this.editor.newSession(place))).sessionId;
      const { stopReason } = await this.orBroken(this.editor.prompt({ sessionId: this.names.session, prompt: [{ type: "text", text: this.key }] }));
      return { text: this.text, failed: stopReason === "end_turn" ? undefined : stopReason };
    } catch (err) {
      if (!this.names.session || isAnswer(err)) return { text: this.text, failed: err.message };
    }
    return this.come(this.names);
  }

  async come({ session }) {
    for (let n = 0; n < 5; n++) {
      try {
        return await this.load(session);
      } catch (err) {
        if (isAnswer(err)) return { text: this.text, failed: err.message };
      }
    }
    return { text: this.text, failed: "the connection breaks again and again" };
  }

  async load(sessionId) {
    this.text = "";
    const place = await this.open();
    await this.orBroken(this.editor.loadSession({ sessionId, ...place }));
    this.at = Date.now();
    while (Date.now() - this.at < quiet) await this.orBroken(sleep(20));
    return { text: this.text, failed: this.users.join() === this.key ? this.failed : `the user has said ${this.users}` };
  }

  users = [];

  sessionUpdate({ update }) {
    this.at = Date.now();
    if (update.sessionUpdate === "agent_message_chunk") this.text += update.content.text;
    if (update.sessionUpdate === "user_message_chunk") this.users = [update.content.text];
  }

  requestPermission() {
    return { outcome: { outcome: "cancelled" } };
  }

  shown() {
    return this.text;
  }
}
