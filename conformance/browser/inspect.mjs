// The page of operators, used in Chromium by keys alone: runs of "sabir demo" watched live, a repair found and explained, two runs
// compared, a hostile recording opened, and everything 400 pixels wide.
//
//	node browser/inspect.mjs SABIR [--shots DIRECTORY]
//
// It fails if something is not to be seen, or if the browser reports an error. The variable CHROMIUM says which browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { start, stop } from "../lib/processes.mjs";
import { launch } from "./chromium.mjs";
import { limit, opened, ready, replaced, seen } from "./demo.mjs";

const { values: options, positionals: [sabir] } = parseArgs({ allowPositionals: true, options: { shots: { type: "string" } } });
const root = path.join(path.dirname(new URL(import.meta.url).pathname), "..", "..");
const shots = path.resolve(options.shots ?? path.join(root, "bin", "browser"));

// ask begins a run, and resolves when it has ended.
async function ask(base, where) {
  const body = JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Is <b>it</b> up?" }] });
  const response = await fetch(base + where, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return response.text().catch(() => "cut");
}

// live watches a run from its beginning to its end.
async function live({ tab }, { base }) {
  await seen(tab, "#state", "live");
  const run = ask(base, "/agui");
  await seen(tab, ".row.run .ending", "live");
  await tab.keyboard.press("j");
  await tab.keyboard.press("Enter");
  await tab.locator(".groups .group").nth(3).waitFor();
  assert.equal(await tab.locator(".facts .ending").textContent(), "live", "the run is seen while it goes on");
  const before = await tab.locator(".groups .group").count();
  await run;
  await seen(tab, ".facts .ending", "done");
  assert.ok(await tab.locator(".groups .group").count() > before, "records come while one looks");
  for (const [side, words] of [["agent", "agent_message_chunk"], ["event", "text.delta"], ["client", "TEXT_MESSAGE_CONTENT"]]) {
    await seen(tab, `.group:has([data-side=agent]:has-text("The page loads")) [data-side=${side}]`, words);
  }
}

// repair finds the repair of the demo, and what it says of it.
async function repair({ tab }) {
  await tab.keyboard.press("n");
  const group = tab.locator(".group:focus-within");
  await group.waitFor();
  assert.match(await group.textContent(), /tool_call_update/, "the record that was held back");
  assert.match(await group.locator(".note").textContent(), /held.*came before the tool call.*held it back/, "the repair is explained");
  await tab.keyboard.press("Enter");
  await seen(tab, ".group:focus-within .whole pre", "tool_call_update");
}

// views are the other views of the run.
async function views({ tab }) {
  for (const [key, selector, text] of [["2", ".lane .name", "read"], ["3", ".texts p", "with Go 1.26."], ["4", ".empty", "asked nothing"], ["5", "pre", "Is <b>it</b> up?"], ["1", ".groups b", "RUN_FINISHED"]]) {
    await tab.keyboard.press(key);
    await seen(tab, selector, text);
  }
  await tab.keyboard.press("/");
  await tab.keyboard.type("command not found");
  await seen(tab, ".group:not([hidden]) .words", "command not found");
  assert.ok(await tab.locator(".group[hidden]").count() > 5, "the search leaves the others out");
  await tab.keyboard.press("Control+a");
  await tab.keyboard.press("Delete");
  await tab.keyboard.press("Escape");
}

// compare marks two runs, and sees what differs.
async function compare({ tab }, { base }) {
  await Promise.all([ask(base, "/agui"), ask(base, "/agui?scenario=error")]);
  await tab.keyboard.press("Escape");
  await tab.keyboard.press("Escape");
  await tab.waitForFunction(() => { // all three have ended
    const endings = [...document.querySelectorAll(".row.run .ending")].map((e) => e.textContent);
    return endings.length >= 3 && !endings.includes("live");
  });
  const pick = async (n) => {
    await tab.locator(".row.run a").nth(n).focus();
    await tab.keyboard.press("x");
  };
  const rows = await tab.locator(".row.run .ending").allTextContents();
  const good = rows.flatMap((text, n) => (text === "done" ? [n] : []));
  await pick(good[0]);
  await pick(rows.indexOf("agent_error"));
  await tab.keyboard.press("c");
  await seen(tab, ".facts", "difference");
  assert.ok(await tab.locator(".pair.left, .pair.right, .pair.changed").count() > 3, "the runs differ");
  await tab.keyboard.press("Escape");
  await pick(rows.indexOf("agent_error")); // no more
  await pick(good[1]);
  await tab.keyboard.press("c");
  await seen(tab, ".facts", "Both runs say the same.");
  await tab.keyboard.press("Escape");
}

// kept saves a run, reads it by the command, and copies it as a fixture.
async function kept({ tab, context }) {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await tab.locator(".row.run a").last().focus();
  await tab.keyboard.press("Enter");
  await seen(tab, ".facts .ending", "done");
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.keyboard.press("s")]);
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "sabir-")), "run.sabir.jsonl");
  await download.saveAs(file);
  assert.match(execFileSync(sabir, ["convert", file, "--to", "openai-chat"], { encoding: "utf8" }), /with Go 1\.26\./);
  await tab.keyboard.press("f");
  await seen(tab, "#notice", "clipboard");
  const copied = await tab.evaluate(() => navigator.clipboard.readText());
  const made = execFileSync(sabir, ["convert", file, "--to", "fixture"], { encoding: "utf8" });
  assert.ok(made.includes(copied.slice(copied.indexOf("-- wire --"))), "the fixture has the same wire as that of the command");
  return file;
}

