// Whole conversations between real clients and real agents that speak different protocols, through "sabir serve": requests and
// answers are translated.
//
//	node conversations/run.mjs <path of the sabir binary> [--write] [--only TEXT]... [--share K/N] [--verbose]
//
// Each client also talks with an agent of its own dialect, without a proxy: a conversation that goes wrong there is not Sabir's fault; and
// through Sabir, where everything passes as it is.
// It fails if a conversation does not go as it should, if one does that known.mjs says does not, or if docs/conversations.md
// does not say so; --write writes that. --only tries the cells alone whose name (client / agent / scenario) has all these texts in it, or of A|B one of them, with "direct" those without a
// proxy and with "passed" those of one dialect through it, and leaves the document alone. --share holds one conversation in N, from the K-th on, and takes the others for what known.mjs says.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startAgents } from "./agents.mjs";
import { compare } from "../lib/marked.mjs";
import { readShare } from "../lib/share.mjs";
import { clients } from "./clients.mjs";
import { table } from "./document.mjs";
import { known } from "./known.mjs";
import { listening, start, stop } from "../lib/processes.mjs";
import { expires, scenarios } from "./scenarios.mjs";

const { values: options, positionals: [sabir] } = parseArgs({
  allowPositionals: true, options: { write: { type: "boolean" }, only: { type: "string", multiple: true }, share: { type: "string", default: "0/1" }, verbose: { type: "boolean" } },
});
const { share: first, shares } = readShare(options.share) ?? {};
if (!sabir || !shares || (options.write && shares > 1)) {
  console.error("usage: node conversations/run.mjs <path of the sabir binary> [--write] [--only TEXT]... [--share K/N] [--verbose]; --write wants all of them");
  process.exit(2);
}
const document = path.join(path.dirname(new URL(import.meta.url).pathname), "..", "..", "docs", "conversations.md");
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-conversations-"));
const atOnce = 4; // conversations with servers
const briefly = "/brief"; // the routes that do not wait long for answers
const programsAtOnce = 3; // which take a core each to start

let failed = true;
try {
  const { agents, close } = await startAgents(start, dir, (agent) => clients.some((c) => Object.keys(scenarios).some((id) => isWanted(nameOf(c, agent, id)))));
  const cells = cellsOf(agents);
  const base = await serve(agents);
  const say = console.error;
  if (!options.verbose) console.error = console.warn = () => {}; // clients report failures there, too
  const tried = cells.filter((c) => c.tried && c.share === first);
  await all(tried.filter((c) => !c.scenario.last), (cell) => hold(cell, base));
  await restarts(tried.filter((c) => c.scenario.last), base);
  console.error = say;
  close();
  failed = report(cells, tried);
} finally {
  await stop();
  fs.rmSync(dir, { recursive: true });
}
process.exit(failed ? 1 : 0);

// cellsOf lists what there is to try. What a client or an agent has no form for is not tried.
function cellsOf(agents) {
  const cells = [];
  let pair = 0; // begins the shares, so that each has all scenarios and all pairs
  for (const client of clients) {
    for (const agent of agents.filter((a) => talks(client, a) && (!alike(client, a) || !client.runtime))) {
      pair++;
      for (const [i, [id, scenario]] of Object.entries(scenarios).entries()) {
        for (const mode of modesOf(client, agent, scenario)) {
          cells.push({ ...newCell(client, agent, id, scenario, mode, cells.length), share: (pair + i) % shares });
        }
      }
    }
  }
  return cells.filter((c) => isWanted(c.name, c.mode));
}

function nameOf(client, agent, id) {
  return `${client.name} / ${agent} / ${id}`;
}

// modesOf says in which ways a conversation is held.
function modesOf(client, agent, scenario) {
  if (!alike(client, agent)) return ["translated"];
  if (scenario.direct === false) return [];
  return agent.base ? ["direct", "passed"] : ["direct"];
}

