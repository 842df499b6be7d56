// Follows the guides in docs/guides literally, in a new folder each: files are those of its blocks with a title, commands are run as they
// stand, and those in "a terminal of its own" until the end. After a command, each line of the block of text behind it must be in what it printed.
//
//	node guides.mjs <path of the sabir binary> [--only TEXT] [--shots DIRECTORY]
//
// A port of a guide's that something else has is another one here, wherever the guide names it.
// The environments of Python are those of conformance, where "pip install" finds what it wants. A guide with a page is used in Chromium,
// and one whose packages an example has, too, begins with links to those where they are installed: npm, which looks whether they are
// what the guide asks for, then has little left to fetch of half a gigabyte.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { launch } from "./browser/chromium.mjs";

const { values: options, positionals: [sabir] } = parseArgs({ allowPositionals: true, options: { only: { type: "string" }, shots: { type: "string" } } });
if (!sabir) {
  console.error("usage: node guides.mjs <path of the sabir binary> [--only TEXT] [--shots DIRECTORY]");
  process.exit(2);
}
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const docs = path.join(here, "..", "docs", "guides");
// The Python of each guide, and what is to be seen on its page.
const guides = {
  "usechat-langgraph": { venv: process.env.GUIDES_LANGGRAPH ?? ".venv-langgraph", page: chat },
  "copilotkit-homemade": { venv: process.env.GUIDES_PYTHON ?? ".venv", page: tides, packages: "examples/copilotkit" },
  "a2a-adk": { venv: process.env.GUIDES_PYTHON ?? ".venv" },
  "claude-code-editor": { venv: process.env.GUIDES_PYTHON ?? ".venv" },
  "openai-pydantic-ai": { venv: process.env.GUIDES_PYTHON ?? ".venv" },
};

let failed = 0;
for (const file of fs.readdirSync(docs).filter((f) => f.endsWith(".md") && f.includes(options.only ?? ""))) {
  const name = path.basename(file, ".md");
  const began = Date.now();
  try {
    if (!guides[name]) throw new Error("nothing here says how it is followed");
    await follow(name, await withFreePorts(fs.readFileSync(path.join(docs, file), "utf8")));
    console.log(`ok   ${name}, ${Math.round((Date.now() - began) / 1000)} s`);
  } catch (err) {
    failed++;
    console.log(`FAIL ${name}: ${err.stack ?? err}`);
  }
}
process.exit(failed ? 1 : 0);

async function follow(name, text) {
  const guide = guides[name];
  const dir = guide.packages ? folderWith(path.join(here, "..", guide.packages)) : fs.mkdtempSync(path.join(os.tmpdir(), "conformance-guide-"));
  const bin = path.join(dir, "bin");
  fs.mkdirSync(bin);
  fs.symlinkSync(path.resolve(sabir), path.join(bin, "sabir"));
  const env = { ...process.env, PATH: [bin, path.resolve(here, guide.venv, "bin"), process.env.PATH].join(":"), PIP_DISABLE_PIP_VERSION_CHECK: "1" };
  const terminals = [];
  try {
    const steps = blocks(text);
    if (!steps.some((s) => s.language === "sh")) throw new Error("the guide has no command");
    let said = "";
    for (const step of steps) {
      if (step.language === "text") for (const line of step.body.trim().split("\n")) wants(said, line);
      else if (step.title.startsWith("terminal: ")) terminals.push(await begin(step, dir, env));
      else if (step.language === "sh") said = await run(step.body, dir, env);
      else write(path.join(dir, step.title), step.body);
    }
    if (guide.page) await see(name, guide.page, /Open <(http:\S+?)>/.exec(text)[1]);
  } catch (err) {
    err.message += terminals.map((t) => `\n--- ${t.title}\n${t.log.slice(-2000)}`).join("");
    throw err;
  } finally {
    await Promise.all(terminals.map((t) => t.end()));
    fs.rmSync(dir, { recursive: true });
  }
}

// folderWith is a new folder with links to the packages of an example: on the same file system, or there could be none.
function folderWith(example) {
  const bin = path.join(here, "..", "bin");
  fs.mkdirSync(bin, { recursive: true });
  const dir = fs.mkdtempSync(path.join(bin, "conformance-guide-"));
  const packages = path.join(example, "node_modules");
  if (fs.existsSync(path.join(packages, ".package-lock.json")) && spawnSync("cp", ["-al", packages, dir]).status !== 0) {
    fs.rmSync(path.join(dir, "node_modules"), { recursive: true, force: true }); // a cp that cannot link
  }
  return dir;
}

function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