// hostile opens a recording whose texts are markup, everywhere where there is a text.
async function hostile({ tab }, { file }) {
  const bad = '<img src=x onerror="hit=1"><script>hit=1</script>javascript:alert(1)';
  const spoilt = (v) => (typeof v === "string" ? bad : v !== null && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, w]) => [k, spoilt(w)])) : v);
  const lines = fs.readFileSync(file, "utf8").trim().split("\n").map((l) => JSON.parse(l)).map((l) => {
    if (l.recording) return { ...l, id: bad, route: bad, from: bad, to: bad, upstream: bad };
    const { type, side, event } = l;
    return { ...spoilt(l), type, side, ...(event && { event: { ...spoilt(event), kind: event.kind, items: undefined } }) };
  });
  const evil = file.replace("run.", "evil.");
  fs.writeFileSync(evil, lines.map((l) => JSON.stringify(l)).join("\n") + "\n");
  await tab.locator("#file").setInputFiles(evil);
  await seen(tab, "h1", "evil");
  for (const key of ["1", "2", "3", "4", "5"]) {
    await tab.keyboard.press(key);
    await tab.waitForTimeout(100);
    assert.equal(await tab.evaluate(() => document.querySelectorAll("main img, main script, main a[href^=javascript]").length + (window.hit ?? 0)), 0, `nothing in view ${key} is markup`);
  }
  await seen(tab, "pre", "onerror");
  await tab.locator("#file").setInputFiles({ name: "cut.jsonl", mimeType: "text/plain", buffer: Buffer.from(lines.slice(0, 3).map((l) => JSON.stringify(l)).join("\n")) });
  await seen(tab, "#notice", "cut.jsonl: the file was cut");
}

// reads waits for the first such element to be shown with these words. A row has no visible text before the browser has painted it once
// (content-visibility), so its text is not read only once.
async function reads(tab, selector, words, what) {
  const text = async () => (await tab.locator(selector).first().innerText()).replace(/\s+/g, " ");
  for (const end = Date.now() + limit; Date.now() < end && await text() !== words;) await tab.waitForTimeout(50);
  assert.equal(await text(), words, what);
}

// nested opens a recording whose records name their session before they say anything: the row says what they say. So it does of what the
// client got in binary messages.
async function nested({ tab }) {
  const part = { id: "prt_1", sessionID: "ses_1", messageID: "msg_1", type: "text", text: "deep inside" };
  const lines = [
    { recording: 1, id: "nested", began: "2026-01-01T00:00:00Z", route: "/r", upstream: "a", from: "opencode", to: "agui", form: "content" },
    { type: "in", t: 1, n: 1, data: JSON.stringify({ id: "evt_1", type: "message.part.updated", properties: { sessionID: "ses_1", part } }) },
    { type: "out", t: 1, n: 1, base64: "AAAAdgAAAFKW1freCzpldmVudC10eXBlBwAMbWVzc2FnZVN0YXJ0DTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlvbi9qc29uDTptZXNzYWdlLXR5cGUHAAVldmVudHsicm9sZSI6ImFzc2lzdGFudCJ9b6jFmQ==" },
    { type: "out", t: 1, n: 1, base64: "AAEC/w==" },
    { type: "end", t: 2, ending: "done" },
  ];
  await tab.locator("#file").setInputFiles({ name: "nested.jsonl", mimeType: "text/plain", buffer: Buffer.from(lines.map((l) => JSON.stringify(l)).join("\n")) });
  await seen(tab, "h1", "nested");
  await tab.keyboard.press("1");
  await reads(tab, ".group [data-side=agent]", "message.part.updated “deep inside”", "the words of a nested record");
  await reads(tab, ".group [data-side=client]", "messageStart 4 bytes, base64: AAEC/w==", "the words of a binary message, and what is none");
}

