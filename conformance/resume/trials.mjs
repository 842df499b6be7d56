// What is tried with each client. A trial is a function that fails by throwing; its title is a column of the document.
import assert from "node:assert/strict";
import { said, saidMuch } from "./agent.mjs";
import { otherReader } from "./clients/plain.mjs";

// Places in a stream where it is cut: shares of its length, and what comes there.
const at = {
  early: { share: 0.1, edge: "any", reset: true },
  end: { share: 0.5, edge: "end", reset: false },
  middle: { share: 0.6, edge: "middle", reset: true },
  late: { share: 0.9, edge: "any", reset: true },
};

export const trials = {
  whole: { title: "uncut", run: (t) => cut(t, []) },
  early: { title: "cut", run: (t) => cut(t, [at.early]) },
  end: { title: "cut", run: (t) => cut(t, [at.end]) },
  middle: { title: "cut", run: (t) => cut(t, [at.middle]) },
  late: { title: "cut", run: (t) => cut(t, [at.late]) },
  twice: { title: "cut", run: (t) => cut(t, [at.early, at.end]) },
  second: { title: "second viewer", run: second },
  "late viewer": { title: "late viewer", run: lateViewer, verdict: ({ counts }) => (counts ? "all records" : "a snapshot") },
  other: { title: "other dialects", run: other, verdict: ({ nameless }) => (nameless ? "by `X-Sabir-Run` alone" : "yes") },
  ended: { title: "after the end", run: ended },
  stranger: { title: "another principal", run: stranger, verdict: ({ stranger }) => (stranger === 404 ? "404" : "nothing") },
  expired: { title: "after `grace`", run: expired, verdict: ({ stays, endless, lasting }) => (lasting ? "90s later" : stays ? "goes on" : endless ? "the part" : "reported") },
  off: { title: "without resume", run: off, verdict: () => "no" },
};

// cut lets a client read a run whose streams break.
async function cut(t, places) {
  const target = await t.connect({ cuts: t.cutsAt(places) });
  const talk = t.client.open(target);
  const result = await talk.read();
  t.size ??= target.relay.streams[0].bytes;
  assert.equal(target.relay.made, places.length, `${target.relay.made} streams were cut`);
  onceAndWhole(t, target, result);
}

// onceAndWhole is what all clients have to show at a target.
function onceAndWhole(t, target, ...results) {
  allOf(t, target, said, ...results);
}

function allOf(t, { key }, whole, ...results) {
  results.forEach((result) => tellsAll(result, whole));
  assert.equal(t.agent.runs.get(key), 1, `the agent was asked ${t.agent.runs.get(key)} times`);
}

function tellsAll({ text, failed }, whole = said) {
  assert.equal(failed, undefined, `the client says: ${failed}`);
  assert.equal(text, whole);
}

// begun waits until a client shows words of a run.
async function begun(talk) {
  for (let n = 0; !talk.shown(); n++) {
    if (n > 500) throw new Error("nothing is shown");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// second: another client comes to a run that goes on.
async function second(t) {
  const [mine, theirs] = [await t.connect({ cuts: [] }), await t.connect({ cuts: [] })];
  const talk = t.client.open(mine);
  const reading = talk.read();
  await begun(talk);
  const coming = t.client.open({ ...theirs, key: mine.key }).come(talk.names);
  onceAndWhole(t, mine, ...await Promise.all([reading, coming]));
}

// lateViewer: another client comes when much has been said, and gets that in few records, unless it counts them.
async function lateViewer(t) {
  const [mine, theirs] = [await t.connect({ cuts: [] }), await t.connect({ cuts: [] })];
  const talk = t.client.open(mine);
  const reading = talk.read();
  for (let n = 0; !talk.shown().includes("m399 "); n++) {
    if (n > 1000) throw new Error("little is shown");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const coming = t.client.open({ ...theirs, key: mine.key }).come(talk.names);
  allOf(t, mine, saidMuch, ...await Promise.all([reading, coming]));
  const [all, late] = [mine, theirs].map(({ relay }) => Math.max(...relay.streams.map((s) => s.bytes)));
  t.note = `${late} of ${all} bytes`;
  if (!t.client.counts && !t.client.comesLater) assert.ok(late < all / 2, `the late viewer gets ${late} of ${all} bytes`);
}

// other: one comes to it that speaks another dialect.
async function other(t) {
  if (t.client.nameless) return; // its connection does not say how the run is called
  const mine = await t.connect({ cuts: [], any: true });
  const talk = t.client.open(mine);
  const reading = talk.read();
  await begun(talk);
  const { run } = mine.relay.streams[0];
  const coming = readers.filter((d) => d !== t.client.dialect).map((dialect) => otherReader(dialect, { ...mine, url: mine.direct }).come({ run, dialect }));
  onceAndWhole(t, mine, ...await Promise.all([reading, ...coming]));
}

const readers = ["agui", "aisdk", "openai-responses"];

// ended: a client comes when everything has been said.
async function ended(t) {
  const target = await t.connect({ cuts: [] });
  const talk = t.client.open(target);
  tellsAll(await talk.read());
  onceAndWhole(t, target, await t.client.open(target).come(talk.names));
}

// stranger: another principal gets nothing, in the client's own way and by the name of the run.
async function stranger(t) {
  const [mine, theirs] = [await t.connect({ cuts: [] }), await t.connect({ cuts: [], principal: "Bearer bob" })];
  const talk = t.client.open(mine);
  const reading = talk.read();
  await begun(talk);
  const run = mine.relay.streams.at(-1).run;
  const byName = async (principal) => (await fetch(mine.direct, { headers: { [mine.field ?? "authorization"]: principal, "x-sabir-run": run } })).status;
  if (!t.client.nameless) assert.equal(await byName(theirs.principal), 404, "a run of somebody else's");
  if (!t.client.nameless) assert.equal(await byName(mine.principal), 200, "the run of its own");
  const result = await t.client.open({ ...theirs, key: mine.key }).come(talk.names).catch((err) => ({ text: "", failed: err.message }));
  assert.equal(result.text, "", "a stranger reads along");
  assert.notEqual(result.failed, undefined, "a stranger sees no error");
  if (!t.client.nameless) assert.equal(theirs.relay.statuses.at(-1), t.client.stranger, "the status that a stranger gets");
  tellsAll(await reading);
}

// expired: a client that returns after the run had no reader for longer than grace gets an error, and the agent is stopped. A run in the
// background goes on.
async function expired(t) {
  if (t.client.lasting) return; // longer than a trial
  const target = await t.connect({ cuts: t.cutsAt([at.early]), short: true, away: 700 });
  const result = await t.client.open(target).read();
  assert.equal(target.relay.made, 1);
  if (t.client.stays) return onceAndWhole(t, target, result);
  const { text, failed } = result;
  assert.ok(said.startsWith(text) && text !== said, `the client shows ${JSON.stringify(text)}`);
  if (!t.client.endless) assert.notEqual(failed, undefined, "the client takes a part for the whole");
  assert.equal(t.agent.gone.get(target.key), 1, "the agent goes on");
  t.note = failed;
}

// off is the control of the others: without resume, what they check is not so.
async function off(t) {
  const target = await t.connect({ cuts: t.cutsAt([at.early]), off: true });
  const result = await t.client.open(target).read().catch((err) => ({ text: "", failed: err.message }));
  if (!t.client.comesLater) assert.equal(target.relay.made, 1);
  assert.throws(() => onceAndWhole(t, target, result), assert.AssertionError, "it is once and whole without resume: the check sees nothing");
}
