// A proxy that runs while clients are tried.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { end, listening, start } from "./processes.mjs";

// startProxy starts the binary with a configuration beside what all need: a free port, no listener for operators, only errors in the log.
// stop ends it.
export async function startProxy(sabir, config) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-proxy-"));
  const file = path.join(dir, "sabir.yaml");
  const all = { listen: "127.0.0.1:0", admin: "", log: { level: "error" }, ...config };
  fs.writeFileSync(file, JSON.stringify(all)); // JSON is YAML
  const child = start("sabir", sabir, ["serve", "--config", file]);
  const stop = async () => {
    await end(child);
    fs.rmSync(dir, { recursive: true });
  };
  return { base: await listening(child), stop };
}
