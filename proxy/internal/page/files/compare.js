// Two runs side by side.
import { diff, steps } from "./diff.js";
import { duration, h, plural, replace } from "./dom.js";
import { Run } from "./model.js";

export class DiffView {
  constructor(app, left, right) {
    Object.assign(this, { app, sides: [left, right] });
    this.body = h("div", { class: "diff" }, h("p", { class: "dim" }, "Reading both runs."));
    this.only = h("input", { type: "checkbox", onchange: () => this.body.classList.toggle("only", this.only.checked) });
    this.facts = h("div", { class: "facts", role: "status" });
    this.element = h("section", { class: "one" }, h("div", { class: "title" }, h("a", { href: "#/", class: "back", "aria-label": "Back to all runs" }, "← Runs"), h("h1", {}, "Two runs compared"), this.facts),
      h("div", { class: "bar" }, h("label", { class: "check" }, this.only, "only what differs"), h("span", { class: "dim" }, "Ids and times do not count; deltas of a text are joined.")), this.body);
    this.keys = { Escape: () => { location.hash = "#/"; } };
  }

  async start(signal) {
    const more = Object.assign(() => {}, { whole: true });
    const [a, b] = await Promise.all(this.sides.map((key) => this.app.load(key, signal, more)));
    if (a instanceof Run && b instanceof Run && a.header && b.header) this.show(a, b);
  }

  show(a, b) {
    const rows = diff(steps(a), steps(b));
    const differ = rows.filter((r) => r.how !== "same").length;
    replace(this.facts, h("span", { class: "fact" }, differ === 0 ? "Both runs say the same." : `${plural(differ, "difference")} in ${plural(rows.length, "step")}.`));
    const head = (key, run) => h("span", {}, `${this.app.runs.get(key)?.id ?? key} `, h("span", { class: "dim" }, `${run.header.from} → ${run.header.to}, ${duration(run.last)}`));
    replace(this.body, h("div", { class: "pair head" }, head(this.sides[0], a), head(this.sides[1], b)),
      rows.map((r) => h("div", { class: `pair ${r.how}` }, step(r.left, r.how === "left" ? "only left" : "", r.right), step(r.right, r.how === "right" ? "only right" : "", r.left))));
  }
}

function step(s, chip, other) {
  if (!s) return h("span", { class: "item none" });
  return h("span", { class: "item" }, h("span", { class: "dim time" }, duration(s.t)), h("b", {}, s.kind), " ", words(s.what, other?.what), chip && h("span", { class: "chip warn" }, chip));
}

// words marks where a text differs from the other.
function words(text, other) {
  if (other === undefined || other === text) return h("span", { class: "words" }, text);
  let from = 0, end = 0;
  while (from < Math.min(text.length, other.length) && text[from] === other[from]) from++;
  while (end < Math.min(text.length, other.length) - from && text.at(-1 - end) === other.at(-1 - end)) end++;
  return h("span", { class: "words" }, text.slice(0, from), h("mark", {}, text.slice(from, text.length - end)), text.slice(text.length - end));
}
