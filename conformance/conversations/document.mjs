// The table of docs/conversations.md.
import { scenarios } from "./scenarios.mjs";

// table is the text between the marks. Cells have a client, an agent, a scenario, a reason if it is not the case that it works, and a remark how it does.
export function table(cells) {
  const notes = [];
  const tables = [...groupBy(cells, (c) => c.client.name)].map(([client, own]) => clientTable(client, own, notes));
  return [...tables, ...notes.map((reason, i) => `${i + 1}. ${reason}`), ""].join("\n");
}

function groupBy(list, key) {
  const groups = new Map();
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

function clientTable(client, cells, notes) {
  const titles = Object.values(scenarios).map((s) => s.title);
  const rows = [...groupBy(cells, (c) => c.agent.name)].map(([agent, own]) => `| ${[agent, ...own.map((c) => mark(c, notes))].join(" | ")} |`);
  return [`### ${client}\n`, `| agent | ${titles.join(" | ")} |`, `|---|${titles.map(() => "---|").join("")}`, ...rows, ""].join("\n");
}

function mark({ reason, remark, tried }, notes) {
  const note = reason ?? remark;
  if (!note) return "yes";
  if (!notes.includes(note)) notes.push(note);
  return `${!reason ? "yes" : tried ? "**no**" : "–"} <sup>${notes.indexOf(note) + 1}</sup>`;
}
