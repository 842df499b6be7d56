// What is tried with each pair of a client and an agent. A scenario talks, and throws where the client does not see what it should,
// or the agent has not done, or has not been shown, what it should. needs says which of the two must be able to do what; a pair
// that cannot is left out with the reason.
import assert from "node:assert/strict";
import { question, sleep, until } from "./clients/talk.mjs";

const runsTools = { can: ({ agent }) => agent.can.run, reason: "The agent is a model: it runs no tools, they are all the client's." };
const asks = { can: ({ agent }) => agent.can.ask, reason: "The agent asks for no approval: its protocol has no such question." };
const inWords = {
  can: ({ client, agent }) => agent.can.ask !== "words" || client.can.form || !client.can.decide,
  reason: "The agent asks in words, for which the client's protocol has no form: the client can approve calls of tools.",
};
const answered = {
  can: ({ client, agent }) => client.can.decide || agent.program || agent.waits, reason: "The client's protocol, or this release of it, has no approvals.",
};
const decides = { can: ({ client }) => client.can.decide, reason: "The client's protocol, or this release of it, has no approvals." };
const clientTools = {
  can: ({ client, agent }) => agent.can.declare || client.can.bring,
  reason: "The client sends no tools, the application's server has them; a model knows no tool that the request does not name.",
};

const speaks = {
  can: ({ agent }) => agent.can.stream !== false, reason: "The agent prints whole texts: of a turn that does not come to its end, nothing may arrive.",
};

const asksInOrder = {
  can: ({ agent }) => agent.can.askInOrder !== false, reason: "The agent asks of both calls in any order: the scenario cannot say of which it approves.",
};

const hasTools = { can: ({ client }) => client.can.tools !== false, reason: "The client's protocol has no tools of the client's." };
const takesTools = { can: ({ agent }) => agent.can.take, reason: "The agent is a program with tools of its own: it takes none from a request." };
const regenerates = { can: ({ client }) => client.can.regenerate !== false, reason: "The client's protocol has no way to take a turn back." };
export const expires = {
  can: ({ client, agent }) => agent.program, reason: "The agent's run has ended with the question: nothing waits that could expire.",
};
const questions = { can: ({ agent }) => agent.can.question, reason: "The agent has no question but whether a tool may run." };
const fillsIn = {
  can: ({ client, agent }) => client.can.form && (!client.waits || agent.can.question === "any"),
  reason: "The client's protocol has no form for it: the client can say yes or no.",
};
const reloads = { can: ({ client }) => client.can.reload !== false, reason: "The editor ends its agent, which is Sabir, and with it what that remembers." };
const asksAgain = { can: ({ client }) => client.can.reask !== false, reason: "The client is asked in the middle of a turn, which ends with its connection." };
const restarts = { can: ({ agent }) => agent.restart, reason: "The agent is a process of one turn." };
const leavesCalls = { can: ({ client }) => client.can.leave !== false, reason: "The client runs its tools itself, and waits for them." };

export const scenarios = {
  turns: { title: "three turns", needs: [], run: threeTurns },
  server: { title: "agent's tool", needs: [runsTools], run: serverTool },
  client: { title: "client's tool", needs: [takesTools, hasTools, clientTools], run: clientTool },
  granted: { title: "approved", needs: [asks, inWords, decides], run: granted },
  denied: {
    title: "denied", needs: [asks, inWords, answered], run: denied,
    remark: ({ client, agent }) => client.can.decide ? agent.denied : "The client cannot be asked, so that Sabir denies in its place: the route's asks.without.",
  },
  clients: { title: "two at once", needs: [takesTools, hasTools, clientTools], run: twoClientTools },
  both: { title: "either's", needs: [runsTools, takesTools, hasTools, clientTools], run: eithersTools },
  abandoned: { title: "ignored", needs: [takesTools, hasTools, clientTools, leavesCalls], run: abandoned, direct: false },
  decided: {
    title: "one of two", needs: [asks, inWords, decides, asksInOrder], run: oneOfTwo,
    remark: ({ agent }) => agent.can.askAtOnce ? undefined : "The agent asks of the second call when the first is done.",
  },
  stop: { title: "stopped", needs: [speaks], run: stopped },
  failure: { title: "failed", needs: [speaks], run: failure },
  regenerate: {
    title: "regenerated", needs: [regenerates], run: regenerated,
    remark: ({ agent }) => rewinds(agent) ? undefined : "The agent keeps its conversation, and takes no turn back: another session of it receives what was said before, as text.",
  },
  edited: {
    title: "edited", needs: [regenerates], run: edited,
    remark: ({ agent }) => rewinds(agent) ? undefined : "The agent keeps its conversation, and takes no turn back: another session of it receives what was said before, as text.",
  },
  question: { title: "question", needs: [questions, fillsIn], run: asksForWords },
  expired: { title: "expired", needs: [asks, inWords, decides, expires], run: expired, direct: false, brief: true },
  reload: { title: "reloaded", needs: [reloads], run: reloaded },
  reask: { title: "asked, reloaded", needs: [asks, inWords, decides, reloads, asksAgain], run: decidedAfterReload },
  restart: { title: "restarted", needs: [restarts], run: restarted, direct: false, last: true },
  alike: { title: "two alike", needs: [], run: twoAlike },
};

