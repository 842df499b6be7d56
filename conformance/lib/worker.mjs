// Reads all cases with one client, in a process of its own: what the client prints belongs to the case at hand.
//
//	node lib/worker.mjs <client file> <folder with a file of cases for each dialect> <url template>
//
// In the template, {n} is the number of a case, {from} the dialect of its upstream, {route} the route that through.mjs gave
// it, {how} whole or bytes. Prints one JSON object a result.
import fs from "node:fs";
import { loadCases } from "./cases.mjs";
import { verdict } from "./verdict.mjs";

const [clientFile, casesDir, template] = process.argv.slice(2);
const print = (line) => process.stdout.write(JSON.stringify(line) + "\n");

let complaints = [];
for (const level of ["warn", "error", "log", "info", "debug"]) {
  console[level] = (...args) => {
    if (level === "warn" || level === "error") complaints.push(`${level}: ${args.map(String).join(" ")}`);
  };
}
process.on("unhandledRejection", (err) => complaints.push(`unhandled rejection: ${err}`));
process.on("uncaughtException", (err) => complaints.push(`uncaught exception: ${err}`));

const deadline = 60_000; // milliseconds for one case

const { default: client } = await import(new URL(`../${clientFile}`, import.meta.url));
const casesFile = `${casesDir}/${client.dialect}.jsonl`;
const cases = fs.existsSync(casesFile) ? loadCases(casesFile) : []; // none may match
for (const c of cases) {
  if (client.takes?.(c) === false) continue;
  // What cuts do to a client, its newest release shows with one in five of the streams that are not damaged, as with the clients in Python.
  const cut = !c.mutated && !c.control && !client.previous && c.n % 5 === 0;
  const ways = !template.includes("{how}") ? ["as served"] : cut ? ["whole", "bytes"] : ["whole"];
  for (const how of ways) {
    if (/\{(from|route)\}/.test(template) && !c.from) continue;
    const values = { n: c.n, how, from: c.from?.dialect, route: c.route };
    const url = template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    print({ client: client.name, case: c.name, how, faults: await judge(c, url) });
  }
}
process.exit(0);

async function judge(c, url) {
  complaints = [];
  let faults;
  try {
    faults = client.differences(c.meaning, await within(deadline, client.read(url)), c);
  } catch (err) {
    faults = [`rejected: ${err}`];
  }
  await new Promise((resolve) => setImmediate(resolve)); // unhandled rejections come late
  const tolerated = c.mutated ? client.toleratedWhenMutated : [];
  return verdict(c, faults.concat(complaints.filter((text) => !tolerated.some((t) => t.test(text.replace(/^\w+: /, ""))))));
}

function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
