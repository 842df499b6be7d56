// Runs each command of the documents: of README.md, docs and the READMEs of examples and of this folder, every one in a block of sh, bash,
// console or shell. Those of a document run in the order in which they stand there, by a shell, in a new folder with what the document
// takes for granted (commands/given.mjs). A server stays until the next one or the end of the document, and is asked once by the line of curl
// that it prints.
//
//	node commands.mjs <path of the sabir binary> [--only TEXT] [--list]
//
// What is not run here stands in commands/elsewhere.mjs: what else in CI runs it, which is looked up there, or why nothing can. Ports are
// others here, and "go run ./cmd/sabir" is the binary. A command that is in neither place is run, and fails if it cannot be; an entry whose command no
// document has is a failure, too.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { agent } from "./commands/agent.mjs";
import { elsewhere } from "./commands/elsewhere.mjs";
import { given } from "./commands/given.mjs";
import { answers, end, start, stop } from "./lib/processes.mjs";
import { freePort } from "./lib/server.mjs";

const { values: options, positionals: [sabir] } = parseArgs({ allowPositionals: true, options: { only: { type: "string" }, list: { type: "boolean" } } });
if (!sabir) {
  console.error("usage: node commands.mjs <path of the sabir binary> [--only TEXT] [--list]");
  process.exit(2);
}
const here = path.dirname(new URL(import.meta.url).pathname);
const root = path.join(here, "..");
const documents = ["README.md", "conformance/README.md"];
for (const dir of ["docs", "examples"]) {
  for (const file of fs.readdirSync(path.join(root, dir), { recursive: true })) {
    if (file.endsWith(".md") && !file.includes("node_modules") && !file.includes(".venv")) documents.push(path.join(dir, file));
  }
}

