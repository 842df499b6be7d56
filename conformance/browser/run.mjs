// The pages of examples/, each started by its own command, used in Chromium as a person would.
//
//	node browser/run.mjs [--only EXAMPLE] [--shots DIRECTORY]
//
// It fails if the person does not see what should be seen, if the agent does not receive what was done, or if the browser reports an
// error. --shots keeps pictures of what is seen: light, dark and narrow. The variable CHROMIUM says which browser.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { end, start, stop } from "../lib/processes.mjs";
import { freePort } from "../lib/server.mjs";
import { launch } from "./chromium.mjs";
import { controls as usual } from "./controls.mjs";
import { scenes as played } from "./scenes.mjs";
import { Session } from "./session.mjs";
import { claudeCode } from "./pages/claude.mjs";
import { copilotkit } from "./pages/copilotkit.mjs";
import { usechat } from "./pages/usechat.mjs";

const pages = { usechat, copilotkit, "usechat claude": claudeCode };
const { values: options } = parseArgs({ options: { only: { type: "string" }, shots: { type: "string" } } });
const root = path.join(path.dirname(new URL(import.meta.url).pathname), "..", "..");
const shots = path.resolve(options.shots ?? path.join(root, "bin", "browser"));

let faults = 0;
let browser;
process.on("unhandledRejection", async (err) => { // killed, an example would leave its programs behind
  console.error(err);
  await stop();
  process.exit(1);
});
try {
  fs.mkdirSync(shots, { recursive: true });
  browser = await launch();
  for (const [name, page] of Object.entries(pages)) {
    if (!options.only || options.only === name) await example(name, page);
  }
} finally {
  await browser?.close();
  await stop();
}
process.exit(faults > 0 ? 1 : 0);

async function example(name, page) {
  const [AGENT_PORT, SABIR_PORT, PAGE_PORT] = await Promise.all([freePort(), freePort(), freePort()]);
  const { run: [folder, ...args] = [name], scenes = played, controls = usual } = page;
  const world = await page.prepare?.();
  const child = start(name, path.join(root, "examples", folder, "run"), args, { AGENT_PORT, SABIR_PORT, PAGE_PORT, ...world?.env });
  const url = await opened(name, child);
  const begin = () => Session.begin({ browser, url, page, world, log: () => child.log });
  const before = faults;
  for (const [scene, play] of Object.entries(scenes)) await attempt(`${name}, ${scene}`, begin, play);
  await Promise.all(Object.entries(controls).map(([control, { scene, spoil, complaint }]) => // most of them wait for what never comes
    attempt(`${name}, ${control}`, begin, (session) => rejected(session, scenes[scene], spoil, complaint))));
  await end(child);
  await world?.end();
  if (faults === before) console.log(`${name}: ${Object.keys(scenes).length} scenes as they should be, ${Object.keys(controls).length} spoilt ones noticed`);
}

// opened resolves to the address that the example prints once everything listens.
function opened(name, child) {
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error(`${name} has ended:\n${child.log}`)));
    child.stdout.on("data", () => {
      const at = /^open (\S+);/m.exec(child.log);
      if (at) resolve(at[1]);
    });
  });
}

async function attempt(title, begin, play) {
  const session = await begin();
  const file = path.join(shots, `${title.replaceAll(/[^a-z]+/g, "-")}.png`);
  try {
    await play(session);
    session.quiet();
    if (options.shots) await session.pictures(file);
  } catch (err) {
    faults++;
    await session.picture(file);
    console.error([`${title}: ${err.message}`, ...session.complaints, `picture: ${file}`].join("\n  "));
  } finally {
    await session.leave();
  }
}

// rejected is content only if the scene is not, for the right reason: it shows that the scenes can fail.
async function rejected(session, play, spoil, complaint) {
  await spoil(session);
  await assert.rejects(async () => {
    await play(session);
    session.quiet();
  }, complaint);
  session.complaints.length = 0;
}
