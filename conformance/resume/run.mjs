// Real clients lose their connections to "sabir serve" and come back: each must show what the agent said, once and whole, from one
// run of the agent's.
//
//	node resume/run.mjs <path of the sabir binary> [--write] [--only TEXT] [--verbose]
//
// Between each client and Sabir stands a relay that cuts streams. It fails if a trial does not go as it should, or if docs/resume.md
// does not say how it goes; --write writes that. --only makes the trials alone whose name has the text in it.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { listening, start, stop } from "../lib/processes.mjs";
import { compare } from "../lib/marked.mjs";
import { startAgent } from "./agent.mjs";
import { clients } from "./clients.mjs";
import { table } from "./document.mjs";
import { openRelay } from "./relay.mjs";
import { trials } from "./trials.mjs";

const { values: options, positionals: [sabir] } = parseArgs({
  allowPositionals: true, options: { write: { type: "boolean" }, only: { type: "string", default: "" }, verbose: { type: "boolean" } },
});
if (!sabir) {
  console.error("usage: node resume/run.mjs <path of the sabir binary> [--write] [--only TEXT] [--verbose]");
  process.exit(2);
}
const document = path.join(import.meta.dirname, "..", "..", "docs", "resume.md");
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-resume-"));
const atOnce = 12;
const most = 90; // seconds a trial may take
const begun = Date.now();

const strays = []; // unhandled errors
process.on("unhandledRejection", (err) => {
  if (!(err instanceof TypeError && err.message === "terminated")) strays.push(err); // AG-UI's clients leave breaks unhandled
});

let failed = true;
try {
  const agent = await startAgent();
  const base = await serve(agent.url, await speakAISDK(agent.url));
  await Promise.all(clients.map((client) => client.ready?.()));
  const say = console.error;
  if (!options.verbose) console.error = console.warn = () => {}; // clients report breaks there, too
  const cells = clients.flatMap((client, n) => cellsOf(client, n, agent, base));
  await all(cells.filter((c) => c.id === "whole")); // which says how long the streams are
  await all(cells.filter((c) => c.id !== "whole" && c.wanted));
  console.error = say;
  agent.close();
  failed = report(cells.filter((c) => c.wanted));
} finally {
  await stop();
  fs.rmSync(dir, { recursive: true });
}
process.exit(failed ? 1 : 0);

// cellsOf are the trials of a client.
function cellsOf(client, n, agent, base) {
  const about = { size: undefined };
  return Object.entries(trials).map(([id, trial]) => {
    const name = `${client.name} / ${id}`;
    return { id, client, trial, n, agent, base, about, name, wanted: name.includes(options.only) };
  });
}

// all makes some trials at once.
async function all(cells) {
  const queue = [...cells];
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (let cell; (cell = queue.shift()); ) await attempt(cell);
  }));
}

async function attempt(cell) {
  const relays = [];
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`it has not ended within ${most} s`)), most * 1000); });
  try {
    await Promise.race([cell.trial.run(trialOf(cell, relays)), late]);
  } catch (err) {
    cell.fault = err;
  } finally {
    clearTimeout(timer);
    for (const relay of relays) relay.close();
  }
}

// trialOf is what a trial needs: connect opens a target behind a relay of its own; cutsAt says where streams of this client's are cut.
function trialOf(cell, relays) {
  const { client, id, n, agent, base, about } = cell;
  return {
    client, agent,
    async connect({ cuts, off, short, any, away, principal = "Bearer alice" }) {
      const relay = await openRelay(base, { cuts, away, only: client.streams });
      relays.push(relay);
      const place = `/${off ? "off" : short ? "short" : any ? "any" : "on"}/${n}`;
      return { relay, url: relay.url + place, direct: base + place, principal, field: client.field, key: `${id} ${n}` };
    },
    cutsAt: (places) => places.map(({ share, ...cut }) => ({ ...cut, bytes: Math.floor(share * about.size) })),
    set note(said) { cell.note = said; },
    set size(bytes) { about.size = bytes; },
    get size() { return about.size; },
  };
}

// speakAISDK starts an agent that speaks the AI SDK's protocol: the other one behind a proxy.
function speakAISDK(url) {
  return sabirWith({ agent: { url, dialect: "openai-chat" } }, [{ path: "/chat/*", upstream: "agent", client: "aisdk", methods: ["GET", "POST"] }]);
}

// serve starts the proxy with routes for each client: with resume, with a short grace, for any dialect, and without resume. Some have an agent
// that speaks as they do.
function serve(url, aisdk) {
  const routes = clients.flatMap(({ dialect: client, options = {}, copied }, n) => {
    const route = { upstream: copied ? "alike" : "agent", client, options, methods: ["GET", "POST"] };
    return [
      { ...route, path: `/on/${n}/*`, resume: { grace: "10s" } },
      { ...route, path: `/short/${n}/*`, resume: { grace: "200ms" } },
      { ...route, path: `/any/${n}/*`, client: "auto", default: client, options: { [client]: options }, resume: { grace: "10s" } },
      { ...route, path: `/off/${n}/*` },
    ];
  });
  return sabirWith({ agent: { url, dialect: "openai-chat" }, alike: { url: `${aisdk}/chat`, dialect: "aisdk" } }, routes);
}

// sabirWith starts a proxy, and returns where it listens.
function sabirWith(upstreams, routes) {
  const file = path.join(dir, `${routes.length}.yaml`);
  fs.writeFileSync(file, JSON.stringify({ listen: "127.0.0.1:0", admin: "", log: { level: "error" }, upstreams, routes })); // JSON is YAML
  return listening(start("sabir", sabir, ["serve", "--config", file]));
}

// said is a fault in one line.
function said({ message, generatedMessage, expected, actual }) {
  return generatedMessage === false || expected === undefined ? message.split("\n")[0] : `want ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
}

// report prints how the trials went, and reports whether one did not go as it should.
function report(cells) {
  for (const { name, fault, note } of cells) {
    const more = fault ? (options.verbose ? fault.stack : said(fault)) : options.verbose && note;
    console.log(`${fault ? "FAILED" : "ok    "} ${name}${more ? `: ${more}` : ""}`);
  }
  for (const err of strays) console.log(`FAILED, and no client has taken notice: ${options.verbose ? err.stack : err}`);
  const wrong = cells.filter((c) => c.fault).length + strays.length;
  console.log(`resume: ${cells.filter((c) => !c.fault).length} trials went as they should, ${wrong} did not, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  if (wrong > 0 || cells.length === 0) return true;
  if (options.only || compare(document, "resume", table(cells), options.write)) return false;
  console.error("docs/resume.md is stale: node conformance/resume/run.mjs <sabir> --write");
  return true;
}