// commands are those of a text, one a line, without comments. A line goes on after a backslash.
function commands(text) {
  const blocks = [...text.matchAll(/^[ \t]*```(?:sh|bash|console|shell)\b[^\n]*\n(.*?)^[ \t]*```/gms)].map((m) => m[1]);
  const lines = blocks.join("\n").replaceAll("\\\n", " ").split("\n");
  return lines.map((line) => line.replace(/(^|\s)#.*$/, "").replace(/^\s*\$ /, "").replaceAll(/\s+/g, " ").trim()).filter(Boolean);
}

const used = new Set(); // entries of elsewhere
let faults = 0;
const count = { run: 0, elsewhere: 0, not: 0 };

function fault(document, command, why) {
  faults++;
  console.error(`FAIL ${document}: ${command}\n     ${why.replaceAll("\n", "\n     ")}`);
}

// known reports whether a command is not to be run here, and whether what is said of it is so.
function known(document, command) {
  const entry = elsewhere.find((e) => (e.in === document || e.in.endsWith("/") && document.startsWith(e.in)) && (e.command === undefined || e.command === command));
  if (!entry) return false;
  used.add(entry);
  if (entry.why) {
    count.not++;
    if (options.list) console.log(`not  ${document}: ${command}\n     ${entry.why}`);
    return true;
  }
  count.elsewhere++;
  const text = fs.readFileSync(path.join(root, entry.by), "utf8");
  if (!text.includes(entry.has(document))) fault(document, command, `${entry.by} does not have ${JSON.stringify(entry.has(document))}, by which it would run this`);
  return true;
}

// Visit is a document whose commands are run.
class Visit {
  constructor(document, ports) {
    this.document = document;
    this.ports = ports;
    this.dir = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-commands-"));
    this.env = { PATH: `${this.dir}/bin:${path.join(here, ".venv/bin")}:${process.env.PATH}`, KEY: "operator" };
    fs.mkdirSync(path.join(this.dir, "bin"));
    fs.symlinkSync(path.resolve(sabir), path.join(this.dir, "bin", "sabir"));
    this.server = null;
  }

  // here is a text with the ports of this run.
  here(text) {
    for (const [port, free] of Object.entries(this.ports)) text = text.replaceAll(new RegExp(`(?<!\\d)${port}(?!\\d)`, "g"), String(free));
    return text;
  }

  write(name, text) {
    const file = path.join(this.dir, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const admin = name.endsWith(".yaml") && !/^admin:/m.test(text) ? `admin: 127.0.0.1:${this.ports[9090]}\n` : "";
    fs.writeFileSync(file, admin + this.here(text));
  }

  // do runs a command, with what comes before it and after it here.
  async do(command) {
    const what = given[this.document]?.commands?.[command] ?? {};
    await what.before?.(this);
    let line = this.here(command).replace(/^(go run (\.|\.\.\/\.\.)\/cmd\/sabir|\.\/sabir)(?= )/, "sabir");
    line = line.replace(/^sabir (proxy|record|replay) /, `$& --listen 127.0.0.1:${this.ports[8080]} --admin 127.0.0.1:${this.ports[9090]} `); // in place of the usual ones
    const serves = /^sabir (proxy|serve|record|replay) |^uvicorn /.test(line);
    await (serves ? this.serve(line, what) : this.shell(line, what));
    count.run++;
    console.log(`ok   ${this.document}: ${command}`);
  }

  // ended ends the server that was begun last.
  async ended() {
    if (this.server) await end(this.server);
    this.server = null;
  }

  // move has another free port stand for one, until back: the agent of this script has its own.
  async move(port) {
    this.moved = { ...this.ports };
    this.ports[port] = await freePort();
  }

  back() { this.ports = this.moved; }

  folder({ cwd = "", root: atRoot = false }) { return atRoot ? root : path.join(this.dir, cwd); }

  async shell(line, what) {
    const { wants = "" } = what;
    const child = spawn("bash", ["-euo", "pipefail", "-c", line], { cwd: this.folder(what), env: { ...process.env, ...this.env }, stdio: ["ignore", "pipe", "pipe"], timeout: 600_000 });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (p) => (out += p));
    const status = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
    if (status !== 0 || !out.includes(wants)) throw new Error(`status ${status}, wanted 0 and ${JSON.stringify(wants)}:\n${out}`);
  }

  // serve begins a server in place of the one before, and asks it by the line of curl that it prints.
  async serve(line, what) {
    const { wants = "Ahoy", port = 8080, beside = false, asked = true } = what;
    if (!beside) await this.ended();
    const child = start(line, "bash", ["-c", `exec ${line}`], this.env, this.folder(what));
    if (!beside) this.server = child;
    await answers(line, this.ports[port], child);
    if (!asked || !/^sabir (proxy|record|replay) /.test(line)) return; // what "sabir serve" serves is asked by the command behind it
    for (const until = Date.now() + 10_000; Date.now() < until && !/^ *curl -N/m.test(child.log); ) await new Promise((resolve) => setTimeout(resolve, 50));
    const curl = /^ *(curl -N .*)$/m.exec(child.log)?.[1];
    if (!curl) throw new Error(`it says no line of curl:\n${child.log}`);
    await this.shell(curl.replace("curl -N", "curl -sN --fail-with-body"), { wants }).catch((err) => { throw new Error(`${curl}\n${err.message}\n${child.log}`); });
  }

  async leave() {
    await stop();
    fs.rmSync(this.dir, { recursive: true });
  }
}

async function visit(document) {
  const todo = commands(fs.readFileSync(path.join(root, document), "utf8")).filter((command) => !known(document, command));
  if (todo.length === 0) return;
  const ports = {};
  for (const port of [8080, 9000, 9090, 2024]) ports[port] = await freePort();
  const it = new Visit(document, ports);
  const behind = await agent(ports[9000]);
  try {
    await given[document]?.before?.(it);
    for (const command of todo) await it.do(command).catch((err) => fault(document, command, err.message));
  } finally {
    await it.leave();
    behind.closeAllConnections();
    behind.close();
  }
}

for (const document of documents) if (document.includes(options.only ?? "")) await visit(document);
if (!options.only) for (const e of elsewhere) if (!used.has(e)) fault(e.in, e.command ?? "any", "no document has this command, but commands/elsewhere.mjs");
if (!options.only && count.run < 20) fault("all", "any", `only ${count.run} commands were run: are they found?`);
console.log(`commands of ${documents.length} documents: ${count.run} run, ${count.elsewhere} run elsewhere in CI, ${count.not} that cannot be run here`);
process.exit(faults ? 1 : 0);
