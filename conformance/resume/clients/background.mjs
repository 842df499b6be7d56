// Responses that run in the background: who asked for one has its name at once, and reads it, or asks how far it is, as long as it likes.
// It goes on without a reader.
import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import { Talk } from "./responses.mjs";
import { last } from "./talk.mjs";

const about = { dialect: "openai-responses", stranger: 404, counts: true, stays: true, comesLater: true };

// streams: the request that begins it has a stream of its own.
export function backgroundClient({ name, OpenAI, streams }) {
  return {
    ...about, name, open: (target) => new Background(OpenAI, target, streams),
    back: `\`create({background: true${streams ? ", stream: true" : ""}})\`, then \`retrieve\``,
  };
}

class Background extends Talk {
  constructor(OpenAI, target, streams) {
    super(OpenAI, target, false);
    this.streams = streams;
  }

  async begin() {
    if (this.streams) return this.client.responses.create({ model: "m", input: this.key, background: true, stream: true });
    const { id, status } = await this.client.responses.create({ model: "m", input: this.key, background: true });
    if (status !== "queued") throw last(`it is ${status}`);
    this.names.id = id;
    return this.again(id);
  }

  async come(names) {
    const { text, failed } = await super.come(names);
    return { text, failed: failed ?? await this.differs(names.id) };
  }

  async read() {
    const { text, failed } = await super.read();
    return { text, failed: failed ?? await this.differs(this.names.id) };
  }

  // differs says what is wrong with the answer as it is kept.
  async differs(id) {
    const kept = await this.client.responses.retrieve(id);
    if (kept.status !== "completed" || !kept.background || kept.output_text !== this.text) return `what is kept is ${JSON.stringify(kept)}`;
    const cancelled = await this.client.responses.cancel(id); // too late
    return cancelled.status === "completed" ? undefined : `it was cancelled behind its end: ${JSON.stringify(cancelled)}`;
  }
}

// pythonClient is the package for Python, in background.py.
export function pythonClient({ name }) {
  return {
    ...about, name, ready: () => started().ready, open: (target) => new Python(target),
    back: "`create(background=True)`, then `retrieve(id, stream=True, starting_after)`",
  };
}

// program is one for all of them: it takes long to start.
const program = { waiting: new Map() };

function started() {
  if (program.child) return program;
  const python = path.join(import.meta.dirname, "..", "..", ".venv", "bin", "python");
  program.child = spawn(python, [path.join(import.meta.dirname, "background.py")], { stdio: ["pipe", "pipe", "inherit"] });
  readline.createInterface({ input: program.child.stdout }).on("line", (line) => {
    const { number, ...message } = JSON.parse(line);
    program.waiting.get(number)?.(message);
  });
  program.child.on("exit", () => program.waiting.forEach((take) => take({ failed: "the program has ended" })));
  for (const part of [program.child, program.child.stdin, program.child.stdout]) part.unref();
  program.ready = new Promise((resolve) => program.child.stdout.once("data", resolve));
  return program;
}

class Python {
  text = "";
  names = {};

  constructor(target) {
    this.target = target;
  }

  read() {
    return this.run();
  }

  come({ id }) {
    return this.run(id);
  }

  run(...answer) {
    const { url, principal, key } = this.target;
    const number = program.waiting.size + 1;
    return new Promise((resolve) => {
      program.waiting.set(number, (message) => {
        this.names.id = message.id ?? this.names.id;
        this.text = message.text ?? this.text;
        if (message.over || message.failed) resolve({ text: this.text, failed: message.failed });
      });
      started().child.stdin.write(`${JSON.stringify([number, url, principal, key, ...answer])}\n`);
    });
  }

  shown() {
    return this.text;
  }
}
