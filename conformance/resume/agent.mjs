// The agent that all runs ask: a model API that says numbered words slowly, and counts.
import http from "node:http";

const words = Array.from({ length: 40 }, (_, n) => `w${n} `);
const pause = 25; // ms between two words

// said is all that a run says.
export const said = words.join("");

// Users who say `much` get an answer that is long at once, and then goes on as the others do.
const much = Array.from({ length: 400 }, (_, n) => `m${n} `);
export const saidMuch = much.join("") + said;
const saysMuch = (key) => key.startsWith("late viewer");

// startAgent starts it. runs and gone count, by what the user said, how often it was asked, and how often who asked left before the end.
export async function startAgent() {
  const [runs, gone] = [new Map(), new Map()];
  const server = http.createServer((req, res) => answer(req, res, runs, gone).catch((err) => res.destroy(err)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1/chat/completions`, runs, gone, close };
}

async function answer(req, res, runs, gone) {
  let body = "";
  for await (const piece of req) body += piece;
  const key = keyOf(JSON.parse(body));
  count(runs, key);
  let left = false;
  res.on("close", () => {
    left = !res.writableFinished;
    if (left) count(gone, key);
  });
  res.writeHead(200, { "content-type": "text/event-stream" });
  if (saysMuch(key)) res.write(much.map((content) => chunk({ content })).join(""));
  for (const delta of [{ role: "assistant", content: "" }, ...words.map((content) => ({ content }))]) {
    if (left) return;
    res.write(chunk(delta));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  res.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
}

const count = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);

function keyOf({ messages }) {
  const { content } = messages.findLast((m) => m.role === "user");
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

const chunk = (delta, finish = null) => `data: ${JSON.stringify({
  id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }],
})}\n\n`;
