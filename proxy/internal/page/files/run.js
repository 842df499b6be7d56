// One run.
import { duration, h, notice, plural, replace } from "./dom.js";
import { eventGist, fixture, gist, isProblem, parsed, records } from "./model.js";
import { asks, request, texts, timeline } from "./panes.js";
import { fates, lost, repaired, silence } from "./words.js";
import { kind } from "./list.js";

const tabs = ["stream", "timeline", "text", "questions", "request"];
const atOnce = 4000; // groups of the stream that are shown

export class RunView {
  constructor(app, key, tab) {
    Object.assign(this, { app, key, tab: tabs.includes(tab) ? tab : "stream", run: null, groups: [], words: "", only: false });
    this.title = h("h1", {}, "Run");
    this.facts = h("div", { class: "facts" });
    this.search = h("input", { type: "search", placeholder: "Search in this run", "aria-label": "Search in this run", oninput: () => this.find() });
    this.problems = h("button", { type: "button", hidden: true, "aria-pressed": "false", onclick: () => this.onlyProblems() });
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Views of the run" }, tabs.map((name, i) => h("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(name === this.tab), "aria-controls": "pane", onclick: () => this.turn(name), title: `Key ${i + 1}`,
    }, name[0].toUpperCase() + name.slice(1))));
    this.pane = h("div", { class: "pane", id: "pane", role: "tabpanel", "aria-labelledby": `tab-${this.tab}` });
    this.element = h("section", { class: "one" },
      h("div", { class: "title" }, h("a", { href: "#/", class: "back", "aria-label": "Back to all runs" }, "← Runs"), this.title, this.facts),
      h("div", { class: "bar" }, this.tabs, h("span", { class: "grow" }), this.search, this.problems,
        h("button", { type: "button", onclick: () => this.copy() }, "Copy as fixture"), h("button", { type: "button", onclick: () => this.save() }, "Save")),
      this.pane);
    this.keys = {
      Escape: () => { location.hash = "#/"; }, j: () => this.move(1), k: () => this.move(-1), n: () => this.toProblem(1), p: () => this.toProblem(-1),
      f: () => this.copy(), s: () => this.save(), ...Object.fromEntries(tabs.map((name, i) => [String(i + 1), () => this.turn(name)])),
    };
  }

  async start(signal) {
    let waiting = false;
    const more = (run) => {
      this.run = run;
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; if (!signal.aborted) this.show(); });
    };
    const run = await this.app.load(this.key, signal, more);
    if (run.header) more(run);
  }

  show() {
    const { run } = this;
    if (!run?.header) return;
    const { header, end } = run;
    this.title.textContent = this.app.runs.get(this.key)?.id ?? header.id;
    replace(this.facts, fact("route", header.route), fact("dialects", `${header.from} ${header.copied ? "copied to" : "→"} ${header.to}`),
      fact(end ? "took" : "so far", duration(run.last)), fact("records", run.count("in")), fact("events", run.count("event")), fact("repairs", run.count("repair"), "warn"),
      h("span", { class: "ending", "data-ending": end ? kind(end.ending) : "live" }, end ? end.ending : "live"),
      header.form === "shapes" && h("span", { class: "chip" }, "shapes only: no content"),
      end?.dropped && h("span", { class: "chip bad" }, `${plural(end.dropped, "line")} had no room`));
    const bad = run.problems.length;
    this.problems.hidden = bad === 0;
    this.problems.textContent = `${plural(bad, "place")} with repairs or losses`;
    this.draw();
  }

  draw() {
    if (this.tab === "stream") return this.stream();
    replace(this.pane, { timeline, text: texts, questions: asks, request }[this.tab](this.run));
  }

  turn(name) {
    this.tab = name;
    history.replaceState(null, "", `#/run/${encodeURIComponent(this.key)}/${name}`);
    for (const tab of this.tabs.children) tab.setAttribute("aria-selected", String(tab.id === `tab-${name}`));
    this.pane.setAttribute("aria-labelledby", `tab-${name}`);
    this.groups = [];
    replace(this.pane);
    if (this.run) this.draw();
  }

  // stream draws the groups that are new or have changed.
  stream() {
    if (this.groups.length === 0) {
      const { header } = this.run;
      this.rows = h("div", { class: "groups", role: "list" });
      replace(this.pane, h("div", { class: "head group", "aria-hidden": "true" }, ["Time", `Agent sends ${header.from}`, "Sabir understands", header.shared ? "Clients read a log" : `Client gets ${header.to}`].map((t) => h("span", {}, t))), this.rows);
    }
    for (let i = 0; i < Math.min(this.run.groups.length, atOnce); i++) {
      const group = this.run.groups[i];
      const drawn = this.groups[i];
      if (drawn?.version === group.version) continue;
      const element = row(group);
      if (drawn) drawn.element.replaceWith(element);
      else this.rows.append(element);
      this.groups[i] = { element, version: group.version, group, words: null };
      this.judge(this.groups[i]);
    }
    if (this.run.groups.length > atOnce && !this.more) {
      this.more = h("p", { class: "dim" }, `Only the first ${atOnce} steps are shown. Save the run to see all of it.`);
      this.pane.append(this.more);
    }
  }

  judge(drawn) {
    drawn.words ??= JSON.stringify([drawn.group.in, drawn.group.events, drawn.group.out, drawn.group.notes]).toLowerCase();
    const found = this.words !== "" && drawn.words.includes(this.words);
    drawn.element.hidden = this.words !== "" && !found || this.only && !isProblem(drawn.group);
  }

  find() {
    this.words = JSON.stringify(this.search.value.toLowerCase()).slice(1, -1);
    if (this.tab !== "stream") this.turn("stream");
    this.groups.forEach((g) => this.judge(g));
  }

  onlyProblems() {
    this.only = !this.only;
    this.problems.setAttribute("aria-pressed", String(this.only));
    if (this.tab !== "stream") this.turn("stream");
    this.groups.forEach((g) => this.judge(g));
  }

  move(step) { this.focus(this.groups.filter((g) => !g.element.hidden), step); }

  toProblem(step) {
    if (this.tab !== "stream") this.turn("stream");
    this.focus(this.groups.filter((g) => isProblem(g.group)), step);
  }

  // focus goes to the next of some groups, from the one that has the focus.
  focus(among, step) {
    const at = this.groups.findIndex((g) => g.element === document.activeElement?.closest(".group"));
    const index = (g) => this.groups.indexOf(g);
    const next = step > 0 ? among.find((g) => index(g) > at) : among.findLast((g) => index(g) < at);
    next?.element.querySelector("summary")?.focus();
    next?.element.scrollIntoView({ block: "center" });
  }

  async copy() {
    if (!this.run?.header) return;
    if (this.run.header.form === "shapes") return notice("A run without content is no fixture.");
    const text = fixture(this.run);
    try {
      await navigator.clipboard.writeText(text);
      notice("The fixture is in the clipboard: testdata/*.txtar of the agent's dialect.");
    } catch {
      download(text, `${this.run.header.id}.txtar`);
      notice("The fixture was saved, as there is no clipboard.");
    }
  }

  save() {
    if (!this.run?.header) return;
    if (this.run.live) return notice("The run goes on. It can be saved when it has ended.");
    download(this.run.file(), `${this.run.header.id}.sabir.jsonl`);
    notice("Saved. Open it here, or: sabir replay FILE --as DIALECT");
  }
}

