// The server of OpenCode, which keeps the conversations in its files. Its model is the scripted one.
import fs from "node:fs";
import path from "node:path";
import { end } from "../../lib/processes.mjs";
import { sleep } from "../clients/talk.mjs";

const binary = path.join(import.meta.dirname, "..", "..", "node_modules", `opencode-${process.platform}-${process.arch}`, "bin", "opencode");

// startOpencode starts it in a project of its own, and gives what startProgram does. url is that of the model.
export async function startOpencode(start, dir, url) {
  const [home, project, noted] = ["opencode-home", "opencode", "opencode-noted"].map((name) => path.join(dir, name));
  for (const folder of [home, project]) fs.mkdirSync(folder);
  withoutPlugins(path.join(home, ".config", "opencode"));
  fs.writeFileSync(noted, "");
  fs.writeFileSync(path.join(project, "opencode.json"), JSON.stringify(configuration(url)));
  const env = { HOME: home, NOTES: noted, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
  let child, port = "0"; // any, the first time
  const begin = async () => {
    child = start("OpenCode", binary, ["serve", "--hostname", "127.0.0.1", "--port", port], env, home);
    child.endsBy = "SIGKILL"; // otherwise it waits for the connections that are kept
    port = await listens(child);
  };
  const restart = async () => {
    await end(child);
    await begin();
  };
  await begin();
  const deleted = () => fs.readFileSync(noted, "utf8").split("\n").filter(Boolean).map((line) => line.replace(/^deleted /, ""));
  return { restart, deleted, url: `http://127.0.0.1:${port}/?directory=${encodeURIComponent(project)}` };
}

// withoutPlugins makes a folder of settings look as if what plugins need were there: it would be installed from the internet, which takes up to a
// minute, and runs wait for it.
function withoutPlugins(folder) {
  fs.mkdirSync(path.join(folder, "node_modules"), { recursive: true });
  fs.writeFileSync(path.join(folder, "package-lock.json"), JSON.stringify({ packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } }));
}

// listens waits until the server says where: one that is connected to before, and not asked anything, never answers.
async function listens(child) {
  for (const until = Date.now() + 60_000; Date.now() < until && child.exitCode === null; await sleep(50)) {
    const port = /listening on http:\S+:(\d+)/.exec(child.log)?.[1];
    if (port) return port;
  }
  throw new Error(`OpenCode does not listen:\n${child.log}`);
}

// configuration has the agent ask before a command that notes something. What the user denies, it goes on behind: else it ends its turn there.
function configuration(baseURL) {
  return {
    autoupdate: false, share: "disabled", enabled_providers: ["scripted"], model: "scripted/scripted", small_model: "scripted/scripted",
    permission: { bash: { "*": "allow", "echo 'deleted *": "ask", "tee *": "ask" } },
    experimental: { continue_loop_on_deny: true },
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible", name: "Scripted", options: { baseURL, apiKey: "none" },
        models: { scripted: { name: "Scripted", tool_call: true, limit: { context: 100000, output: 10000 } } },
      },
    },
  };
}
