// What a person does on each page, and must see. Each scene begins on a fresh page, and ends with another turn: the conversation
// must have stayed whole.
import assert from "node:assert/strict";
import { sleep } from "../conversations/clients/talk.mjs";

export const scenes = { turns, tool, approves, denies, stops };

async function turns(seat) {
  await seat.open();
  await seat.say("Hello, who is there?");
  await seat.sees("This is question 1 of our conversation: Hello, who is there?");
  await again(seat);
}

async function tool(seat) {
  await seat.open();
  await seat.say("What is the weather in Oslo?");
  await seat.sees("It is 9 °C in Oslo, with light rain.");
  const { state, text } = await seat.at.tool(seat.tab, "get_weather");
  assert.equal(state, "done");
  assert.match(text, /Oslo[^]*light rain/, "the card shows the result");
  await again(seat);
}

async function approves(seat) {
  const file = await asked(seat);
  await seat.at.decide(seat.tab, "Approve");
  await seat.sees(`The tool says: ${file} is deleted.`);
  const { state, text } = await seat.at.tool(seat.tab, "delete_file");
  assert.equal(state, "done");
  assert.ok(text.includes(`${file} is deleted.`), "the card shows the result");
  assert.ok(seat.told(`agent: deleted ${file}\n`), "the tool has run");
  await again(seat);
}

async function denies(seat) {
  const file = await asked(seat);
  await seat.at.decide(seat.tab, "Deny");
  await seat.sees("The tool says: The tool call was denied.");
  assert.match((await seat.at.tool(seat.tab, "delete_file")).text, /denied|not allowed/, "the card says so");
  await again(seat);
  assert.ok(!seat.told(`agent: deleted ${file}`), "the tool has not run");
}

async function asked(seat) {
  const file = `notes-${Date.now()}.txt`;
  await seat.open();
  await seat.say(`Delete ${file}`);
  await seat.until("a question", async () => {
    const { state } = await seat.at.tool(seat.tab, "delete_file");
    return state === "asks" || state;
  });
  assert.ok(!seat.told(`agent: deleted ${file}`), "the tool does not run before the decision");
  return file;
}

// The poem takes so long that whoever sees a line of it sees it while it streams in.
async function stops(seat) {
  const given = "agent: nobody listens any more";
  await seat.open();
  await seat.say("Write a long poem");
  await seat.until("the first line", async () => (await seat.answer()).includes("neither knew") || seat.answer());
  assert.ok(!seat.told(given), "the agent speaks until it is stopped");
  await seat.at.stop(seat.tab);
  await seat.until("an agent that stops", () => seat.told(given) || seat.log().slice(-200));
  await seat.until("a page that is idle", () => seat.at.idle(seat.tab));
  const half = await seat.answer();
  await sleep(300);
  assert.equal(await seat.answer(), half, "no more comes");
  await again(seat);
}

async function again(seat) {
  await seat.say("And now?");
  await seat.sees("This is question 2 of our conversation: And now?");
}
