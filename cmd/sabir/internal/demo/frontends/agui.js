// A front end that speaks AG-UI, by HttpAgent of @ag-ui/client: what CopilotKit reads an agent with.
import { aguiVersion, HttpAgent } from "./clients.js";

export class Agui {
  title = "AG-UI";
  path = "/agui";
  library = `HttpAgent of @ag-ui/client ${aguiVersion}, as in CopilotKit`;

  constructor({ base, fetch, changed }) {
    this.agent = new HttpAgent({ url: base + this.path, fetch, threadId: "demo" });
    this.changed = changed;
  }

  // ask resolves when the run has ended, to an error if it failed.
  async ask(text) {
    let failure;
    this.agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
    const said = {
      onEvent: () => this.changed(1),
      onMessagesChanged: () => this.changed(0),
      onRunErrorEvent: ({ event }) => { failure = event.message; },
      onRunFailed: ({ error }) => { failure ??= error.message; },
    };
    await this.agent.runAgent({}, said).catch((err) => { failure ??= err.message; });
    return failure;
  }

  stop() { this.agent.abortRun(); }

  // items are what the client has understood, for the pane.
  items() {
    const results = new Map(this.agent.messages.filter((m) => m.role === "tool").map((m) => [m.toolCallId, m]));
    return this.agent.messages.flatMap((m) => shown[m.role]?.(m, results) ?? []);
  }
}

const shown = {
  user: (m) => ({ key: m.id, kind: "user", text: m.content }),
  reasoning: (m) => ({ key: m.id, kind: "reasoning", text: m.content }),
  assistant: (m, results) => [...said(m), ...(m.toolCalls ?? []).map((call) => tool(call, results.get(call.id)))],
  activity: (m) => (m.activityType === "PLAN" ? { key: m.id, kind: "plan", steps: m.content.items } : []),
};

const said = (m) => (m.content ? [{ key: m.id, kind: "text", text: m.content }] : []);

function tool(call, result) {
  const state = result === undefined ? "running" : result.error ? "failed" : "done";
  return { key: call.id, kind: "tool", name: call.function.name, state, input: call.function.arguments, output: result?.content };
}
