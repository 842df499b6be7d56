// The story that the scripted agents of the AI SDK's kind tell, as what their model streams: parts of the language model
// protocol V3. It needs no package, so that agents can read it that bring different releases of the SDK.
export const question = "What is the weather in Oslo and in Rome?";

const usage = { inputTokens: { total: 20 }, outputTokens: { total: 10 } };

// turns are two turns of the model: it thinks and calls two tools at once, then tells what they found.
export const turns = [
  [
    { type: "stream-start", warnings: [] },
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "Two cities, " },
    { type: "reasoning-delta", id: "0", delta: "two calls." },
    { type: "reasoning-end", id: "0" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "I will look." },
    { type: "text-end", id: "1" },
    ...call("call_oslo", ['{"city":', '"Oslo"}']),
    ...call("call_rome", ['{"city":"Rome"}']),
    { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
  ],
  [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "2" },
    { type: "text-delta", id: "2", delta: "Oslo is " },
    { type: "text-delta", id: "2", delta: "cold ☃, " },
    { type: "text-delta", id: "2", delta: "Rome is warm." },
    { type: "text-end", id: "2" },
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ],
];

function call(id, fragments) {
  return [
    { type: "tool-input-start", id, toolName: "get_weather" },
    ...fragments.map((delta) => ({ type: "tool-input-delta", id, delta })),
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName: "get_weather", input: fragments.join("") },
  ];
}

// weather is what the tool says of a city, after a wait in ms that is shorter for Rome: results come in another order than calls.
export async function weather(city, wait) {
  await new Promise((resolve) => setTimeout(resolve, city === "Rome" ? 10 : wait));
  return `${city}: ${city === "Oslo" ? "-4" : "21"} degrees`;
}