async function threeTurns({ talk }) {
  for (const turn of [1, 2, 3]) await greets(talk, turn);
}

async function serverTool({ talk, key }) {
  const seen = await talk.say(`weather ${key}`);
  well(seen, 1);
  ends(seen, "Results: get_weather=9 degrees in Oslo");
  assert.deepEqual(seen.calls, [], "the client is asked to run nothing");
  const second = await greets(talk, 2);
  const { users, agent } = await recalls(talk, key, 3);
  assert.deepEqual(users, [`weather ${key}`, second.said]);
  const own = "Looking. Results: get_weather=9 degrees in Oslo"; // clients may show a blank between two parts of it
  assert.equal(agent.replace(agent.includes(own) ? own : seen.text, ""), second.text, "the model is shown what the user was");
}

async function clientTool({ talk, key }) {
  const first = await talk.say(`ask ${key}`);
  well(first, 1);
  assert.deepEqual(first.calls, [{ name: "ask_user", args: { question } }], "the client is asked to run the tool");
  const seen = await talk.answer("Bergen");
  well(seen, 1);
  ends(seen, "Results: ask_user=Bergen");
  const known = await recalls(talk, key, 2);
  assert.deepEqual(known, { users: [`ask ${key}`], agent: seen.text, calls: [["ask_user", { question }, "Bergen"]] });
}

async function twoClientTools({ talk, key, client }) {
  const first = await talk.say(`asks ${key}`);
  well(first, 1);
  const asked = [{ question }, { question: "Which city-2?" }];
  const calls = asked.map((args) => ({ name: "ask_user", args }));
  assert.deepEqual(first.calls, client.can.atOnce === false ? calls.slice(0, 1) : calls, "the client is asked to run the tools");
  const seen = await talk.answer("Bergen");
  well(seen, 1);
  ends(seen, "Results: ask_user=Bergen; ask_user=Bergen");
  const known = await recalls(talk, key, 2);
  assert.deepEqual(known, { users: [`asks ${key}`], agent: seen.text, calls: asked.map((args) => ["ask_user", args, "Bergen"]) });
}

async function eithersTools({ talk, key }) {
  const first = await talk.say(`both ${key}`);
  well(first, 1);
  assert.deepEqual(first.calls, [{ name: "ask_user", args: { question } }], "the client is asked to run its tool, and only that");
  const seen = await talk.answer("Bergen");
  well(seen, 1);
  assert.match(seen.text, /Results: .*ask_user=Bergen/);
  await greets(talk, 2);
}

// A model takes no call without a result: somebody has to close it.
async function abandoned({ talk, key }) {
  well(await talk.say(`ask ${key}`), 1);
  await greets(talk, 2);
  await greets(talk, 3);
}

