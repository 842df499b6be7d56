// A scripted model behind the Responses API and the Chat Completions API of OpenAI, for agents that are recorded.
//
//	node openai_model.mjs PORT
//
// The base URL names the story: http://127.0.0.1:PORT/parallel/v1. Each request is answered with the turn whose number is how often the
// conversation has come back from a tool, so that the server keeps nothing.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const reasoning = (...deltas) => ({ kind: "reasoning", deltas });
const text = (...deltas) => ({ kind: "text", deltas });
const refusal = (...deltas) => ({ kind: "refusal", deltas });
const call = (id, name, ...deltas) => ({ kind: "call", id, name, deltas });
const oslo = call("call_oslo", "get_weather", '{"city":', '"Oslo"}');
const rome = call("call_rome", "get_weather", '{"city":"Rome"}');

// Stories: the turns of the model, each a list of what it puts out. What follows a failure or a break does not come.
const stories = {
  text: [[text("You said ", "hello.")]],
  reasoning: [[reasoning("A greeting, ", "no call."), text("Hello.")]],
  tool: [[text("I will ", "look."), oslo], [text("Oslo is ", "cold ☃.")]],
  parallel: [[reasoning("Two cities, ", "two calls."), text("I will ", "look."), oslo, rome], [text("Oslo is ", "cold ☃, ", "Rome is warm.")]],
  handoff: [[call("call_over", "transfer_to_", "{}")], [text("I am ", "Refunds.")]],
  refusal: [[refusal("I cannot ", "help with that.")]],
  "model-fails": [[text("I will ", "look.")], [text("Oslo")]].map((turn) => [...turn, { kind: "fail" }]),
  "model-breaks": [[text("I will "), { kind: "break" }]],
  deltas: [
    [
      reasoning(..."Two cities, and so there will be two calls, one for each of them.".split(/(?<= )/)),
      text(..."I will look at what the weather is in Oslo and in Rome today.".split(/(?<= )/)),
      call("call_oslo", "get_weather", '{"city":', '"O', "s", "l", "o", '"}'),
    ],
    [text(..."It is cold in Oslo, and it will be warm in Rome at this time.".split(/(?<= )/))],
  ],
  loop: Array.from({ length: 9 }, (_, i) => [call(`call_${i}`, "get_weather", `{"city":"Oslo ${i}"}`)]),
  mcp: [[{ kind: "approval", id: "mcpr_1", server: "store", name: "buy", arguments: '{"item":"pen"}' }]],
};

const send = async (res, data) => {
  await sleep(2);
  res.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
};

// toolName is a tool whose name begins so: SDKs do not agree on how the names of agents are spelled in those of handoffs.
const toolName = (start, tools = []) => tools.map((tool) => tool.name ?? tool.function?.name).find((name) => start && name?.startsWith(start)) ?? start;

const isResult = (item) => /_output$/.test(item.type ?? "") || item.role === "tool";
// turnOf counts the results of tools in groups: those of one turn follow each other.
function turnOf(items) {
  let turn = 0;
  let before = false;
  for (const item of Array.isArray(items) ? items : []) {
    const result = isResult(item);
    if (result && !before) turn++;
    before = result;
  }
  return turn;
}

const usage = {
  input_tokens: 20, input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 }, output_tokens: 10, output_tokens_details: { reasoning_tokens: 3 }, total_tokens: 30,
};

async function responses(res, turn, number) {
  let sequence = 0;
  const emit = (type, rest) => send(res, { type, sequence_number: sequence++, ...rest });
  const base = {
    id: `resp_${number}`, object: "response", created_at: 1795600000, model: "scripted-1", status: "in_progress", output: [], tools: [],
    tool_choice: "auto", parallel_tool_calls: true, error: null, incomplete_details: null, instructions: null, metadata: {}, temperature: 1, top_p: 1,
  };
  await emit("response.created", { response: base });
  const output = [];
  for (const [index, part] of turn.entries()) {
    if (part.kind === "break") return res.destroy();
    if (part.kind === "fail") {
      return emit("response.failed", { response: { ...base, status: "failed", error: { code: "server_error", message: "the model is down" }, output } });
    }
    output.push(await item(emit, part, index, number));
  }
  await emit("response.completed", { response: { ...base, status: "completed", output, usage } });
}

