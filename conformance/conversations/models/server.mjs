// A scripted model behind the five model APIs. Each refuses what the real one refuses, with status 400 and the reason, so that
// a history that was translated badly shows. What agents that are programs ask of their models is read leniently, on paths of its own.
import http from "node:http";
import { play } from "../script.mjs";
import * as anthropic from "./anthropic.mjs";
import * as chat from "./chat.mjs";
import * as claudeCode from "./claude_code.mjs";
import * as copilot from "./copilot.mjs";
import * as codex from "./codex.mjs";
import * as gemini from "./gemini.mjs";
import * as geminiCLI from "./gemini_cli.mjs";
import * as interactions from "./interactions.mjs";
import * as opencode from "./opencode.mjs";
import * as responses from "./responses.mjs";
import { Refused } from "./strict.mjs";

const apis = { chat, responses, anthropic, gemini, interactions, claudeCode, codex, copilot, geminiCLI, opencode };

// serveModels starts the server. paths are those of the APIs; notes says whose answers were given up.
export async function serveModels() {
  const notes = { gone: [], deleted: [] };
  const server = http.createServer((req, res) => answer(req, res, notes).catch((err) => refuse(res, 500, String(err.stack))));
  const listen = (port) => new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address();
  const base = `http://127.0.0.1:${port}`;
  const close = () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    return closed;
  };
  const restart = async () => {
    await close();
    await listen(port);
  };
  return { base, paths: Object.fromEntries(Object.entries(apis).map(([name, api]) => [name, api.path])), notes, close, restart };
}

async function answer(req, res, notes) {
  const url = req.url.replace(/^\/v1(?=\/(models|interactions)\b)/, "/v1beta"); // Google's SDKs differ in the version
  const kept = req.method === "GET" && readAgain(url);
  if (kept) return json(res, 200, kept);
  const api = Object.values(apis).find((a) => a.path === url);
  if (!api || req.method !== "POST") return refuse(res, 404, `there is no ${req.method} ${req.url}`);
  let body = "";
  for await (const piece of req) body += piece;
  let history;
  try {
    history = api.read(JSON.parse(body), req.headers);
  } catch (err) {
    if (!(err instanceof Refused) && !(err instanceof SyntaxError)) throw err;
    return refuse(res, 400, err.message, api);
  }
  await stream(history.frames ?? api.frames, play(history), res, notes);
}

// readAgain is an answer that an API remembers.
function readAgain(url) {
  const api = Object.values(apis).find((a) => a.again && url.startsWith(`${a.path}/`));
  return api?.again(url.slice(api.path.length + 1).split("?")[0]);
}

function refuse(res, status, reason, api) {
  json(res, status, api ? api.refusal(reason) : { error: { message: reason } });
}

function json(res, status, value) {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify(value));
}

async function stream(frames, scene, res, notes) {
  let gone = false;
  res.on("close", () => {
    gone = !res.writableFinished;
    if (gone) notes.gone.push(scene.key);
  });
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const frame of frames(scene)) {
    if (gone) return;
    res.write(frame);
    if (scene.delay) await new Promise((resolve) => setTimeout(resolve, scene.delay));
  }
  res.end();
}
