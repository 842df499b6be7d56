// An agent of the OpenAI Agents SDK with a scripted model, through the SDK's own bridge to AI SDK UI streams.
//
//	npm i @openai/agents@0.18.0 @openai/agents-extensions@0.18.0 ai@6.0.326 zod@4.6.7
//	node openai_agents.mjs > recording.sse
//
// With the word approve the tools ask before they run; with fail they raise.
import { Agent, Runner, setTracingDisabled, tool } from "@openai/agents";
import { createAiSdkUiMessageStreamResponse } from "@openai/agents-extensions/ai-sdk-ui";
import { z } from "zod";

setTracingDisabled(true);

const message = (id, text) => ({ type: "message", id, role: "assistant", status: "completed", content: [{ type: "output_text", text }] });
const call = (callId, city) => ({
  type: "function_call", id: `fc_${city}`, callId, name: "get_weather", status: "completed", arguments: JSON.stringify({ city }),
});

// Two model turns: it thinks and calls two tools at once, then tells what they found.
const turns = [
  {
    id: "resp_1", itemId: "msg_1", deltas: ["I will ", "look."],
    output: [
      { type: "reasoning", id: "rs_1", content: [{ type: "input_text", text: "Two cities, two calls." }] },
      message("msg_1", "I will look."), call("call_oslo", "Oslo"), call("call_rome", "Rome"),
    ],
  },
  {
    id: "resp_2", itemId: "msg_2", deltas: ["Oslo is ", "cold ☃, ", "Rome is warm."],
    output: [message("msg_2", "Oslo is cold ☃, Rome is warm.")],
  },
];

let turn = 0;
const model = {
  async getResponse() {
    throw new Error("only streams are scripted");
  },
  async *getStreamedResponse() {
    const { id, itemId, deltas, output } = turns[turn++];
    yield { type: "response_started" };
    for (const delta of deltas) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      yield { type: "output_text_delta", delta, itemId };
    }
    const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 };
    yield { type: "response_done", response: { id, usage, output } };
  },
};

const getWeather = tool({
  name: "get_weather",
  description: "The weather in a city.",
  parameters: z.object({ city: z.string() }),
  needsApproval: process.argv[2] === "approve",
  execute: async ({ city }) => {
    if (process.argv[2] === "fail") throw new Error("the service is down");
    await new Promise((resolve) => setTimeout(resolve, city === "Rome" ? 10 : 20));
    return `${city}: ${city === "Oslo" ? "-4" : "21"} degrees`;
  },
});

const agent = new Agent({ name: "Weather", model, tools: [getWeather] });
const result = await new Runner().run(agent, "What is the weather in Oslo and in Rome?", { stream: true });
process.stdout.write(await createAiSdkUiMessageStreamResponse(result).text());
