// The page: one question, asked by two front ends at the same time.
import { $, duration, h, plural, replace } from "/inspect/dom.js";
import { Agui } from "./agui.js";
import { AiSdk } from "./aisdk.js";

const base = document.querySelector("meta[name=sabir]").content;
const panes = [new Pane(Agui), new Pane(AiSdk)];

// Pane shows what one client has understood of the runs that it asked for.
function Pane(Client) {
  const elements = new Map(); // of what is shown, by key
  let took = { events: 0 };
  let drawing = false;
  const client = new Client({ base, fetch: reach, changed });
  const status = h("span", { class: "ending", role: "status" }, "ready");
  const counts = h("span", { class: "dim counts" });
  const log = h("div", { class: "log", role: "log", "aria-label": client.title, tabindex: "0" });
  this.client = client;
  this.element = h("section", { class: "pane", "aria-label": client.title, "data-pane": client.path.slice(1) },
    h("header", {}, h("h2", {}, client.title), h("span", { class: "dim" }, client.library), h("span", { class: "grow" }), status, counts), log);

  // ask resolves when the run has ended.
  this.ask = async (text) => {
    took = { events: 0, began: performance.now() };
    say("live", "answering");
    const failure = await client.ask(text);
    took.whole = performance.now() - took.began;
    draw();
    if (took.stopped) return say("bad", "stopped");
    if (failure) log.append(h("p", { class: "error", role: "alert" }, failure));
    say(failure ? "bad" : "good", failure ? "failed" : "done");
  };
  this.stop = () => { took.stopped = true; client.stop(); };

  async function reach(url, init) {
    const response = await fetch(`${url}?scenario=${encodeURIComponent($("scenario").value)}`, init);
    took.first = performance.now() - took.began;
    return response;
  }

  // changed is called for each step of the client; what is new is drawn with the next frame.
  function changed(steps) {
    took.events += steps;
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(draw);
  }

  function draw() {
    drawing = false;
    for (const item of client.items()) {
      if (!elements.has(item.key)) {
        elements.set(item.key, views[item.kind]());
        log.append(elements.get(item.key).element);
      }
      elements.get(item.key).show(item);
    }
    counts.textContent = [plural(took.events, "step"), took.first && `the answer begins after ${duration(took.first)}`, took.whole && `${duration(took.whole)} in all`].filter(Boolean).join(", ");
  }

  function say(kind, text) {
    status.dataset.ending = kind;
    status.textContent = text;
  }
}

// views make the element of one item, and show in it how far it is.
const views = { user: line("user"), text: line("text"), reasoning: line("reasoning"), plan, tool };

function line(name) {
  return () => {
    const element = h("p", { class: name });
    return { element, show: ({ text }) => set(element, text) };
  };
}

function plan() {
  const element = h("ul", { "aria-label": "Plan" });
  return { element, show: ({ steps }) => replace(element, steps.map((s) => h("li", { class: s.status }, s.content))) };
}

function tool() {
  const name = h("code"), state = h("span", { class: "state" }), input = h("pre"), output = h("pre");
  const element = h("details", { class: "tool" }, h("summary", {}, name, state), input, output);
  const show = (item) => {
    element.dataset.state = item.state;
    set(name, item.name);
    set(state, item.state);
    set(input, words(item.input));
    set(output, words(item.output));
    output.hidden = item.output === undefined;
  };
  return { element, show };
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function words(value) {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

async function ask(event) {
  event.preventDefault();
  const text = $("text").value.trim();
  if (!text || $("send").disabled) return;
  running(true);
  await Promise.all(panes.map((pane) => pane.ask(text)));
  running(false);
}

function running(is) {
  $("send").disabled = is;
  $("stop").disabled = !is;
}

function stop() {
  if (!$("stop").disabled) for (const pane of panes) pane.stop();
}

async function scenarios() {
  const response = await fetch("scenarios.json");
  replace($("scenario"), (await response.json()).map(({ name, about }) => h("option", { value: name }, about)));
}

replace($("panes"), panes.map((pane) => pane.element));
$("ask").addEventListener("submit", ask);
$("stop").addEventListener("click", stop);
addEventListener("keydown", (e) => { if (e.key === "Escape") stop(); });
scenarios();