// narrow sees every view 400 pixels wide, without scrolling sideways.
async function narrow({ tab, url }) {
  await tab.setViewportSize({ width: 400, height: 800 });
  for (const at of ["", "run/1", "run/1/timeline", "run/1/text", "run/1/questions", "run/1/request", "diff/1/3"]) {
    await tab.goto(`${url}#/${at}`);
    await tab.locator(at === "" ? ".row.run" : at.startsWith("run") ? ".facts .ending" : ".pair").first().waitFor();
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 400, `${at || "the list"} fits into 400 pixels, is ${wide}`);
    if (options.shots) await tab.screenshot({ path: path.join(shots, `inspect-narrow-${at.replaceAll("/", "-") || "list"}.png`) });
  }
}

// pictures are for people to look at.
async function pictures({ tab, url }) {
  if (!options.shots) return;
  for (const scheme of ["light", "dark"]) {
    await tab.emulateMedia({ colorScheme: scheme });
    for (const at of ["", "run/1", "run/1/timeline", "run/1/text", "run/1/request", "diff/1/3"]) {
      await tab.goto(`${url}#/${at}`);
      await tab.waitForTimeout(600);
      await tab.screenshot({ path: path.join(shots, `inspect-${scheme}-${at.replaceAll("/", "-") || "list"}.png`) });
    }
  }
}

// controls spoil a file of the page; the scene must notice it, with the complaint.
const controls = {
  "no explanation": { scene: repair, file: "words.js", from: "Sabir held it back", to: "", complaint: /the repair is explained/ },
  "too wide": { scene: narrow, file: "style.css", from: "body { margin: 0;", to: "body { margin: 0; min-width: 500px;", complaint: /fits into 400 pixels/ },
  "no difference": { scene: (visit, world) => { visit.tab.setDefaultTimeout(3000); return compare(visit, world); }, file: "compare.js", from: "const rows = diff(", to: "const rows = [] && diff([], []); diff(", complaint: /waiting for/ },
};

async function control(browser, world, { scene, file, from, to, complaint }) {
  const visit = await opened(browser, world.url, { spoil: replaced(file, from, to) });
  if (scene === repair) {
    await visit.tab.goto(`${world.url}#/run/1`);
    await seen(visit.tab, ".facts .ending", "done");
  }
  await seen(visit.tab, "#state", "live");
  await assert.rejects(async () => scene(visit, world), complaint);
  await visit.context.close();
}

fs.mkdirSync(shots, { recursive: true });
const demo = start("demo", sabir, ["demo", "--listen", "127.0.0.1:0", "--speed", "1"]);
let browser;
let failed = false;
try {
  const world = await ready(demo);
  browser = await launch();
  const visit = await opened(browser, world.url);
  try {
    await live(visit, world);
    await repair(visit);
    await views(visit);
    await compare(visit, world);
    world.file = await kept(visit);
    await hostile(visit, world);
    await nested(visit);
    await pictures(visit);
    await narrow(visit);
    assert.deepEqual(visit.complaints, [], "the browser reports nothing");
  } catch (err) {
    await visit.tab.screenshot({ path: path.join(shots, "inspect-failed.png") });
    throw err;
  }
  for (const [name, spoilt] of Object.entries(controls)) {
    await control(browser, world, spoilt).catch((err) => { throw new Error(`control ${name}: ${err.message}`); });
  }
  console.log(`the page of operators: 9 scenes as they should be, ${Object.keys(controls).length} spoilt ones noticed`);
} catch (err) {
  failed = true;
  console.error(`${err.stack}\npicture: ${path.join(shots, "inspect-failed.png")}`);
} finally {
  await browser?.close();
  await stop();
}
process.exit(failed ? 1 : 0);
