// The agents that are programs: Sabir starts them itself, and keeps a process for each conversation. Their models are the scripted ones.
import fs from "node:fs";
import path from "node:path";
import { killOwn } from "../../lib/processes.mjs";

const modules = path.join(import.meta.dirname, "..", "..", "node_modules");
export const claude = path.join(modules, "@anthropic-ai", `claude-code-${process.platform}-${process.arch}`, "claude");

const codex = path.join(modules, "@openai", "codex", "bin", "codex.js"); // it runs the program for this platform
const copilot = path.join(modules, "@github", `copilot-${process.platform}-${process.arch}`, "copilot");
const gemini = path.join(modules, "@google", "gemini-cli", "bundle", "gemini.js");

// can is what these agents can: their tools are their own, and they keep their conversations.
const can = { run: true, ask: true, declare: false, take: false, rewind: false };

// programs are the agents, with an empty home in dir, and a file there in which their tools note what they do.
export function programs({ base, paths, notes }, dir, node) {
  const home = path.join(dir, "home");
  const noted = path.join(dir, "noted");
  fs.mkdirSync(home);
  fs.writeFileSync(noted, "");
  const deleted = () => fs.readFileSync(noted, "utf8").split("\n").filter(Boolean).map((line) => line.replace(/^deleted /, ""));
  const common = { program: true, notes: () => ({ gone: notes.gone, deleted: deleted() }) };
  const env = {
    HOME: home, NOTES: noted, ANTHROPIC_BASE_URL: base + paths.claudeCode.slice(0, paths.claudeCode.indexOf("/v1/")), ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const own = { HOME: home, NOTES: noted };
  const under = (api, last) => base + paths[api].slice(0, paths[api].indexOf(last));
  return [
    claudeCode(env), claudeAgent(env, node), ...codexes({ ...own, CODEX_HOME: codexHome(dir, under("codex", "/responses")) }, node),
    ...copilots({ ...own, COPILOT_OFFLINE: "true", COPILOT_MODEL: "scripted" }, under("copilot", "/chat/completions")),
    geminiCLI({ ...own, GOOGLE_GEMINI_BASE_URL: under("geminiCLI", "/v1beta") }, home, node),
  ].map((agent) => ({ ...common, restart: agent.can.stay === false ? undefined : () => killOwn(agent.is ?? ((args) => agent.command.every((arg, i) => args[i] === arg))), ...agent }));
}

// claudeCode is Claude Code as the configuration of examples/sabir.yaml starts it.
function claudeCode(env) {
  const args = [
    "-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--include-partial-messages", "--permission-prompt-tool", "stdio",
  ];
  return { name: "Claude Code", dialect: "claude-cli", can: { ...can, question: "own" }, command: [claude, ...args], env };
}

// claudeAgent is Claude Code behind the adapter with which editors use it.
function claudeAgent(env, node) {
  const program = path.join(modules, "@agentclientprotocol", "claude-agent-acp", "dist", "index.js");
  return {
    name: "Claude Code, ACP", dialect: "acp", options: { mode: "default" }, can, command: [node, program], env: { ...env, CLAUDE_CODE_EXECUTABLE: claude },
    clients: ["ai 7", "@ag-ui/client 1.0", "openai 7, chat"],
  };
}

// codexHome is a directory with the configuration of Codex, which warns of models that it does not know. It asks before a command leaves the sandbox.
function codexHome(dir, url) {
  const own = path.join(dir, "codex");
  fs.mkdirSync(own);
  fs.writeFileSync(path.join(own, "config.toml"), `
model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
[model_providers.scripted]
name = "scripted"
base_url = "${url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
`);
  return own;
}

// codexes are Codex that goes on, and Codex that runs for a turn.
function codexes(env, node) {
  return [
    {
      name: "Codex, app server", dialect: "codex-app-server", can: { ...can, askAtOnce: true, askInOrder: false, retell: true }, command: [node, codex, "app-server"], env,
      is: ([program, what]) => program.endsWith("/codex") && what === "app-server", clients: ["ai 7", "@ag-ui/client 1.0", "openai 7, chat", "an editor, sabir acp"],
    },
    {
      name: "Codex, exec", dialect: "codex-cli", can: { ...can, ask: false, stream: false, stay: false }, command: [node, codex, "exec", "--json", "--skip-git-repo-check"], env,
      clients: ["ai 7", "openai 7, chat"],
    },
  ];
}

// copilots are the Copilot CLI as its SDK starts it, which takes tools of its clients, and as editors do. Its provider is the model in place of GitHub.
function copilots(env, url) {
  const provider = { COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_API_KEY: "scripted" };
  const started = { env: { ...env, ...provider }, can: { ...can, askAtOnce: true, askInOrder: false } };
  return [
    {
      ...started, name: "Copilot", dialect: "copilot", can: { ...started.can, question: "own", take: true },
      command: [copilot, "--headless", "--stdio", "--no-auto-update"],
      options: { create: { model: "scripted", provider: { type: "openai", baseUrl: url, apiKey: "scripted" } } },
      clients: ["ai 7", "@ag-ui/client 1.0", "openai 7, chat", "an editor, sabir acp"],
    },
    { ...started, name: "Copilot, ACP", dialect: "acp", command: [copilot, "--acp", "--no-auto-update"], clients: ["ai 7"] },
  ];
}

// geminiCLI runs for a turn, and takes seconds to start.
function geminiCLI(env, home, node) {
  fs.mkdirSync(path.join(home, ".gemini"));
  fs.writeFileSync(path.join(home, ".gemini", "settings.json"), JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }));
  return {
    name: "Gemini CLI", dialect: "gemini-cli", can: { ...can, ask: false, stay: false },
    command: [node, gemini, "--output-format", "stream-json", "--skip-trust", "--approval-mode", "yolo", "--model", "scripted"],
    env: { ...env, GEMINI_API_KEY: "scripted", GEMINI_CLI_NO_RELAUNCH: "true" }, clients: ["openai 7, chat"],
  };
}
