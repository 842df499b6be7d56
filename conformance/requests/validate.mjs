// Lets the agents' own JavaScript libraries judge the requests that Sabir writes.
//
//	node validate.mjs <requests.jsonl>
//
// A judge throws on what its server would refuse. Each is shown a spoiled copy of every request as well: one that takes those is no
// judge.
import { coerceMessageLikeToMessage } from "@langchain/core/messages";
import { RunAgentInputSchema as inputOf0 } from "agui-client-0.0.59";
import { convertToCoreMessages } from "ai-4";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import { createRequire } from "node:module";
import { loadCases } from "../lib/cases.mjs";
import { server03, server1 } from "./a2a.mjs";

// Version 1 has its schemas in a package that only its client depends on.
const { RunAgentInputSchema: inputOf1 } = createRequire(import.meta.resolve("agui-client-1.0.0"))("@ag-ui/core/schemas");

const judges = [
  { name: "@a2a-js/sdk 1", to: "a2a", form: "1.0 jsonrpc", judge: server1, spoil: (body) => delete body.params.message.messageId },
  { name: "@a2a-js/sdk 0.3", to: "a2a", form: "0.3 jsonrpc", judge: server03, spoil: (body) => (body.params.message.role = "agent") },
  { name: "@ag-ui/client 1.0", to: "agui", judge: (body) => inputOf1.parse(body), spoil: (body) => delete body.messages },
  { name: "@ag-ui/client 0.0.59", to: "agui", judge: (body) => inputOf0.parse(body), spoil: (body) => delete body.messages },
  { name: "ai 7", to: "aisdk", judge: uiMessages(ai7), spoil: unnameRole },
  { name: "ai 6", to: "aisdk", judge: uiMessages(ai6), spoil: unnameRole },
  { name: "ai 5", to: "aisdk", judge: uiMessages(ai5), spoil: unnameRole },
  { name: "ai 4", to: "datastream", judge: coreMessages, spoil: unnameRole },
  {
    name: "@langchain/core", to: "langgraph", judge: (body) => body.input.messages.map(coerceMessageLikeToMessage),
    spoil: (body) => body.input.messages.forEach((m) => ((m.type = "unknown"), delete m.role)),
  },
];

// uiMessages judges a chat as a route of the AI SDK does that validates what it is sent, and makes the model's messages of it.
function uiMessages(ai) {
  return async (body) => ai.convertToModelMessages(await ai.validateUIMessages({ messages: body.messages }));
}

// coreMessages judges a chat as the server of AI SDK 4 does. Its calls cannot wait for an approval; it refuses those that do, as it
// should: an approval is never taken for a result. The loss says so.
function coreMessages({ messages }, losses) {
  const waits = losses.some((l) => l === "answers" || l === "messages.approval");
  try {
    return convertToCoreMessages(messages);
  } catch (err) {
    if (!waits || !/must have a result/.test(err.message)) throw err;
  }
}

function unnameRole(body) {
  for (const m of body.messages) m.role = "unknown";
}

const requests = loadCases(process.argv[2]).filter((r) => !r.refused);
let failures = 0;
for (const judge of judges) {
  const mine = requests.filter((r) => r.to === judge.to && r.form === judge.form);
  const refused = [];
  for (const r of mine) {
    const fault = await refusal(judge, r.body, r.losses);
    if (fault) refused.push(`${r.from} ${r.name}: ${fault}`);
    const spoiled = structuredClone(r.body);
    judge.spoil(spoiled);
    if (!(await refusal(judge, spoiled, r.losses))) refused.push(`${r.from} ${r.name}: a spoiled copy is taken`);
  }
  if (mine.length === 0) refused.push("no requests");
  failures += refused.length;
  console.log(`${refused.length ? "FAIL" : "ok  "} ${judge.name} reads requests for ${judge.to}: ${Math.max(0, mine.length - refused.length)} of ${mine.length}`);
  for (const line of refused.slice(0, 20)) console.log("     " + line.slice(0, 600));
}
process.exitCode = failures ? 1 : 0;

// refusal is what a judge says against a body, undefined if it takes it.
async function refusal({ judge }, body, losses) {
  try {
    await judge(body, losses ?? []);
  } catch (err) {
    return String(err.message ?? err).replace(/\s+/g, " ") || "refused";
  }
}
