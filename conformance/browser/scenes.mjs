// What a person does on each page, and must see. Each scene begins on a fresh page, and ends with another turn: the conversation
// must have stayed whole.
import assert from "node:assert/strict";

export const scenes = { turns, tool, approves, denies, stops };

async function turns(session) {
  await session.open();
  await session.say("Hello, who is there?");
  await session.sees("This is question 1 of our conversation: Hello, who is there?");
  await again(session);
}

async function tool(session) {
  await session.open();
  await session.say("What is the weather in Oslo?");
  await session.sees("It is 9 °C in Oslo, with light rain.");
  const { state, text } = await session.at.tool(session.tab, "get_weather");
  assert.equal(state, "done");
  assert.match(text, /Oslo[^]*light rain/, "the card shows the result");
  await again(session);
}

async function approves(session) {
  const file = await asked(session);
  await session.at.decide(session.tab, "Approve");
  await session.sees(`The tool says: ${file} is deleted.`);
  const { state, text } = await session.at.tool(session.tab, "delete_file");
  assert.equal(state, "done");
  assert.ok(text.includes(`${file} is deleted.`), "the card shows the result");
  assert.ok(session.printed(`agent: deleted ${file}\n`), "the tool has run");
  await again(session);
}

async function denies(session) {
  const file = await asked(session);
  await session.at.decide(session.tab, "Deny");
  await session.sees("The tool says: The tool call was denied.");
  assert.match((await session.at.tool(session.tab, "delete_file")).text, /denied|not allowed/, "the card says so");
  await again(session);
  assert.ok(!session.printed(`agent: deleted ${file}`), "the tool has not run");
}

async function asked(session) {
  const file = `notes-${Date.now()}.txt`;
  await session.open();
  await session.say(`Delete ${file}`);
  await session.until("a question", async () => {
    const { state } = await session.at.tool(session.tab, "delete_file");
    return state === "asks" || state;
  });
  assert.ok(!session.printed(`agent: deleted ${file}`), "the tool does not run before the decision");
  return file;
}

const lines = 40; // of the poem

// The poem takes so long that whoever sees a line of it sees it while it streams in.
async function stops(session) {
  const given = "agent: the client has gone";
  await session.open();
  await session.say("Write a long poem");
  await session.until("the first line", async () => (await session.answer()).includes("neither knew") || session.answer());
  assert.ok(!session.printed(given), "the agent speaks until it is stopped");
  await session.at.stop(session.tab);
  await session.until("an agent that stops", () => session.printed(given) || session.log().slice(-200));
  await session.until("a page that is idle", () => session.at.idle(session.tab));
  assert.ok((await session.settled()).split("neither knew").length < lines, "the poem is not whole");
  await again(session);
}

async function again(session) {
  await session.say("And now?");
  await session.sees("This is question 2 of our conversation: And now?");
}