// alike reports whether a client speaks the dialect of an agent, in the same version and binding.
function alike(client, agent) {
  const differs = (option) => client.options?.[option] && agent.options?.[option] && client.options[option] !== agent.options[option];
  return client.dialect === agent.dialect && !differs("version") && !differs("binding");
}

// isWanted reports whether --only has a cell of that name. In which way it is held may not be known yet.
function isWanted(name, mode) {
  const has = (text) => name.includes(text) || (["direct", "passed"].includes(text) && (!mode || mode === text));
  return (options.only ?? []).every((texts) => texts.split("|").some(has));
}

// talks reports whether a pair is tried. Agents that take their time are talked with by some clients only, and some clients talk with a few.
function talks(client, agent) {
  return client.agents?.includes(agent.name) ?? (!agent.clients || agent.clients.includes(client.name));
}

function newCell(client, agent, id, scenario, mode, n) {
  const missing = scenario.needs.find((need) => !need.can({ client, agent }));
  const own = mode !== "translated";
  const fault = known.find((k) => Boolean(k.direct) === own && matches(k.client, client.name) && matches(k.agent, agent.name) && matches(k.scenario, id));
  return {
    client, agent, scenario, mode, name: nameOf(client, agent.name, id) + (mode === "passed" ? " / passed" : ""), key: `k${n}`, tried: !missing,
    reason: missing?.reason ?? fault?.reason, remark: scenario.remark?.({ client, agent }), known: Boolean(!missing && fault),
  };
}

function matches(want, is) {
  return want === undefined || [want].flat().includes(is);
}

// serve starts the proxy with a route for each pair.
async function serve(agents) {
  const upstreams = Object.fromEntries(agents.flatMap((a) => [[slug(a.name), upstreamOf(a)], ...(a.base ? [[ownSlug(a.name), upstreamOf({ ...a, url: a.base })]] : [])]));
  const routes = clients.flatMap((c) => agents.filter((a) => (!alike(c, a) || a.base) && talks(c, a)).flatMap((a) => routesOf(c, a)));
  const file = path.join(dir, "sabir.yaml");
  Object.assign(process.env, { SABIR: sabir, SABIR_CONFIG: file }); // for clients that start it themselves
  fs.writeFileSync(file, JSON.stringify({ listen: "127.0.0.1:0", admin: "", log: { level: "error" }, upstreams, routes })); // JSON is YAML
  return listening(start("sabir", sabir, ["serve", "--config", file]));
}

// routesOf are the routes of a pair: one as it is, and one that does not wait long for answers.
function routesOf(client, agent) {
  if (alike(client, agent)) {
    return [{ path: `${pathOf(client, agent)}/*`, upstream: ownSlug(agent.name), client: client.dialect, options: client.options ?? {}, methods: ["GET", "POST", "PATCH", "DELETE"], errors: { expose: true } }];
  }
  const route = {
    upstream: slug(agent.name), client: client.dialect, options: client.options ?? {}, methods: ["GET", "POST"],
    requests: agent.command ? {} : { model: "scripted" }, errors: { expose: true },
  };
  const briefRoute = { path: `${briefly}${pathOf(client, agent)}/*`, ...route, asks: { wait: "1s" } };
  return [{ path: `${pathOf(client, agent)}/*`, ...route }, ...(expires.can({ client, agent }) ? [briefRoute] : [])];
}

function upstreamOf({ url, dialect, command, env, options = {} }) {
  return command ? { command, dialect, options, process: { set_env: env, max: 12, idle: "3s" } } : { url, dialect, options };
}

function slug(name) {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_|_$/g, "");
}

// ownSlug names an agent as clients of its dialect find it.
function ownSlug(name) {
  return `${slug(name)}_own`;
}

function pathOf(client, agent) {
  return `/${slug(client.name)}/${slug(agent.name)}`;
}

// all holds some conversations at once, with servers and with programs.
async function all(cells, f) {
  const [programs, servers] = [cells.filter((c) => c.agent.program), cells.filter((c) => !c.agent.program)];
  await Promise.all([lane(programs, programsAtOnce, f), lane(servers, atOnce, f)]);
}

