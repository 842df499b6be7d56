// The events of the OpenAI Agents SDK for JavaScript as a server of one's own writes them: one record for each, and an end.
//
//	npm i @openai/agents@0.20.0 zod@4.6.7
//	node openai_model.mjs 8090 &
//	node openai_agents_events.mjs http://127.0.0.1:8090 STORY responses|chat all|items|deltas [WORD…] > recording.sse
//
// The words and forms are those of openai_agents_events.py.
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, hostedMcpTool, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

setTracingDisabled(true);
const [url, story, api, form, ...words] = process.argv.slice(2);
const has = (...some) => some.some((word) => words.includes(word));
const client = new OpenAI({ baseURL: `${url}/${story}/v1`, apiKey: "none", maxRetries: 0 });
const model = api === "chat" ? new OpenAIChatCompletionsModel(client, "scripted-1") : new OpenAIResponsesModel(client, "scripted-1");

const getWeather = tool({
  name: "get_weather",
  description: "The weather in a city.",
  parameters: z.object({ city: z.string() }),
  needsApproval: has("approve", "grant", "deny"),
  execute: async ({ city }) => {
    if (has("fail")) throw new Error("the service is down");
    await new Promise((resolve) => setTimeout(resolve, city === "Rome" ? 10 : 50));
    return `${city}: ${city === "Rome" ? "21" : "-4"} degrees`;
  },
});

const market = hostedMcpTool({ serverLabel: "store", serverUrl: "http://127.0.0.1:1", requireApproval: "always" });
const refunds = new Agent({ name: "Refunds", model });
const agent = new Agent({ name: "Weather", model, tools: story === "mcp" ? [getWeather, market] : [getWeather], handoffs: story === "handoff" ? [refunds] : [] });
const runner = new Runner();

const write = (record) => process.stdout.write(`data: ${JSON.stringify(record)}\n\n`);

const isDelta = (event) => event.type === "raw_model_stream_event" && event.data.type === "output_text_delta";
const isRaw = (event) => event.type === "raw_model_stream_event";
const wanted = { all: () => true, items: (event) => !isRaw(event), deltas: (event) => !isRaw(event) || isDelta(event) }[form];

async function question() {
  const asked = "What is the weather in Oslo and in Rome?";
  if (!has("history", "grant", "deny")) return asked;
  const first = await runner.run(agent, asked, { stream: true });
  await first.completed;
  for (const item of first.interruptions) has("grant") ? first.state.approve(item) : first.state.reject(item);
  return first.interruptions.length > 0 ? first.state : [...first.history, { role: "user", content: "And now?" }];
}

try {
  const result = await runner.run(agent, await question(), { stream: true, maxTurns: story === "loop" ? 2 : 10 });
  for await (const event of result) if (wanted(event)) write(event);
  await result.completed;
  write({ type: "done", interruptions: result.interruptions });
} catch (error) {
  write({ type: "error", error: { type: error.name, message: error.message } });
}