function download(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function fact(name, value, tone) {
  return h("span", { class: `fact ${tone && value ? tone : ""}` }, h("span", { class: "dim" }, name), " ", String(value));
}

const longGap = 800; // milliseconds

// row is what came of one record of the agent, or of time.
function row(group) {
  const bad = isProblem(group);
  const notes = group.notes.map(note).filter(Boolean);
  const element = h("div", { class: `group ${bad ? "problem" : ""}`, role: "listitem" });
  if (group.gap >= longGap) element.append(h("div", { class: "gap" }, h("span", {}, `${duration(group.gap)} of silence`), h("span", { class: "dim" }, silence(group.gap))));
  const details = h("details", { ontoggle: () => { if (details.open && details.children.length === 1) details.append(whole(group)); } }, h("summary", {},
    h("span", { class: "time" }, duration(group.t), group.n > 0 && h("span", { class: "dim number" }, `#${group.n}`)),
    h("span", { class: "in cell", "data-side": "agent" }, group.in.map(recordLines), group.in.length === 0 && h("span", { class: "dim" }, group.notes.some((l) => l.type === "end") ? "(end)" : "(by time)")),
    h("span", { class: "ev cell", "data-side": "event" }, group.events.map(eventLine)),
    h("span", { class: "out cell", "data-side": "client" }, group.out.map(recordLines))));
  element.append(details, ...notes);
  return element;
}

function recordLines(line) {
  return records(line).map((rec) => item(gist(rec)));
}

function eventLine(line) {
  const shown = ["extension", "folded", "dropped"].includes(line.fate);
  return item(eventGist(line.event), shown && h("span", { class: `chip ${lost(line.fate) ? "warn" : ""}`, title: fates[line.fate] }, line.fate));
}

function item({ head, words }, chip) {
  return h("span", { class: "item" }, head && h("b", {}, head), " ", h("span", { class: "words" }, words.slice(0, 400)), chip);
}

// note says in words what happened besides.
function note(line) {
  switch (line.type) {
    case "repair": return said("warn", `repaired: ${line.repair}${line.times > 1 ? ` ×${line.times}` : ""}`, repaired(line.repair));
    case "violation": return said("bad", `rule: ${line.name}`, `${line.side === "agent" ? "The agent" : "What was written for the client"} breaks it: ${line.error}${line.path ? ` (${line.path})` : ""}`);
    case "fault": return said("bad", `fault: ${line.name}`, line.error || "A record could not be read, wholly or in part.");
    case "sent": return said("", "slow client", `The client took ${duration(line.took)} to take what was written.`);
    case "keepalive": return said("", "sign of life", "Nothing was there to write, so the client got a sign of life.");
    case "end": return said(kind(line.ending) === "bad" ? "bad" : "end", `end: ${line.ending}`, line.error ?? "");
  }
  return null;
}

function said(tone, what, why) {
  return h("div", { class: `note ${tone}` }, h("b", {}, what), why && h("span", {}, why));
}

// whole shows everything that a group holds.
function whole(group) {
  const part = (title, lines) => h("div", {}, h("h3", {}, title), lines.length === 0 ? h("p", { class: "dim" }, "nothing") : lines.map((l) => h("pre", {}, l)));
  return h("div", { class: "whole" },
    part("Agent", group.in.flatMap((l) => records(l).map((r) => (r.name ? `event: ${r.name}\n` : "") + pretty(r)))),
    part("Canonical event", group.events.flatMap((l) => [JSON.stringify(l.event, null, 2), fates[l.fate] && `${l.fate}: ${fates[l.fate]}`].filter(Boolean))),
    part("Client", group.out.map((l) => l.base64 ?? l.data ?? pretty({ shape: l.shape }))));
}

function pretty(rec) {
  if (rec.shape !== undefined) return JSON.stringify(rec.shape, null, 2);
  const value = parsed(rec.data);
  return value === undefined ? rec.data : JSON.stringify(value, null, 2);
}
