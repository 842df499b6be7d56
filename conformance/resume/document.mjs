// The table of docs/resume.md. Only what went as it should gets there: any fault fails the run before.
import { trials } from "./trials.mjs";

// table is the text between the marks: a row for each client, and a column for trials of one title.
export function table(cells) {
  const titles = [...new Set(Object.values(trials).map((t) => t.title))];
  const clients = [...new Set(cells.map((c) => c.client))];
  const rows = clients.map((client) => {
    const own = cells.filter((c) => c.client === client);
    return [client.name, client.back, ...titles.map((title) => verdict(client, own.filter((c) => c.trial.title === title)))];
  });
  const lines = [["client", "comes back by", ...titles], Array(titles.length + 2).fill("---"), ...rows];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n") + "\n";
}

function verdict(client, cells) {
  const said = cells.map((c) => c.trial.verdict?.(client) ?? "yes");
  return cells.length > 1 ? `${cells.filter((c) => !c.fault).length} of ${cells.length}` : said[0];
}
