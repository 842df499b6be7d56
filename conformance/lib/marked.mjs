// Parts of documents that are made by a step, between two marks.
import fs from "node:fs";

// compare reports whether the document has what was made between the marks of that name; with write, it has it afterwards.
export function compare(file, name, made, write) {
  const text = fs.readFileSync(file, "utf8");
  const begin = `<!-- ${name}: made by conformance/${name}/run.mjs --write -->\n`;
  const from = text.indexOf(begin);
  const to = text.indexOf(`<!-- end of ${name} -->\n`);
  if (from < 0 || to < from) throw new Error(`${file} has no marks for ${name}`);
  const whole = `${text.slice(0, from)}${begin}\n${made}\n${text.slice(to)}`;
  if (whole === text) return true;
  if (write) fs.writeFileSync(file, whole);
  return write;
}