// withFreePorts is a guide in whose place of ports that are in use free ones stand.
async function withFreePorts(text) {
  for (const port of new Set([...text.matchAll(/(?:localhost|127\.0\.0\.1):(\d+)/g)].map((m) => m[1]))) {
    if (!(await answers(port))) continue;
    const free = await freePort();
    console.log(`  port ${port} of this machine is in use: ${free} stands for it`);
    text = text.replace(new RegExp(`\\b${port}\\b`, "g"), free);
  }
  return text;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const s = net.createServer().on("error", reject);
    s.listen(0, "localhost", () => { const { port } = s.address(); s.close(() => resolve(port)); });
  });
}

// blocks are the fenced blocks that a reader does something with; those without a language only show something.
function blocks(text) {
  return [...text.matchAll(/^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$/gms)].map(([, language, title = "", body]) => ({ language, title, body }));
}

function wants(said, line) {
  if (!said.includes(line)) throw new Error(`the guide promises ${JSON.stringify(line)}, and the command printed\n${said}`);
}

// run runs commands as a shell does, and gives what they print.
function run(body, cwd, env) {
  console.log(body.trim().replace(/^/gm, "  $ "));
  const child = spawn("bash", ["-euo", "pipefail", "-c", body], { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 300_000 });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (p) => (out += p));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => (status === 0 ? resolve(out) : reject(new Error(`${body}ended with ${status}:\n${out}`))));
  });
}

// begin runs the command of a terminal, in a process group of its own, and waits for the port that it or its configuration names.
async function begin(step, cwd, env) {
  console.log(step.body.trim().replace(/^/gm, "  $ ") + "   &");
  const port = portOf(step.body, cwd);
  if (await answers(port)) throw new Error(`${step.title}: port ${port} of this machine is in use, and the guide needs it`);
  const child = spawn("bash", ["-c", `exec ${step.body}`], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const terminal = { title: step.title, log: "", ended: false };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (p) => (terminal.log += p));
  const ended = new Promise((resolve) => child.on("close", () => resolve((terminal.ended = true))));
  terminal.end = async () => {
    if (!terminal.ended) process.kill(-child.pid, "SIGTERM");
    const late = setTimeout(() => process.kill(-child.pid, "SIGKILL"), 10_000);
    await ended;
    clearTimeout(late);
  };
  for (const until = Date.now() + 90_000; !(await answers(port)); await new Promise((r) => setTimeout(r, 100))) {
    if (terminal.ended || Date.now() > until) throw new Error(`${step.title} does not listen on ${port}:\n${terminal.log}`);
  }
  return terminal;
}

// portOf is where a server will listen: what its command says, or the configuration.
function portOf(command, dir) {
  return Number(/--port (\d+)/.exec(command)?.[1] ?? /^listen: \S+:(\d+)/m.exec(fs.readFileSync(path.join(dir, "sabir.yaml"), "utf8"))[1]);
}

function answers(port) {
  return new Promise((resolve) => {
    const s = net.connect(port, "localhost", () => { s.destroy(); resolve(true); });
    s.on("error", () => resolve(false));
  });
}

// see opens the page of a guide, and does with it what use does. It fails if the page says that something went wrong.
async function see(name, use, url) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (err) => errors.push(err.message));
    await page.goto(url);
    await use(page);
    if (options.shots) await page.screenshot({ path: path.join(options.shots, `${name}.png`) });
    if (errors.length || (await page.getByRole("alert").count())) throw new Error(`the page says ${errors.join("; ") || "that it failed"}`);
  } finally {
    await browser.close();
  }
}

// chat does what the guide says of its page: Send, twice.
async function chat(page) {
  for (const turn of [1, 2]) {
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.locator("article.assistant").nth(turn - 1);
    await answer.getByText(`Turn ${turn}. It is cold: Oslo: -4 degrees`).waitFor({ timeout: 30_000 });
    await answer.getByText('get_weather {"city":"Oslo"} → ').waitFor({ timeout: 5_000 });
    await page.locator('main[data-status="ready"]').waitFor({ timeout: 5_000 });
  }
}

// tides asks CopilotKit's chat, twice.
async function tides(page) {
  for (const turn of [1, 2]) {
    await page.getByTestId("copilot-chat-textarea").fill("When is high water?");
    await page.getByTestId("copilot-send-button").click();
    await page.getByText('look_up {"q":"When is high water?"} → 14:10').nth(turn - 1).waitFor({ timeout: 30_000 });
    await page.getByText(`Turn ${turn}. High water is at 14:10.`).waitFor({ timeout: 5_000 });
    await page.locator("[data-copilot-running=true]").waitFor({ state: "detached", timeout: 5_000 });
  }
}
