// What it costs to look: 100 runs at 20 events a second, without a page, with the list open, and with one run open.
//
//	node browser/inspect-load.mjs SABIR [--runs 100] [--rate 20] [--seconds 15]
//
// It prints the processor time of Sabir for each second, and the times between frames of the page. Linux only.
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { start, stop } from "../lib/processes.mjs";
import { freePort } from "../lib/server.mjs";
import { launch } from "./chromium.mjs";

const { values, positionals: [sabir] } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: "string", default: "100" }, rate: { type: "string", default: "20" }, seconds: { type: "string", default: "15" } },
});
const runs = Number(values.runs), rate = Number(values.rate), seconds = Number(values.seconds);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const delta = `${JSON.stringify({ sessionId: "s1", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "and a few more words " } } })}\n`;

// agent streams deltas until its client leaves.
const agent = http.createServer((request, response) => {
  response.writeHead(200, { "Content-Type": "application/x-ndjson" });
  const timer = setInterval(() => response.write(delta), 1000 / rate);
  request.on("close", () => {});
  response.on("close", () => clearInterval(timer));
});

const ticks = 100; // of processor time a second, on every Linux

function cpu(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

// measured is the processor time that Sabir takes for a second of the runs.
async function measured(pid) {
  const [before, since] = [cpu(pid), performance.now()];
  await sleep(seconds * 1000);
  return (cpu(pid) - before) / ((performance.now() - since) / 1000);
}

// begin starts the runs; the function that it returns ends them.
async function begin(url) {
  const controller = new AbortController();
  let events = 0;
  const all = Array.from({ length: runs }, async () => {
    const response = await fetch(url, { method: "POST", signal: controller.signal, headers: { "Content-Type": "application/json" }, body: '{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"Go on"}]}' });
    for await (const part of response.body) events += Buffer.from(part).toString().split("TEXT_MESSAGE_CONTENT").length - 1;
  });
  await sleep(3000);
  return { rate: async () => { const n = events; await sleep(2000); return (events - n) / 2; }, end: async () => { controller.abort(); await Promise.allSettled(all); await sleep(1000); } };
}

// frames collects the times between frames of a page, and resolves to a word on them.
async function frames(tab, work) {
  await tab.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const next = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(next); };
    requestAnimationFrame(next);
  });
  const used = await work();
  const times = (await tab.evaluate(() => window.frames_)).slice(1).sort((a, b) => a - b);
  const at = (p) => times[Math.min(times.length - 1, Math.floor(times.length * p))].toFixed(1);
  return { used, words: `frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms` };
}

const say = (what, used, base) => console.log(`${what}: ${(used * 100).toFixed(1)} % of a core${base === undefined ? "" : `, ${((used - base) * 100).toFixed(1)} more`}`);

let browser;
try {
  const [clients, admin] = await Promise.all([freePort(), freePort()]);
  await new Promise((resolve) => agent.listen(0, "127.0.0.1", resolve));
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "sabir-")), "sabir.yaml");
  fs.writeFileSync(file, `listen: 127.0.0.1:${clients}\nadmin: 127.0.0.1:${admin}\ninspect: content\nlog: {level: error}\nupstreams: {agent: {url: "http://127.0.0.1:${agent.address().port}/", dialect: evolve}}\nroutes: [{path: /run, upstream: agent, client: agui}]\n`);
  const child = start("sabir", sabir, ["serve", "--config", file]);
  await sleep(1500);
  const url = `http://127.0.0.1:${clients}/run`;
  let load = await begin(url);
  console.log(`${runs} runs, ${(await load.rate()).toFixed(0)} events a second in all, for ${seconds} s each`);
  const base = await measured(child.pid);
  say("no page", base);
  await load.end();
  browser = await launch();
  const tab = await (await browser.newContext({ viewport: { width: 1280, height: 820 } })).newPage();
  await tab.goto(`http://127.0.0.1:${admin}/inspect/`);
  await sleep(1000);
  load = await begin(url);
  const list = await frames(tab, () => measured(child.pid));
  say("the list", list.used, base);
  console.log(`  ${list.words}`);
  await tab.goto(`http://127.0.0.1:${admin}/inspect/#/run/${runs}`);
  await sleep(1000);
  const one = await frames(tab, () => measured(child.pid));
  say("one run", one.used, base);
  console.log(`  ${one.words}`);
  await load.end();
} finally {
  await browser?.close();
  agent.closeAllConnections();
  agent.close();
  await stop();
}
