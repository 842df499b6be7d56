// Finds the newest version of every client in package.json and python/requirements.txt, installs them in a copy, and says what changed:
// each version, and which client reads something else than before.
//
//	node update.mjs [--dry-run] [--only TEXT] [--write] [--client TEXT]
//
// --dry-run only lists what is newer; --only takes the packages whose names contain TEXT, --client the readings of such clients. --write
// brings the copy's package.json, lock file, requirements and constraints here, if no reading fails. Where the registry refuses a version,
// the next older one is tried. A name such as ai-6 keeps to 6, and one with a whole version or "strict" in it stays as it is.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { candidates, changes, pinned, readings, require, required } from "./lib/versions.mjs";

const { values: options } = parseArgs({ options: { "dry-run": { type: "boolean" }, only: { type: "string", default: "" }, write: { type: "boolean" }, client: { type: "string", default: "" } } });
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const files = ["package.json", "package-lock.json", "python/requirements.txt", "python/constraints.txt"];
const read = (dir, file) => fs.readFileSync(path.join(dir, file), "utf8");

const wanted = (p) => p.name.includes(options.only);
const npm = pinned(JSON.parse(read(here, "package.json"))).filter(wanted).map((p) => ({ ...p, newer: newerOfNpm(p), install: installNpm }));
const python = required(read(here, "python/requirements.txt")).filter(wanted).map((p) => ({ ...p, newer: newerOfPython(p), install: requirePython }));
const outdated = [...npm, ...python].filter((p) => p.newer.length > 0);
for (const p of outdated) console.log(`${p.name}: ${p.version} → ${p.newer[0]}`);
console.log(`${outdated.length} of ${npm.length + python.length} packages have a newer version`);
if (options["dry-run"] || outdated.length === 0) process.exit(0);

const copy = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "conformance-update-")), "conformance");
fs.cpSync(here, copy, { recursive: true, filter: (from) => !/(^|\/)(node_modules|\.venv[^/]*)$/.test(path.relative(here, from)) });
const cases = path.join(copy, "..", "cases.jsonl");
fs.writeFileSync(cases, must("go", ["run", "./conformance/cases"], path.join(here, "..")));
must("npm", ["ci", "--loglevel=error"], copy);
const pythonChanges = outdated.some((p) => p.install === requirePython);
if (pythonChanges || !fs.existsSync(path.join(here, ".venv"))) must("python/install", [], copy);
else fs.symlinkSync(path.join(here, ".venv"), path.join(copy, ".venv"));
const before = judge(copy);
const changed = outdated.filter((p) => p.newer.slice(0, 5).some((version) => p.install(p, version)));
if (pythonChanges) must("python/lock", [], copy);
const after = judge(copy);

for (const line of changes(readings(before.stdout), readings(after.stdout))) console.log(`reads differently: ${line}`);
for (const line of after.stdout.split("\n").filter((l) => /^(FAIL|     )/.test(l))) console.log(line);
console.log(`${changed.length} of ${outdated.length} installed in ${copy}; readings ${after.status === 0 ? "all understood" : "failed"}`);
if (options.write && after.status === 0) for (const file of files) fs.copyFileSync(path.join(copy, file), path.join(here, file));
process.exit(after.status);

function newerOfNpm(p) {
  if (p.line === "") return [];
  const { status, stdout } = run("npm", ["view", p.package, "versions", "dist-tags.latest", "--json"], here);
  if (status !== 0) return unknown(p);
  const { versions, "dist-tags.latest": latest } = JSON.parse(stdout);
  return candidates(p, [versions].flat(), latest);
}

function newerOfPython(p) {
  const { status, stdout } = run(process.env.PYTHON ?? "python3", ["-m", "pip", "index", "versions", "--disable-pip-version-check", p.package], here);
  if (status !== 0) return unknown(p);
  return candidates(p, /^Available versions: (.*)$/m.exec(stdout)?.[1].split(", ") ?? []);
}

function unknown(p) {
  console.log(`${p.name}: the registry does not say which versions there are`);
  return [];
}

// installNpm installs a version in the copy.
function installNpm(p, version) {
  const spec = p.name === p.package ? `${p.package}@${version}` : `${p.name}@npm:${p.package}@${version}`;
  return took(p, version, run("npm", ["install", "--save-exact", "--loglevel=error", spec], copy));
}

// requirePython writes a version into the requirements of the copy, if there is a wheel of it.
function requirePython(p, version) {
  const args = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "-d", path.join(copy, ".."), `${p.package}==${version}`];
  const ok = took(p, version, run(process.env.PYTHON ?? "python3", args, copy));
  if (ok) fs.writeFileSync(path.join(copy, "python/requirements.txt"), require(read(copy, "python/requirements.txt"), p.name, version));
  return ok;
}

function took(p, version, { status, stderr }) {
  console.log(status === 0 ? `${p.name} ${version} is installed` : `${p.name} ${version} does not install: ${stderr.trim().split("\n")[0]}`);
  return status === 0;
}

// judge has the clients of a folder read all cases.
function judge(dir) {
  return run("node", ["run.mjs", cases, "--client", options.client], dir);
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  if (error) throw error;
  return { status: status ?? 1, stdout, stderr };
}

function must(command, args, cwd) {
  const { status, stdout, stderr } = run(command, args, cwd);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}:\n${stderr}`);
  return stdout;
}
