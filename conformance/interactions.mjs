// Conversations of real clients of Gemini's Interactions API with a model of another dialect, through a real proxy: answers in one piece and
// as a stream, turns that go on from them, a call and its result, and what is asked of an interaction later.
//
//	node interactions.mjs <path of the sabir binary>
import { createGoogle } from "@ai-sdk/google";
import assert from "node:assert/strict";
import http from "node:http";
import * as ai7 from "ai-7";
import * as genai2 from "google-genai-2";
import * as genai3 from "google-genai-3";
import { startProxy } from "./lib/proxy.mjs";

const sabir = process.argv[2];
if (!sabir) {
  console.error("usage: node interactions.mjs <path of the sabir binary>");
  process.exit(2);
}

const chunk = (delta, finish = null) => `data: ${JSON.stringify({
  id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }],
})}\n\n`;

// The model says what the user has said, or what came of a call; it calls where there is a tool, and goes on until it is left where it is to be slow.
const model = http.createServer(async (req, res) => {
  let body = "";
  for await (const piece of req) body += piece;
  const { messages, tools } = JSON.parse(body);
  const texts = messages.filter((m) => m.role === "user").map((m) => m.content.map?.((part) => part.text).join() ?? m.content);
  res.writeHead(200, { "content-type": "text/event-stream" });
  if (messages.at(-1).role === "tool") {
    res.write(chunk({ content: `It is ${messages.at(-1).content}` }) + chunk({}, "stop"));
  } else if (tools) {
    const call = { index: 0, id: "c1", type: "function", function: { name: "look", arguments: '{"at":"sky"}' } };
    res.write(chunk({ tool_calls: [call] }) + chunk({}, "tool_calls"));
  } else if (texts.includes("slow")) {
    res.write(chunk({ content: "slow" }));
    return;
  } else {
    res.write(chunk({ content: "got " }) + chunk({ content: texts.join("+") }) + chunk({}, "stop"));
  }
  res.end("data: [DONE]\n\n");
});
await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));
const { base, stop } = await startProxy(sabir, {
  upstreams: { model: { url: `http://127.0.0.1:${model.address().port}/`, dialect: "openai-chat" } },
  routes: [{
    path: "/*", upstream: "model", client: "gemini-interactions", methods: ["GET", "POST", "DELETE"], requests: { mode: "translate" }, resume: { grace: "5s" },
  }],
});

const parameters = { type: "object", properties: { at: { type: "string" } } };
let failed = 0;
let passed = 0;
async function check(client, name, f) {
  try {
    await f();
    passed++;
  } catch (err) {
    failed++;
    console.error(`${client}, ${name}: ${err.message}`);
  }
}
for (const [client, { GoogleGenAI }] of [["@google/genai 2.32.0", genai2], ["@google/genai 3.1.0", genai3]]) {
  const { interactions } = new GoogleGenAI({ apiKey: "conformance", httpOptions: { baseUrl: base } });
  for (const [name, f] of Object.entries({ turns, call, later, cancelled, forgotten })) await check(client, name, () => f(interactions));
}
await check("@ai-sdk/google 4.0.121", "turns and a call", aisdk);
await stop();
model.close();
model.closeAllConnections();
console.log(`interactions: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

// turns go on from an answer in one piece and from a stream, to which the client comes back behind what it has.
async function turns(interactions) {
  const one = await interactions.create({ model: "m", input: "one" });
  assert.equal(said(one), "got one");
  const events = await all(await interactions.create({ model: "m", previous_interaction_id: one.id, input: "two", stream: true }));
  const id = events[0].interaction.id;
  assert.equal(said(await interactions.get(id)), "got one+two");
  const rest = await all(await interactions.get(id, { stream: true, last_event_id: events[2].event_id }));
  assert.deepEqual(rest, events.slice(3), "what is behind the third event");
  assert.equal(said(await interactions.create({ model: "m", previous_interaction_id: id, input: [{ type: "text", text: "three" }] })), "got one+two+three");
}

async function call(interactions) {
  const tools = [{ type: "function", name: "look", description: "Looks.", parameters }];
  const asked = await interactions.create({ model: "m", input: "look", tools });
  assert.equal(asked.status, "requires_action");
  const step = asked.steps.find((s) => s.type === "function_call");
  assert.deepEqual([step.name, step.arguments], ["look", { at: "sky" }]);
  const input = [{ type: "function_result", name: step.name, call_id: step.id, result: "blue" }];
  assert.equal(said(await interactions.create({ model: "m", previous_interaction_id: asked.id, tools, input })), "It is blue");
}

async function later(interactions) {
  let got = await interactions.create({ model: "m", input: "one", background: true });
  while (got.status === "in_progress") {
    await new Promise((resolve) => setTimeout(resolve, 20));
    got = await interactions.get(got.id);
  }
  assert.deepEqual([got.status, said(got)], ["completed", "got one"]);
}

async function cancelled(interactions) {
  const { id } = await interactions.create({ model: "m", input: "slow", background: true });
  assert.equal((await interactions.cancel(id)).status, "cancelled");
  let got = await interactions.get(id);
  for (let i = 0; i < 50 && got.status === "in_progress"; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    got = await interactions.get(id);
  }
  assert.equal(got.status, "cancelled");
}

async function forgotten(interactions) {
  const { id } = await interactions.create({ model: "m", input: "one" });
  await interactions.delete(id);
  await assert.rejects(interactions.get(id), (err) => err.status === 404);
  await assert.rejects(interactions.create({ model: "m", previous_interaction_id: id, input: "two" }), (err) => err.status === 400);
}

async function aisdk() {
  const google = createGoogle({ apiKey: "conformance", baseURL: `${base}/v1beta` });
  const look = ai7.tool({ description: "Looks.", inputSchema: ai7.jsonSchema(parameters), execute: ({ at }) => `the ${at}` });
  const options = { model: google.interactions("m"), prompt: "look", tools: { look }, stopWhen: ai7.stepCountIs(2) };
  const one = await ai7.generateText(options);
  assert.equal(one.text, "It is the sky");
  const { interactionId: previousInteractionId } = one.providerMetadata.google;
  const two = await ai7.generateText({ model: google.interactions("m"), prompt: "two", providerOptions: { google: { previousInteractionId } } });
  assert.equal(two.text, "got look+two");
  assert.equal(await ai7.streamText(options).text, "It is the sky");
  const agent = await ai7.generateText({ model: google.interactions({ agent: "a" }), prompt: "one", providerOptions: { google: { background: true } } });
  assert.equal(agent.text, "got one");
}

function said(interaction) {
  return interaction.steps.filter((s) => s.type === "model_output").flatMap((s) => s.content).map((c) => c.text).join("");
}

async function all(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}
