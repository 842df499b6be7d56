// The page of "sabir demo" on which an AG-UI and an AI SDK client ask for the same run, used in Chromium: both live, beside each other, by
// keys alone, a run that fails, one that is stopped, and everything 400 pixels wide.
//
//	node browser/frontends.mjs SABIR [--shots DIRECTORY]
//
// It fails if something is not to be seen, or if the browser reports an error. The variable CHROMIUM says which browser.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { start, stop } from "../lib/processes.mjs";
import { launch } from "./chromium.mjs";
import { opened, ready, replaced, seen } from "./demo.mjs";

const { values: options, positionals: [sabir] } = parseArgs({ allowPositionals: true, options: { shots: { type: "string" } } });
const root = path.join(path.dirname(new URL(import.meta.url).pathname), "..", "..");
const shots = path.resolve(options.shots ?? path.join(root, "bin", "browser"));
const clients = ["agui", "aisdk"];
const answer = "The page loads (200 OK), and the site is built with Go 1.26.";

const pane = (client) => `[data-pane=${client}]`;
const both = (tab, selector, text) => Promise.all(clients.map((c) => seen(tab, `${pane(c)} ${selector}`, text)));

// live asks by the keyboard, and sees both answers grow.
async function live({ tab }) {
  await tab.evaluate(noteTimes);
  await tab.keyboard.press("Enter"); // the field has the focus, and a question
  await both(tab, ".text", answer);
  await both(tab, ".ending", "done");
  for (const client of clients) {
    const got = await understood(tab, client);
    assert.ok(isDeepStrictEqual(got, run(client)), `${client} has understood the run, not ${JSON.stringify(got)}`);
    const times = await tab.evaluate((c) => window.times[c], client);
    assert.ok(times.text - times.reasoning > 500 && times.tool > times.reasoning && times.tool < times.text, `${client} shows what comes when it comes: ${JSON.stringify(times)}`);
  }
}

// noteTimes notes in the page when each kind of thing is first shown in a pane.
function noteTimes() {
  window.times = {};
  for (const pane of document.querySelectorAll("[data-pane]")) {
    const seen = window.times[pane.dataset.pane] = {};
    new MutationObserver((changes) => {
      for (const change of changes) for (const node of change.addedNodes) seen[node.className] ??= performance.now();
    }).observe(pane.querySelector(".log"), { childList: true });
  }
}

const run = (client) => ({
  user: ["Does the page load, and with which Go is it built?"], reasoning: ["The page and the build file can be read at the same time."], text: [answer],
  plan: ["completed", "completed", "in_progress"],
  tools: { "mcp__browser-use__browser_task": '{"task":"open example.com"}', read: '{"file_path":"go.mod"}', execute: '{"command":"go vet ./..."}' },
  results: { "mcp__browser-use__browser_task": "done", read: "done", execute: client === "agui" ? "done" : "failed" }, // a result of AG-UI has no word for failure
});

// understood is what a pane shows.
function understood(tab, client) {
  return tab.locator(pane(client)).evaluate((element) => {
    const texts = (selector) => [...element.querySelectorAll(selector)].map((e) => e.textContent);
    const tools = (what) => Object.fromEntries([...element.querySelectorAll(".tool")].map((e) => [e.querySelector("code").textContent, what(e)]));
    return {
      user: texts(".user"), reasoning: texts(".reasoning"), text: texts(".text"), plan: [...element.querySelectorAll("li")].map((e) => e.className),
      tools: tools((e) => e.querySelector("pre").textContent), results: tools((e) => e.dataset.state),
    };
  });
}

// beside sees the panes beside each other, of the same height from the top.
async function beside({ tab }) {
  const [left, right] = await Promise.all(clients.map((c) => tab.locator(pane(c)).boundingBox()));
  assert.ok(left.y === right.y && left.x + left.width <= right.x, "the panes are beside each other");
}

// turns asks again: what was said stays, and the answer comes once more.
async function turns({ tab }) {
  await tab.keyboard.press("Enter");
  await tab.waitForFunction((list) => list.every((s) => document.querySelectorAll(`${s} .text`).length === 2 && document.querySelector(`${s} .ending`).textContent === "done"), clients.map(pane));
  for (const client of clients) assert.deepEqual((await understood(tab, client)).text, [answer, answer]);
}

