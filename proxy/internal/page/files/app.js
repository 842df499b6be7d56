// The page: what is shown follows the part of its address behind the #.
import { $, h, notice, replace } from "./dom.js";
import { parseFile, Run } from "./model.js";
import { events, NeedsKey, pause, setKey } from "./source.js";
import { ListView } from "./list.js";
import { RunView } from "./run.js";
import { DiffView } from "./compare.js";

const runs = new Map(); // summaries by key
const files = new Map(); // runs that were opened from files
let view = null;
let leave = new AbortController();

const app = {
  runs,
  files,
  // load reads a run, whole or as it goes on; more is called when there are new lines.
  async load(key, signal, more) {
    if (files.has(key)) return files.get(key);
    const run = new Run(key);
    const reading = events(`runs/${encodeURIComponent(key)}/live`, signal, (batch) => {
      for (const { name, data } of batch) if (name === "message") run.add(data);
      more(run);
    });
    reading.catch((err) => { if (!signal.aborted) failed(err); });
    if (more.whole) await reading;
    return run;
  },
};

function failed(err) {
  if (err instanceof NeedsKey) askKey();
  else notice(err.message);
}

function show() {
  leave.abort();
  leave = new AbortController();
  const [, name, ...rest] = location.hash.split("/").map(decodeURIComponent);
  const view_ = name === "run" ? new RunView(app, rest[0], rest[1]) : name === "diff" ? new DiffView(app, rest[0], rest[1]) : new ListView(app);
  view = view_;
  replace($("main"), view.element);
  view.start?.(leave.signal);
  if (name) $("main").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

// follow keeps the list of runs current, for as long as the page is open.
async function follow() {
  for (;;) {
    try {
      await events("runs", undefined, (batch) => {
        state("live");
        for (const { name, data } of batch) if (name === "runs") changed(JSON.parse(data));
      });
    } catch (err) {
      if (err instanceof NeedsKey) return askKey();
    }
    state("no connection");
    await pause(1500);
    for (const key of [...runs.keys()]) if (!files.has(key)) runs.delete(key); // those of another server
  }
}

function changed({ changed, gone }) {
  const now = performance.now();
  for (const run of changed) {
    const key = String(run.key);
    const before = runs.get(key);
    const rate = before?.live ? Math.max(0, (run.events - before.events) / Math.max(0.2, (now - before.seen) / 1000)) : 0;
    runs.set(key, { ...run, key, seen: now, rate: before ? before.rate * 0.5 + rate * 0.5 : 0 });
  }
  for (const key of gone) runs.delete(String(key));
  view?.changed?.(changed.map((r) => String(r.key)));
}

function state(text) {
  $("state").textContent = text;
  $("state").dataset.live = text === "live";
}

function askKey() {
  state("key wanted");
  const input = h("input", { type: "password", name: "key", autocomplete: "off", required: true, "aria-label": "Key" });
  dialog(h("form", { method: "dialog", onsubmit: () => { setKey(input.value); location.reload(); } },
    h("h2", {}, "The key for operators"), h("p", {}, "This server shows runs to those who have the key of auth.admin_sha256."),
    input, h("p", {}, h("button", {}, "Go on"))));
}

function dialog(content) {
  replace($("dialog"), content);
  if (!$("dialog").open) $("dialog").showModal();
}

const keys = [
  ["j, k", "next, previous run or record"], ["Enter", "open, or show as a whole"], ["x", "choose a run to compare"], ["c", "compare the two that are chosen"],
  ["/", "search"], ["1 to 5", "stream, timeline, text, questions, request"], ["n, p", "next, previous repair or loss"],
  ["f", "copy as a fixture"], ["s", "save as a file"], ["o", "open a file"], ["Esc", "back"], ["?", "these keys"],
];

function help() {
  dialog(h("form", { method: "dialog" }, h("h2", {}, "Keys"),
    h("dl", { class: "keys" }, keys.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("p", {}, h("button", { autofocus: true }, "Close"))));
}

async function open(list) {
  for (const file of list) {
    try {
      const key = `file-${files.size + 1}`;
      const run = parseFile(key, await file.text());
      files.set(key, run);
      runs.set(key, summary(key, run, file.name));
      location.hash = `#/run/${key}`;
    } catch (err) {
      notice(`${file.name}: ${err.message}`);
    }
  }
}

function summary(key, run, name) {
  const events = run.lines.filter((l) => l.type === "event");
  return {
    key, id: name, file: true, route: run.header.route, upstream: run.header.upstream, from: run.header.from, to: run.header.to, copied: run.header.copied,
    began: Date.parse(run.header.began), live: false, ending: run.end.ending, took: run.end.t, last: run.last, lines: run.raw.length, events: events.length, rate: 0,
    records: run.count("in"), repairs: run.count("repair"), faults: run.count("fault"), dropped: run.end.dropped ?? 0,
    losses: events.filter((l) => l.fate === "folded" || l.fate === "dropped").length,
  };
}

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || $("dialog").open) return;
  const typing = e.target instanceof HTMLInputElement && e.target.type !== "checkbox" || e.target instanceof HTMLSelectElement;
  if (typing) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  const own = { "?": help, o: () => $("file").click(), "/": () => document.querySelector("input[type=search]")?.focus() }[e.key];
  const action = own ?? view?.keys?.[e.key];
  if (action && action(e) !== false) e.preventDefault();
});
$("help").addEventListener("click", help);
$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => { open([...$("file").files]); $("file").value = ""; });
addEventListener("dragover", (e) => e.preventDefault());
addEventListener("drop", (e) => { e.preventDefault(); open([...e.dataTransfer.files]); });
addEventListener("hashchange", show);
show();
follow();