async function oneOfTwo({ talk, key, agent }) {
  const first = await talk.say(`deletes ${key}`);
  well(first, 1);
  assert.equal(first.questions.length, agent.can.askAtOnce ? 2 : 1, "the user is asked of both, or of the first");
  const seen = agent.can.askAtOnce ? await talk.decide(true, false) : await oneByOne(talk);
  well(seen, 1);
  assert.ok(seen.text.includes(`delete_file=deleted ${key}`), seen.text);
  await greets(talk, 2);
  assert.equal(await deletions(agent, key), 1, "the tool runs once");
  assert.equal(await deletions(agent, `${key}-2`), 0, "the other call does not run");
}

async function oneByOne(talk) {
  const second = await talk.decide(true);
  well(second, 1);
  assert.equal(second.questions.length, 1, "the user is asked of the second");
  return talk.decide(false);
}

async function granted({ talk, key, agent }) {
  await asked({ talk, key, agent });
  const seen = await talk.decide(true);
  well(seen, 1);
  ends(seen, `Results: delete_file=deleted ${key}`);
  await greets(talk, 2);
  assert.equal(await deletions(agent, key), 1, "the tool runs once");
}

async function denied({ talk, key, agent, client }) {
  if (client.can.decide) await asked({ talk, key, agent });
  const seen = await (client.can.decide ? talk.decide(false) : talk.say(`delete ${key}`));
  well(seen, 1);
  assert.match(seen.text, /Results: delete_file=/);
  assert.doesNotMatch(seen.text, /=deleted/);
  await greets(talk, 2);
  assert.equal(await deletions(agent, key), 0, "the tool does not run");
}

async function asked({ talk, key, agent }) {
  const seen = await talk.say(`delete ${key}`);
  well(seen, 1);
  assert.equal(seen.questions.length, 1, "the user is asked once");
  assert.equal(await deletions(agent, key), 0, "the tool does not run before the decision");
}

async function stopped({ talk, key, agent, client }) {
  const going = talk.say(`slow ${key}`);
  await Promise.race([until(talk, "w2 ", 30_000), going.then((seen) => assert.fail(`the run ends before it is stopped: ${JSON.stringify(seen)}`))]);
  await talk.stop();
  const seen = await going;
  assert.ok(!seen.text.includes("w60 "), "the run ends");
  await leaves(agent, key);
  await greets(talk, client.forgets ? 1 : 2);
}

async function leaves(agent, key) {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(50)) {
    if ((await agent.notes()).gone.includes(key)) return;
  }
  throw new Error("the agent does not notice within 20 s that its client has left");
}

async function failure({ talk, key }) {
  const seen = await talk.say(`boom ${key}`);
  assert.equal(seen.text, "Some words");
  assert.ok(seen.failed, `the run does not fail, it ends with ${JSON.stringify(seen)}`);
}

async function regenerated({ talk, agent }) {
  const first = await greets(talk, 1);
  const second = await greets(talk, 2);
  const seen = await talk.regenerate();
  well(seen, 2);
  assert.equal(joined(seen.text), rewinds(agent) ? second.text : `Turn 1: you said ${retold(first)}${second.said}`);
  await greets(talk, 3, rewinds(agent) ? 3 : 2);
}

const rewinds = ({ can }) => can.rewind || can.retell;

// joined is a text without the blank that some agents put between two parts of a message.
const joined = (text) => text.replace("says:\n\n\n", "says:\n\n");

// edited takes two turns back. Nothing of them is left: the model is shown the first turn, and what the user says in place of the second.
async function edited({ talk, key, agent }) {
  const first = await greets(talk, 1);
  await greets(talk, 2);
  await greets(talk, 3);
  const said = `other words of ${key}`;
  const seen = await talk.edit(said);
  well(seen, 2);
  const [shown, counted] = rewinds(agent) ? [[first.said, said], 2] : [[retold(first) + said], 1];
  assert.equal(joined(seen.text), `Turn ${counted}: you said ${shown.at(-1)}`);
  const known = await recalls(talk, key, 3, counted + 1);
  assert.deepEqual(known.users.map(joined), shown, "the model is shown what the user says, and nothing that was taken back");
  assert.equal(known.agent, (rewinds(agent) ? first.text : "") + seen.text, "the model is shown what it said");
}

