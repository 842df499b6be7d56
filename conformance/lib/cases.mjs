import fs from "node:fs";

// loadCases reads what conformance/cases printed: one JSON object a line. Each gets its number n in that file, which it
// keeps when others are filtered out.
export function loadCases(file) {
  return fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map((line, n) => ({ n, ...JSON.parse(line) }));
}