// failures are runs that the agent ends with an error, and whose connection breaks.
async function failures({ tab }) {
  for (const [name, words] of [["error", "The agent reported an error"], ["cut", "was lost before the answer was complete"]]) {
    await tab.locator("#scenario").selectOption(name);
    await tab.locator("#text").press("Enter");
    await both(tab, "[role=alert]", words);
    await both(tab, ".ending", "failed");
  }
}

// stopped ends a run by a key.
async function stopped({ tab }) {
  await tab.locator("#scenario").selectOption("tour");
  await tab.locator("#text").press("Enter");
  await both(tab, ".ending", "answering");
  await tab.keyboard.press("Escape");
  await both(tab, ".ending", "stopped");
  await tab.waitForFunction(() => !document.getElementById("send").disabled);
}

// runs finds, where runs are looked at, what both have asked for.
async function runs({ tab, url }) {
  await tab.locator("a[href='/inspect/']").last().click();
  await Promise.all(clients.map((c) => seen(tab, ".row.run .route", c)));
  await tab.locator("a", { hasText: "Front ends" }).click();
  await tab.waitForURL(url);
  await seen(tab, ".pane .ending", "ready");
}

// narrow sees a run 400 pixels wide, one pane below the other.
async function narrow({ tab }) {
  await tab.setViewportSize({ width: 400, height: 800 });
  await tab.locator("#text").press("Enter");
  await both(tab, ".ending", "done");
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 400, `the page fits into 400 pixels, is ${wide}`);
  const [upper, lower] = await Promise.all(clients.map((c) => tab.locator(pane(c)).boundingBox()));
  assert.ok(upper.y + upper.height <= lower.y, "one pane is below the other");
  await picture({ tab }, "narrow");
  await tab.setViewportSize({ width: 1280, height: 820 });
}

async function pictures({ tab }) {
  for (const scheme of ["light", "dark"]) {
    await tab.emulateMedia({ colorScheme: scheme });
    await picture({ tab }, scheme);
  }
}

const picture = async ({ tab }, name) => options.shots && tab.screenshot({ path: path.join(shots, `frontends-${name}.png`), fullPage: true });

// controls spoil a file of the page; the scene must notice it, with the complaint.
const controls = {
  "a client that is not asked": { scene: live, file: "app.js", from: "panes.map((pane) => pane.ask(text))", to: "panes.slice(1).map((pane) => pane.ask(text))", complaint: /waiting for/ },
  "no tools": { scene: live, file: "agui.js", from: "...(m.toolCalls ?? [])", to: "...([])", complaint: /has understood/ },
  "not live": { scene: live, file: "aisdk.js", from: "set messages(list) { this.#messages = list; this.#changed(); }", to: "set messages(list) { this.#messages = list; }", complaint: /when it comes/ },
  "too wide": { scene: narrow, file: "style.css", from: "@media (max-width: 760px)", to: "@media (max-width: 60px)", complaint: /is below the other|fits into/ },
};

fs.mkdirSync(shots, { recursive: true });
const demo = start("demo", sabir, ["demo", "--listen", "127.0.0.1:0", "--speed", "2"]);
let browser;
let failed = false;
try {
  const world = await ready(demo);
  browser = await launch();
  const visit = await opened(browser, world.frontEnds, { calls: [world.base] });
  const scenes = [live, beside, turns, failures, stopped, pictures, runs, narrow];
  try {
    for (const scene of scenes) await scene(visit);
    assert.deepEqual(visit.complaints, [], "the browser reports nothing");
  } catch (err) {
    await visit.tab.screenshot({ path: path.join(shots, "frontends-failed.png") });
    throw new Error(`${err.message}\n${visit.complaints.join("\n")}\npicture: ${path.join(shots, "frontends-failed.png")}`, { cause: err });
  }
  await Promise.all(Object.entries(controls).map(async ([name, { scene, file, from, to, complaint }]) => {
    const spoilt = await opened(browser, world.frontEnds, { calls: [world.base], spoil: replaced(file, from, to) });
    await assert.rejects(scene(spoilt), complaint).catch((err) => { throw new Error(`control ${name}: ${err.message}`); });
    await spoilt.context.close();
  }));
  console.log(`two front ends beside each other: ${scenes.length} scenes as they should be, ${Object.keys(controls).length} spoilt ones noticed`);
} catch (err) {
  failed = true;
  console.error(err.stack);
} finally {
  await browser?.close();
  await stop();
}
process.exit(failed ? 1 : 0);
