// Google's SDK with the Interactions API, where the server remembers: the application sends what is new, and goes on from the interaction before
// (previous_interaction_id).
import { askUser, kept } from "./talk.mjs";

const tools = [{ type: "function", name: askUser.name, description: askUser.description, parameters: askUser.schema }];

export function interactionsClient({ name, GoogleGenAI }) {
  return { name, dialect: "gemini-interactions", can: { bring: true, decide: false }, open: (url) => new Talk(GoogleGenAI, url) };
}

class Talk {
  users = 0;

  turns = []; // the interactions from which the turns of the user's went on

  constructor(GoogleGenAI, url) {
    this.begin = () => {
      this.interactions = new GoogleGenAI({ apiKey: "conformance", httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } }).interactions;
    };
    this.begin();
  }

  say(text) {
    this.users += 1;
    this.asked = text;
    this.turns.push(this.id);
    return this.run(text, "");
  }

  answer(result) {
    return this.run(this.calls.map(({ id, name }) => ({ type: "function_result", call_id: id, name, result })), this.text);
  }

  // Two interactions go on from one then.
  regenerate() {
    this.id = this.turns.at(-1);
    return this.run(this.asked, "");
  }

  edit(text) {
    [this.id] = this.turns.splice(-2);
    this.users -= 2;
    return this.say(text);
  }

  // reload leaves what names the interactions.
  reload() {
    Object.assign(this, kept({ id: this.id, turns: this.turns.map((id) => id ?? null) }));
    this.begin();
  }

  stop() {
    this.stopped = true;
    this.aborter.abort();
  }

  shown() {
    return this.text ?? "";
  }

  async run(input, before) {
    Object.assign(this, { text: before, stopped: false, calls: [], open: new Map(), steps: [], failed: undefined, aborter: new AbortController() });
    try {
      const request = { model: "scripted", input, tools, previous_interaction_id: this.id ?? undefined, stream: true };
      for await (const e of await this.interactions.create(request, { signal: this.aborter.signal })) {
        if (this.stopped) break; // now and then the SDK goes on reading behind the abort
        takers[e.event_type]?.(this, e);
      }
      if (!this.failed) await this.check();
    } catch (err) {
      if (!this.stopped) this.failed = err.message;
    }
    return {
      text: this.text, calls: this.calls.map(({ name, arguments: args }) => ({ name, args })), questions: [], failed: this.failed, turns: this.users,
    };
  }

  // The interaction that is remembered is the one that was streamed.
  async check() {
    const { status, steps } = await this.interactions.get(this.id);
    if (status !== this.status || JSON.stringify(steps) !== JSON.stringify(this.steps)) {
      throw new Error(`remembered is ${status} ${JSON.stringify(steps)}, streamed was ${this.status} ${JSON.stringify(this.steps)}`);
    }
  }
}

const takers = {
  "interaction.created": (talk, { interaction }) => { talk.id = interaction.id; },
  "step.start": (talk, { index, step }) => {
    talk.open.set(index, { step, args: "" });
    talk.steps.push(step);
  },
  "step.delta": (talk, { index, delta }) => {
    const at = talk.open.get(index);
    if (delta.type === "arguments_delta") at.args += delta.arguments;
    if (delta.type !== "text") return;
    talk.text += delta.text;
    at.step.content ??= [{ type: "text", text: "" }];
    at.step.content[0].text += delta.text;
  },
  "step.stop": (talk, { index }) => {
    const { step, args } = talk.open.get(index);
    if (args) step.arguments = JSON.parse(args);
    if (step.type === "function_call") talk.calls.push(step);
  },
  "interaction.completed": (talk, { interaction }) => { talk.status = interaction.status; },
  error: (talk, { error }) => { talk.failed = error.message; },
};