// asksForWords has the agent ask something that is no yes or no.
async function asksForWords({ talk, key }) {
  const first = await talk.say(`which ${key}`);
  well(first, 1);
  assert.equal(first.questions.length, 1, "the user is asked once");
  const seen = await talk.reply("blue");
  well(seen, 1);
  ends(seen, "Results: choose_colour=blue");
  await greets(talk, 2);
}

// expired answers too late: the route waits for a second.
async function expired({ talk, key, agent, client }) {
  await asked({ talk, key, agent });
  await sleep(2000);
  const seen = await talk.decide(true);
  if (client.waits) well(seen, 1);
  else assert.match(seen.failed ?? "", late, `the late answer is refused, it got ${JSON.stringify(seen)}`);
  assert.doesNotMatch(seen.text, /=deleted/);
  await greets(talk, 2);
  assert.equal(await deletions(agent, key), 0, "the tool does not run");
}

const late = /is not open, or not any more/;

// reloaded begins anew between two turns.
async function reloaded({ talk, key }) {
  const first = await greets(talk, 1);
  await talk.reload();
  await goesOn(talk, key, first);
}

// decidedAfterReload begins anew while a question is open.
async function decidedAfterReload({ talk, key, agent }) {
  await asked({ talk, key, agent });
  await talk.reload();
  const seen = await talk.decide(true);
  well(seen, 1);
  ends(seen, `Results: delete_file=deleted ${key}`);
  await greets(talk, 2);
  assert.equal(await deletions(agent, key), 1, "the tool runs once");
}

// restarted has the agent's server, or its process, ended between two turns.
async function restarted({ talk, key, restart }) {
  const first = await greets(talk, 1);
  await restart();
  await goesOn(talk, key, first);
}

// goesOn holds the second and the third turn of a conversation, in which nothing of the first is missing.
async function goesOn(talk, key, first) {
  const second = await greets(talk, 2);
  const known = await recalls(talk, key, 3);
  assert.deepEqual(known.users, [first.said, second.said]);
  assert.equal(known.agent, first.text + second.text);
}

// retold is what another session of an agent receives of a turn.
function retold({ said, text }) {
  return `This conversation began in another session. What was said there:\n\n<conversation>\nUser: ${said}\n\n` +
    `Assistant: ${text}\n\n</conversation>\n\nGo on from there. The user says:\n\n`;
}

// Neither of two conversations that begin with the same words gets anything of the other.
async function twoAlike({ talk, key, open }) {
  const talks = [talk, open()];
  await Promise.all(talks.map((t) => greets(t, 1)));
  await Promise.all(talks.map(async (t, i) => well(await t.say(`number ${i}`), 2)));
  const known = await Promise.all(talks.map((t) => recalls(t, key, 3)));
  assert.deepEqual(known.map(({ users }) => users[1]), ["number 0", "number 1"]);
}

// greets says hello, with the key: conversations without a name that are alike are one to an agent that keeps them. counted is the number of turns that the model has seen then.
async function greets(talk, turn, counted = turn) {
  const said = `hello ${turn} of ${talk.key} "☃\\\u2028\u{1f600}</b>\n\t{}`;
  const seen = await talk.say(said);
  well(seen);
  assert.equal(seen.text, `Turn ${counted}: you said ${said}`);
  return { said, text: seen.text };
}

// recalls is what the model was shown of the turns before.
async function recalls(talk, key, turn, counted = turn) {
  const seen = await talk.say(`recall ${key}`);
  well(seen, turn);
  const start = `Turn ${counted}: `;
  assert.ok(seen.text.startsWith(start), `want the turn ${counted}, got ${seen.text}`);
  return JSON.parse(seen.text.slice(start.length));
}

function well(seen, turns) {
  assert.equal(seen.failed, undefined, `the run failed: ${seen.failed}`);
  if (turns !== undefined) assert.equal(seen.turns, turns, "the user sees each turn once");
}

function ends(seen, words) {
  assert.ok(seen.text.endsWith(words), `want an answer that ends in ${JSON.stringify(words)}, got ${JSON.stringify(seen.text)}`);
}

async function deletions(agent, key) {
  return (await agent.notes()).deleted.filter((path) => path === key).length;
}