// item streams one output item, and returns it whole.
async function item(emit, part, output_index, number) {
  const whole = part.deltas?.join("");
  const at = (id, rest) => ({ item_id: id, output_index, ...rest });
  const opened = async (empty, done, body) => {
    await emit("response.output_item.added", { output_index, item: empty });
    await body(done.id);
    await emit("response.output_item.done", { output_index, item: done });
    return done;
  };
  switch (part.kind) {
    case "reasoning": {
      const done = { id: `rs_${number}`, type: "reasoning", summary: [{ type: "summary_text", text: whole }], encrypted_content: "c2VjcmV0" };
      return opened({ ...done, summary: [], encrypted_content: null }, done, async (id) => {
        await emit("response.reasoning_summary_part.added", at(id, { summary_index: 0, part: { type: "summary_text", text: "" } }));
        for (const delta of part.deltas) await emit("response.reasoning_summary_text.delta", at(id, { summary_index: 0, delta }));
        await emit("response.reasoning_summary_text.done", at(id, { summary_index: 0, text: whole }));
        await emit("response.reasoning_summary_part.done", at(id, { summary_index: 0, part: { type: "summary_text", text: whole } }));
      });
    }
    case "text":
    case "refusal": {
      const kind = part.kind === "text" ? "output_text" : "refusal";
      const piece = (said) => (kind === "refusal" ? { type: kind, refusal: said } : { type: kind, text: said, annotations: [], logprobs: [] });
      const done = { id: `msg_${number}`, type: "message", role: "assistant", status: "completed", content: [piece(whole)] };
      return opened({ ...done, status: "in_progress", content: [] }, done, async (id) => {
        await emit("response.content_part.added", at(id, { content_index: 0, part: piece("") }));
        for (const delta of part.deltas) {
          await emit(`response.${kind}.delta`, at(id, { content_index: 0, delta, ...(kind === "refusal" ? {} : { logprobs: [] }) }));
        }
        await emit(`response.${kind}.done`, at(id, { content_index: 0, ...piece(whole), type: `response.${kind}.done` }));
        await emit("response.content_part.done", at(id, { content_index: 0, part: piece(whole) }));
      });
    }
    case "call": {
      const done = { id: `fc_${part.id}`, type: "function_call", call_id: part.id, name: part.name, arguments: whole, status: "completed" };
      return opened({ ...done, arguments: "", status: "in_progress" }, done, async (id) => {
        for (const delta of part.deltas) await emit("response.function_call_arguments.delta", at(id, { delta }));
        await emit("response.function_call_arguments.done", at(id, { name: part.name, arguments: whole }));
      });
    }
    case "approval": {
      const done = { id: part.id, type: "mcp_approval_request", server_label: part.server, name: part.name, arguments: part.arguments };
      return opened(done, done, async () => {});
    }
  }
}

async function chat(res, turn, number) {
  const chunk = (delta, finish_reason = null) => ({
    id: `chatcmpl_${number}`, object: "chat.completion.chunk", created: 1795600000, model: "scripted-1", choices: [{ index: 0, delta, finish_reason }],
  });
  await send(res, chunk({ role: "assistant", content: "" }));
  let calls = 0;
  for (const part of turn) {
    if (part.kind === "break" || part.kind === "fail") return res.destroy();
    for (const [i, delta] of part.deltas.entries()) {
      if (part.kind === "reasoning") await send(res, chunk({ reasoning_content: delta }));
      if (part.kind === "text") await send(res, chunk({ content: delta }));
      if (part.kind === "refusal") await send(res, chunk({ refusal: delta }));
      if (part.kind === "call") {
        const head = i === 0 ? { id: part.id, type: "function" } : {};
        const fn = i === 0 ? { name: part.name, arguments: delta } : { arguments: delta };
        await send(res, chunk({ tool_calls: [{ index: calls, ...head, function: fn }] }));
      }
    }
    if (part.kind === "call") calls++;
  }
  await send(res, chunk({}, calls > 0 ? "tool_calls" : "stop"));
  await send(res, { ...chunk({}), choices: [], usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 } });
  await send(res, "[DONE]");
}

const server = createServer(async (req, res) => {
  let body = "";
  for await (const piece of req) body += piece;
  const [, story, , ...path] = req.url.split("/");
  const asked = JSON.parse(body);
  const number = turnOf(asked.input ?? asked.messages);
  const turn = stories[story]?.[number]?.map((part) => ({ ...part, name: toolName(part.name, asked.tools) }));
  if (turn === undefined) return res.writeHead(404).end(`no turn ${number} of ${story}`);
  if (!asked.stream) return res.writeHead(400).end("only streams are scripted");
  res.writeHead(200, { "content-type": "text/event-stream" });
  await (path.join("/") === "responses" ? responses : chat)(res, turn, number + 1);
  res.end();
});
server.listen(Number(process.argv[2]), "127.0.0.1");
