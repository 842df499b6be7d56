// The licences of the packages that a bundle holds, by the list of its inputs: node licences.mjs META.JSON
import fs from "node:fs";
import path from "node:path";

const inputs = Object.keys(JSON.parse(fs.readFileSync(process.argv[2], "utf8")).inputs).filter((file) => file.includes("node_modules/"));
const dirs = [...new Set(inputs.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)[0]))];
const packages = new Map(dirs.map((dir) => {
  const { name, version, license } = JSON.parse(fs.readFileSync(path.join(dir, "package.json"), "utf8"));
  const file = fs.readdirSync(dir).find((f) => /^(licen[cs]e|copying)/i.test(f));
  return [`${name} ${version}, ${license}`, file ? fs.readFileSync(path.join(dir, file), "utf8").trim() : ""];
}));
const line = "-".repeat(80);
console.log("The libraries in clients.js, with the texts of their licences as far as their packages have them.");
for (const title of [...packages.keys()].sort()) console.log(`\n${line}\n${title}\n${line}\n\n${packages.get(title)}`.trimEnd());
