// Lets the clients read every case through a real proxy: the fixture's own bytes come from a server that plays the agent,
// "sabir serve" stands in between, and the clients read from it over a socket.
//
//	node through.mjs <cases.jsonl> <path of the sabir binary> [options of run.mjs]
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { loadCases } from "./lib/cases.mjs";
import { freePort } from "./lib/server.mjs";

const [casesFile, sabir, ...rest] = process.argv.slice(2);
if (!sabir) {
  console.error("usage: node through.mjs <cases.jsonl> <path of the sabir binary>");
  process.exit(2);
}
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-"));
const agentPort = await freePort();
const { routes, cases } = plan(loadCases(casesFile));
fs.writeFileSync(path.join(dir, "cases.jsonl"), cases.map((c) => JSON.stringify(c) + "\n").join(""));
fs.writeFileSync(path.join(dir, "sabir.yaml"), JSON.stringify(configuration(routes, agentPort), null, 1)); // JSON is YAML

const proxy = spawn(sabir, ["serve", "--config", path.join(dir, "sabir.yaml")], { stdio: ["ignore", "pipe", "pipe"] });
let log = "";
proxy.stdout.on("data", (p) => (log += p));
proxy.stderr.on("data", (p) => (log += p));
const base = await listening(proxy);
const judge = spawn(process.execPath, [path.join(here, "run.mjs"), path.join(dir, "cases.jsonl"),
  "--nothing", "a2a-sdk-0.3.14-rest.mjs,a2a-sdk-1.3.0-rest.mjs", // the routes answer by JSON-RPC, and REST has paths of its own
  "--url", `${base}/{route}/{n}`, "--port", String(agentPort), ...rest], { stdio: "inherit" });
const code = await new Promise((resolve) => judge.on("exit", resolve));
proxy.kill("SIGTERM");
await new Promise((resolve) => proxy.on("exit", resolve));
const panics = log.split("\n").filter((line) => /panic|fatal error|DATA RACE/.test(line));
for (const line of panics) console.error(line);
fs.rmSync(dir, { recursive: true });
process.exit(code !== 0 || panics.length > 0 ? 1 : 0);

// plan gives every case that an upstream can send a route; cases whose upstreams need the same settings share one. Streams
// of one dialect on both sides are left out: they are copied, faults and all.
function plan(all) {
  const routes = new Map();
  const cases = all.filter((c) => c.from && c.from.dialect !== c.target);
  for (const c of cases) {
    const { dialect, options, framing, settle } = c.from;
    const key = JSON.stringify([c.target, c.version, dialect, options, framing, settle]);
    if (!routes.has(key)) routes.set(key, { name: `r${routes.size}`, target: c.target, version: c.version, dialect, options, framing, settle });
    c.route = routes.get(key).name;
  }
  return { routes: [...routes.values()], cases };
}

function configuration(routes, port) {
  return {
    listen: "127.0.0.1:0",
    admin: "",
    log: { level: "error" },
    upstreams: Object.fromEntries(routes.map((r) => [r.name, {
      url: `http://127.0.0.1:${port}/from`, dialect: r.dialect, framing: r.framing, settle: r.settle,
      ...(r.options ? { options: r.options } : {}),
    }])),
    routes: routes.map((r) => ({
      path: `/${r.name}/*`, upstream: r.name, client: r.target, requests: { mode: "pass" }, shape: { ids: "agent" }, errors: { expose: true }, ...(r.version ? { options: { version: r.version } } : {}),
    })),
  };
}

// listening resolves to the base URL once the proxy has said where it listens.
function listening(child) {
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`sabir ended with ${code}:\n${log}`)));
    child.stdout.on("data", () => {
      const m = /listens on (\S+?)(;|$)/m.exec(log);
      if (m) resolve(`http://${m[1]}`);
    });
    child.stderr.on("data", () => {
      const m = /listens on (\S+?)(;|$)/m.exec(log);
      if (m) resolve(`http://${m[1]}`);
    });
  });
}
