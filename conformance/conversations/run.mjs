// Whole conversations between real clients and real agents that speak different protocols, through "sabir serve": requests and
// answers are translated.
//
//	node conversations/run.mjs <path of the sabir binary> [--write] [--only TEXT] [--verbose]
//
// Each client first talks with an agent of its own dialect, without a proxy: a conversation that goes wrong there is not Sabir's fault.
// It fails if a conversation does not go as it should, if one does that known.mjs says does not, or if docs/conversations.md
// does not say so; --write writes that. --only tries the cells alone whose name has the text in it, with "direct" those without a proxy, and leaves the document alone.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startAgents } from "./agents.mjs";
import { compare } from "../lib/marked.mjs";
import { clients } from "./clients.mjs";
import { table } from "./document.mjs";
import { known } from "./known.mjs";
import { listening, start, stop } from "./processes.mjs";
import { scenarios } from "./scenarios.mjs";

const { values: options, positionals: [sabir] } = parseArgs({
  allowPositionals: true, options: { write: { type: "boolean" }, only: { type: "string" }, verbose: { type: "boolean" } },
});
if (!sabir) {
  console.error("usage: node conversations/run.mjs <path of the sabir binary> [--write] [--only TEXT] [--verbose]");
  process.exit(2);
}
const document = path.join(path.dirname(new URL(import.meta.url).pathname), "..", "..", "docs", "conversations.md");
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-conversations-"));
const atOnce = 4;

let failed = true;
try {
  const { agents, close } = await startAgents(start, dir);
  const cells = cellsOf(agents);
  const base = await serve(agents);
  const say = console.error;
  if (!options.verbose) console.error = console.warn = () => {}; // clients report failures there, too
  await all(cells.filter((c) => c.tried), (cell) => hold(cell, base));
  console.error = say;
  close();
  failed = report(cells);
} finally {
  await stop();
  fs.rmSync(dir, { recursive: true });
}
process.exit(failed ? 1 : 0);

// cellsOf lists what there is to try. What a client or an agent has no form for is not tried.
function cellsOf(agents) {
  const cells = [];
  for (const client of clients) {
    for (const agent of agents.filter((a) => talks(client, a) && (a.dialect !== client.dialect || !client.runtime))) {
      for (const [id, scenario] of Object.entries(scenarios)) {
        if (client.dialect === agent.dialect && scenario.direct === false) continue;
        cells.push(newCell(client, agent, id, scenario, cells.length));
      }
    }
  }
  return options.only ? cells.filter((c) => c.name.includes(options.only) || (options.only === "direct" && c.direct)) : cells;
}

// talks reports whether a pair is tried. Agents that take their time are talked with by some clients only, and some clients talk with a few.
function talks(client, agent) {
  return client.agents?.includes(agent.name) ?? (!agent.clients || agent.clients.includes(client.name));
}

function newCell(client, agent, id, scenario, n) {
  const missing = scenario.needs.find((need) => !need.can({ client, agent }));
  const fault = client.dialect !== agent.dialect &&
    known.find((k) => matches(k.client, client.name) && matches(k.agent, agent.name) && matches(k.scenario, id));
  return {
    client, agent, scenario, direct: client.dialect === agent.dialect, name: `${client.name} / ${agent.name} / ${id}`, key: `k${n}`, tried: !missing,
    reason: missing?.reason ?? fault?.reason, remark: scenario.remark?.({ client, agent }), known: Boolean(!missing && fault),
  };
}

function matches(want, is) {
  return want === undefined || [want].flat().includes(is);
}

// serve starts the proxy with a route for each pair.
async function serve(agents) {
  const upstreams = Object.fromEntries(agents.map((a) => [slug(a.name), upstreamOf(a)]));
  const routes = clients.flatMap((c) => agents.filter((a) => a.dialect !== c.dialect && talks(c, a)).map((a) => ({
    path: `${pathOf(c, a)}/*`, upstream: slug(a.name), client: c.dialect, options: c.options ?? {}, methods: ["GET", "POST"], requests: a.command ? {} : { model: "scripted" }, errors: { expose: true },
  })));
  const file = path.join(dir, "sabir.yaml");
  Object.assign(process.env, { SABIR: sabir, SABIR_CONFIG: file }); // for clients that start it themselves
  fs.writeFileSync(file, JSON.stringify({ listen: "127.0.0.1:0", admin: "", log: { level: "error" }, upstreams, routes })); // JSON is YAML
  return listening(start("sabir", sabir, ["serve", "--config", file]));
}

function upstreamOf({ url, dialect, command, env }) {
  return command ? { command, dialect, process: { set_env: env, max: 8, idle: "3s" } } : { url, dialect };
}

function slug(name) {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_|_$/g, "");
}

function pathOf(client, agent) {
  return `/${slug(client.name)}/${slug(agent.name)}`;
}

// all holds some conversations at once.
async function all(cells, f) {
  const queue = [...cells];
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (let cell; (cell = queue.shift()); ) await f(cell);
  }));
}

async function hold(cell, base) {
  const { client, agent, key } = cell;
  let timer;
  const most = agent.program ? 90 : 20; // seconds; programs have to start
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`it has not ended within ${most} s`)), most * 1000); });
  const talks = [];
  try {
    const open = () => {
      talks.push(Object.assign(client.open(cell.direct ? agent.base : base + pathOf(client, agent)), { key }));
      return talks.at(-1);
    };
    await Promise.race([cell.scenario.run({ talk: open(), open, key, agent, client }), late]);
  } catch (err) {
    cell.fault = err;
  } finally {
    clearTimeout(timer);
    for (const talk of talks) talk.close?.();
  }
}

// said is a fault in one line.
function said({ message, generatedMessage, expected, actual }) {
  return generatedMessage === false || expected === undefined ? message.split("\n")[0] : `want ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
}

// report prints what is not as it should be, and reports whether there is anything.
function report(cells) {
  const tried = cells.filter((c) => c.tried);
  const broken = tried.filter((c) => c.fault && !c.known);
  const mended = tried.filter((c) => !c.fault && c.known);
  for (const c of broken) console.error(`${c.name}: ${options.verbose ? c.fault.stack : said(c.fault)}`);
  for (const c of mended) console.error(`${c.name} works, but known.mjs says: ${c.reason}`);
  const works = tried.filter((c) => !c.fault).length;
  console.log(`${works} conversations went as they should, ${tried.length - works} did not, of which ${tried.length - works - broken.length} are known`);
  if (broken.length + mended.length > 0) return true;
  if (options.only || compare(document, "conversations", table(cells.filter((c) => !c.direct)), options.write)) return false;
  console.error("docs/conversations.md is stale: node conformance/conversations/run.mjs <sabir> --write");
  return true;
}
