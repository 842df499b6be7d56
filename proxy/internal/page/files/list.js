// The list of runs.
import { $, duration, h, notice, plural, replace } from "./dom.js";

const kept = { search: "", route: "", ending: "", trouble: false, chosen: [] }; // over changes of the view

export class ListView {
  constructor(app) {
    this.app = app;
    this.rows = new Map();
    this.search = h("input", { type: "search", placeholder: "Search runs", "aria-label": "Search runs", value: kept.search, oninput: () => this.filter({ search: this.search.value }) });
    this.route = this.select("route", "every route");
    this.ending = this.select("ending", "every ending");
    this.trouble = h("input", { type: "checkbox", checked: kept.trouble, onchange: () => this.filter({ trouble: this.trouble.checked }) });
    this.compare = h("button", { type: "button", disabled: true, onclick: () => this.toDiff() }, "Compare");
    this.total = h("span", { class: "dim", role: "status" });
    this.body = h("div", { class: "rows", role: "list" });
    this.empty = h("div", { class: "empty" });
    this.element = h("section", { class: "list" },
      h("h1", { class: "hidden" }, "Runs"),
      h("div", { class: "bar" }, this.search, this.route, this.ending, h("label", { class: "check" }, this.trouble, "with repairs, losses or faults"), this.compare, this.total),
      h("div", { class: "head row", "aria-hidden": "true" }, ["", "Run", "Route", "Dialects", "Age", "Rate", "Events", "Repairs", "Ending"].map((t) => h("span", {}, t))),
      this.body, this.empty);
    this.keys = {
      j: () => this.move(1), k: () => this.move(-1), ArrowDown: () => this.move(1), ArrowUp: () => this.move(-1),
      x: () => document.activeElement?.closest(".row")?.querySelector("input")?.click(), c: () => this.toDiff(),
    };
    this.changed([...app.runs.keys()]);
  }

  start(signal) {
    const timer = setInterval(() => this.ages(), 1000);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  select(name, all) {
    const element = h("select", { "aria-label": name, onchange: () => this.filter({ [name]: element.value }) }, h("option", { value: "" }, all));
    return element;
  }

  filter(change) {
    Object.assign(kept, change);
    for (const [key, row] of this.rows) this.judge(key, row);
    this.count();
  }

  changed(keys) {
    for (const key of keys) this.update(key);
    for (const [key, row] of this.rows) {
      if (!this.app.runs.has(key)) { row.element.remove(); this.rows.delete(key); }
    }
    this.options(this.route, "route");
    this.options(this.ending, "ending");
    this.count();
  }

  options(select, name) {
    const values = [...new Set([...this.app.runs.values()].map((r) => ending(name, r)))].filter(Boolean).sort();
    for (const value of values) {
      if (![...select.options].some((o) => o.value === value)) select.append(h("option", { value, selected: kept[name] === value }, value));
    }
  }

  update(key) {
    const run = this.app.runs.get(key);
    let row = this.rows.get(key);
    if (!row) {
      row = this.make(run);
      this.rows.set(key, row);
      this.body.prepend(row.element);
    }
    const { cells } = row;
    set(cells.age, run.live ? age(Date.now() - run.began) : duration(run.took));
    set(cells.rate, run.live ? `${run.rate.toFixed(0)}/s` : "");
    set(cells.events, String(run.events));
    set(cells.repairs, troubles(run));
    cells.repairs.classList.toggle("warn", run.repairs + run.losses > 0);
    cells.repairs.classList.toggle("bad", run.faults > 0);
    set(cells.ending, run.live ? "live" : run.ending);
    cells.ending.dataset.ending = run.live ? "live" : kind(run.ending);
    this.judge(key, row);
  }

  make(run) {
    const cells = Object.fromEntries(["age", "rate", "events", "repairs", "ending"].map((n) => [n, h("span", { class: n })]));
    const choose = h("input", { type: "checkbox", "aria-label": `Compare run ${run.id}`, checked: kept.chosen.includes(run.key), onchange: () => this.choose(run.key, choose.checked) });
    const element = h("div", { class: "row run", role: "listitem" }, h("label", { class: "choose" }, choose),
      h("a", { class: "id", href: `#/run/${encodeURIComponent(run.key)}` }, run.file ? run.id : `${run.key} · ${run.id}`), h("span", { class: "route" }, run.route),
      h("span", { class: "dialects" }, run.from, h("span", { class: "dim" }, run.copied ? " copied to " : " → "), run.to),
      cells.age, cells.rate, cells.events, cells.repairs, cells.ending);
    element.addEventListener("click", (e) => { if (!e.target.closest("a, label, input")) location.hash = `#/run/${encodeURIComponent(run.key)}`; });
    return { element, cells };
  }

  judge(key, row) {
    const run = this.app.runs.get(key);
    if (!run) return;
    const words = `${run.key} ${run.id} ${run.route} ${run.upstream} ${run.from} ${run.to} ${run.ending}`.toLowerCase();
    const shown = words.includes(kept.search.toLowerCase()) && (!kept.route || run.route === kept.route) &&
      (!kept.ending || ending("ending", run) === kept.ending) && (!kept.trouble || run.repairs + run.losses + run.faults > 0);
    row.element.hidden = !shown;
  }

  count() {
    const shown = [...this.rows.values()].filter((r) => !r.element.hidden).length;
    const live = [...this.app.runs.values()].filter((r) => r.live).length;
    set(this.total, this.rows.size === 0 ? "" : `${plural(shown, "run")}${live ? `, ${live} live` : ""}`);
    this.compare.disabled = kept.chosen.length !== 2;
    if (this.rows.size > 0) replace(this.empty, shown ? null : "No run is like that.");
    else replace(this.empty, h("h2", {}, "No runs yet"), h("p", {}, "Send a request through Sabir: its run appears here at once, and you can look at it while it goes on. ",
      "Or open a recording from a file, or drop one here."));
  }

  choose(key, on) {
    kept.chosen = kept.chosen.filter((k) => k !== key && this.app.runs.has(k));
    if (on) kept.chosen = [...kept.chosen.slice(-1), key];
    for (const [k, row] of this.rows) row.element.querySelector("input").checked = kept.chosen.includes(k);
    this.count();
  }

  toDiff() {
    if (kept.chosen.length !== 2) return notice("Choose two runs to compare: press x on each.");
    location.hash = `#/diff/${kept.chosen.map(encodeURIComponent).join("/")}`;
  }

  move(step) {
    const links = [...this.body.querySelectorAll(".row:not([hidden]) a")];
    const at = links.indexOf(document.activeElement?.closest(".row")?.querySelector("a"));
    links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + step))]?.focus();
  }

  ages() {
    for (const [key, { cells, element }] of this.rows) {
      const run = this.app.runs.get(key);
      if (!run?.live || element.hidden) continue;
      set(cells.age, age(Date.now() - run.began));
      if (performance.now() - run.seen > 2000) set(cells.rate, "0/s");
    }
  }
}

// ending is what a filter calls a run.
function ending(name, run) {
  return name === "ending" && run.live ? "live" : run[name];
}

export function kind(ending) {
  if (ending === "done" || ending === "tools" || ending === "paused") return "good";
  return ending === "cancelled" || ending === "client_gone" ? "left" : "bad";
}

function troubles(run) {
  return [run.repairs && plural(run.repairs, "repair"), run.losses && `${run.losses} lost`, run.faults && plural(run.faults, "fault")].filter(Boolean).join(", ");
}

const age = (ms) => duration(Math.max(0, Math.floor(ms / 1000) * 1000));

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
