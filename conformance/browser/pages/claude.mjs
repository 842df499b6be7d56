// The page of examples/usechat with Claude Code behind it, whose model is scripted: the words are those of ../../conversations/script.mjs.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { claude } from "../../conversations/agents/programs.mjs";
import { serveModels } from "../../conversations/models/server.mjs";
import { usechat } from "./usechat.mjs";

// prepare starts the model, and writes what starts Claude Code with it, in an empty home. noted says what its tools have noted.
async function prepare() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "browser-claude-"));
  const { base, paths, notes, close } = await serveModels();
  const [program, noted] = [path.join(dir, "claude"), path.join(dir, "noted")];
  const env = {
    HOME: dir, NOTES: noted, ANTHROPIC_BASE_URL: base + paths.claudeCode.slice(0, paths.claudeCode.indexOf("/v1/")), ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  fs.writeFileSync(noted, "");
  fs.writeFileSync(program, ["#!/bin/sh", ...Object.entries(env).map(([name, value]) => `export ${name}='${value}'`), `exec '${claude}' "$@"`, ""].join("\n"), { mode: 0o755 });
  return {
    env: { CLAUDE: program },
    noted: () => fs.readFileSync(noted, "utf8"), gone: (key) => notes.gone.includes(key),
    end: async () => {
      await close();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}

const scenes = { turns, tool, approves, denies, stops };

async function turns(session) {
  await session.open();
  await session.say("Hello, who is there?");
  await session.sees("Turn 1: you said Hello, who is there?");
  await again(session);
}

async function tool(session) {
  await session.open();
  await session.say("weather today");
  await session.sees("Results: get_weather=9 degrees in Oslo");
  const { state, text } = await session.at.tool(session.tab, "Bash");
  assert.equal(state, "done");
  assert.match(text, /echo[^]*9 degrees in Oslo/, "the card shows the command and its result");
  await again(session);
}

async function approves(session) {
  const file = await asked(session);
  await session.at.decide(session.tab, "Approve");
  await session.sees(`Results: delete_file=deleted ${file}`);
  const { state, text } = await session.at.tool(session.tab, "Bash");
  assert.equal(state, "done");
  assert.ok(text.includes(`deleted ${file}`), "the card shows the result");
  assert.equal(session.world.noted().split(`deleted ${file}\n`).length, 2, "the command has run once");
  await again(session);
}

async function denies(session) {
  const file = await asked(session);
  await session.at.decide(session.tab, "Deny");
  await session.until("an answer without the tool", async () => {
    const text = await session.answer();
    return (await session.at.idle(session.tab)) && /Results: delete_file=(?!deleted)/.test(text) ? true : text;
  });
  assert.match((await session.at.tool(session.tab, "Bash")).state, /denied|output-error/, "the card says so");
  await again(session);
  assert.ok(!session.world.noted().includes(file), "the command has not run");
}

async function asked(session) {
  const file = `notes-${Date.now()}-${Math.random().toString(36).slice(2)}.txt`;
  await session.open();
  await session.say(`delete ${file}`);
  await session.until("a question", async () => {
    const { state } = await session.at.tool(session.tab, "Bash");
    return state === "asks" || state;
  });
  assert.ok(!session.world.noted().includes(file), "the command does not run before the decision");
  return file;
}

async function stops(session) {
  const key = `poem-${Date.now()}`;
  await session.open();
  await session.say(`slow ${key}`);
  await session.until("the first words", async () => (await session.answer()).includes("w2 ") || session.answer());
  assert.ok(!session.world.gone(key), "the model speaks until it is stopped");
  await session.at.stop(session.tab);
  await session.until("a model that stops", () => session.world.gone(key));
  await session.until("a page that is idle", () => session.at.idle(session.tab));
  assert.ok(!(await session.settled()).includes("w99"), "the answer is not whole");
  await again(session);
}

async function again(session) {
  await session.say("And now?");
  await session.sees("Turn 2: you said And now?");
}

// What the page sends is turned into its contrary.
const controls = {
  "other answer": { scene: "approves", spoil: answers("true", "false"), complaint: /want an answer that ends with .*=deleted/ },
  "other denial": { scene: "denies", spoil: answers("false", "true"), complaint: /want an answer without the tool/ },
};

function answers(yes, no) {
  return ({ tab }) => tab.route("**/*", (route) => {
    if (route.request().method() !== "POST") return route.continue();
    return route.continue({ postData: route.request().postData().replaceAll(`"approved":${yes}`, `"approved":${no}`) });
  });
}

export const claudeCode = { ...usechat, run: ["usechat", "claude"], prepare, scenes, controls };