async function lane(cells, width, f) {
  const queue = [...cells];
  await Promise.all(Array.from({ length: width }, async () => {
    for (let cell; (cell = queue.shift()); ) await f(cell);
  }));
}

// restarts holds the conversations whose agent is ended in between: all with one server at once, as it is ended for all of them.
async function restarts(cells, base) {
  const groups = new Map();
  for (const cell of cells) {
    const { restart, program } = cell.agent;
    const group = groups.get(restart)?.at(-1);
    if (group && group.length < (program ? programsAtOnce : cells.length)) group.push(cell);
    else groups.set(restart, [...(groups.get(restart) ?? []), [cell]]);
  }
  for (const [restart, batches] of groups) {
    for (const batch of batches) await together(batch, restart, base);
  }
}

// together restarts the agent once all conversations wait for it, or have ended.
async function together(cells, restart, base) {
  let left = cells.length;
  let go, fail;
  const done = new Promise((resolve, reject) => { [go, fail] = [resolve, reject]; });
  done.catch(() => {}); // those that wait say it
  const arrive = () => { if (--left === 0) restart().then(go, fail); };
  await Promise.all(cells.map(async (cell) => {
    let arrived = false;
    await hold(cell, base, () => {
      arrived = true;
      arrive();
      return done;
    });
    if (!arrived) arrive();
  }));
}

async function hold(cell, base, restart) {
  const { client, agent, key } = cell;
  const began = performance.now();
  let timer;
  const most = agent.program || agent.slow || restart ? 180 : 60; // seconds; programs have to start
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`it has not ended within ${most} s`)), most * 1000); });
  const talks = [];
  try {
    const open = () => {
      talks.push(Object.assign(client.open(cell.mode === "direct" ? agent.base : base + (cell.scenario.brief ? briefly : "") + pathOf(client, agent)), { key }));
      return talks.at(-1);
    };
    await Promise.race([cell.scenario.run({ talk: open(), open, key, agent, client, restart }), late]);
  } catch (err) {
    cell.fault = err;
  } finally {
    clearTimeout(timer);
    for (const talk of talks) talk.close?.();
    cell.took = (performance.now() - began) / 1000;
  }
}

// said is a fault in one line.
function said({ message, generatedMessage, expected, actual }) {
  return generatedMessage === false || expected === undefined ? message.split("\n")[0] : `want ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
}

// times prints how long each scenario has taken.
function times(cells) {
  for (const [id, { title }] of Object.entries(scenarios)) {
    const own = cells.filter((c) => c.scenario === scenarios[id]).sort((a, b) => b.took - a.took);
    if (own.length === 0) continue;
    const sum = own.reduce((all, { took }) => all + took, 0);
    console.log(`  ${title}: ${own.length} in ${sum.toFixed(0)} s, the longest ${own[0].took.toFixed(1)} s (${own[0].client.name} / ${own[0].agent.name})`);
  }
}

// report prints what is not as it should be of the conversations that were held, and reports whether there is anything.
function report(cells, tried) {
  const broken = tried.filter((c) => c.fault && !c.known);
  const mended = tried.filter((c) => !c.fault && c.known);
  for (const c of broken) console.error(`${c.name}: ${options.verbose ? c.fault.stack : said(c.fault)}`);
  for (const c of mended) console.error(`${c.name} works, but known.mjs says: ${c.reason}`);
  const works = tried.filter((c) => !c.fault).length;
  console.log(`${works} conversations went as they should, ${tried.length - works} did not, of which ${tried.length - works - broken.length} are known; share ${options.share}`);
  times(tried);
  if (broken.length + mended.length > 0) return true;
  if (options.only || compare(document, "conversations", table(cells.filter((c) => c.mode === "translated")), options.write)) return false;
  console.error("docs/conversations.md is stale: node conformance/conversations/run.mjs <sabir> --write");
  return true;
}
