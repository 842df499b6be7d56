// The agents that are programs: Sabir starts them itself, and keeps a process for each conversation. Their models are the scripted ones.
import fs from "node:fs";
import path from "node:path";

const modules = path.join(import.meta.dirname, "..", "..", "node_modules");
const claude = path.join(modules, "@anthropic-ai", `claude-code-${process.platform}-${process.arch}`, "claude");

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
  return [{ ...common, ...claudeCode(env) }, { ...common, ...claudeAgent(env, node) }];
}

// claudeCode is Claude Code as the configuration of examples/sabir.yaml starts it.
function claudeCode(env) {
  const args = [
    "-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--include-partial-messages", "--permission-prompt-tool", "stdio",
  ];
  return { name: "Claude Code", dialect: "claude-cli", can, command: [claude, ...args], env };
}

// claudeAgent is Claude Code behind the adapter with which editors use it.
function claudeAgent(env, node) {
  const program = path.join(modules, "@agentclientprotocol", "claude-agent-acp", "dist", "index.js");
  return {
    name: "Claude Code, ACP", dialect: "acp", can, command: [node, program], env: { ...env, CLAUDE_CODE_EXECUTABLE: claude },
    clients: ["ai 7", "@ag-ui/client 1.0", "openai 7, chat"],
  };
}
