// The views of a run beside its stream.
import { duration, h } from "./dom.js";
import { parsed } from "./model.js";

const none = (text) => h("p", { class: "empty" }, text);

// timeline shows tools and sub-agents as bars on one axis.
export function timeline(run) {
  if (run.bars.length === 0) return none("This run has no tools and no sub-agents.");
  const all = Math.max(run.last, 1);
  const axis = h("div", { class: "axis", "aria-hidden": "true" }, [0, 0.25, 0.5, 0.75, 1].map((f) => h("span", {}, duration(all * f))));
  const bars = run.bars.map((bar) => {
    const to = bar.to ?? run.last;
    const svg = bars_(bar, bar.from / all, Math.max((to - bar.from) / all, 0.004));
    return h("details", { class: "lane" }, h("summary", {}, h("span", { class: "name" }, h("span", { class: "chip" }, bar.kind === "agent" ? "sub-agent" : "tool"), " ", bar.name), svg,
      h("span", { class: `status ${bar.status}` }, `${bar.status}, ${duration(to - bar.from)}`)),
    h("div", { class: "whole" }, block("Arguments", bar.args), block("Result", bar.result)));
  });
  return h("div", { class: "timeline" }, h("div", { class: "lane axisrow" }, h("span"), axis, h("span")), bars);
}

// bars_ draws one bar. It is an SVG, as styles in attributes are forbidden on this page.
function bars_(bar, from, width) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 1000 14");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", `track ${bar.kind} ${bar.status}`);
  const rect = document.createElementNS(ns, "rect");
  for (const [k, v] of Object.entries({ x: from * 1000, y: 1, width: width * 1000, height: 12, rx: 2 })) rect.setAttribute(k, v);
  svg.append(rect);
  return svg;
}

function block(title, value) {
  if (value === undefined) return null;
  return h("div", {}, h("h3", {}, title), h("pre", {}, typeof value === "string" ? value : JSON.stringify(value, null, 2)));
}

// texts shows the text as it was put together.
export function texts(run) {
  const said = run.texts.filter((t) => t.body !== "");
  if (said.length === 0) return none("This run has no text.");
  return h("div", { class: "texts" }, said.map((t) => h("article", { class: t.chan }, h("h3", {}, t.chan, t.lane && ` of ${t.lane}`, h("span", { class: "dim" }, ` from ${duration(t.t)}`)), h("p", {}, t.body))));
}

// asks shows the questions of the agent, and their answers.
export function asks(run) {
  if (run.asks.length === 0) return none("The agent has asked nothing.");
  return h("div", { class: "texts" }, run.asks.map(({ t, ask, answer, answered }) => h("article", {},
    h("h3", {}, ask ? `${ask.what ?? "question"}` : "answer to an earlier run", h("span", { class: "dim" }, ` at ${duration(t)}`)),
    ask && h("p", {}, ask.title ?? ask.text ?? ""),
    ask?.options && h("p", {}, ask.options.map((o) => [h("span", { class: `chip ${answer?.name === o.id ? "chosen" : ""}` }, o.name), " "])),
    h("p", {}, answer ? `${answer.status ?? "answered"}: ${answer.name ?? JSON.stringify(answer.value ?? "")}, after ${duration(answered - t)}` : "No answer in this run. The next request may bring it."))));
}

// request shows the request that began the run, in both dialects.
export function request(run) {
  const { client, agent } = run.requests;
  const one = (title, r, missing) => h("div", {}, h("h3", {}, title), r ? [h("p", { class: "mono" }, `${r.method} ${r.path}`), h("pre", {}, body(r))] : h("p", { class: "dim" }, missing));
  return h("div", { class: "whole two" }, one(`As the client sent it (${run.header.to})`, client, "The body was not kept."),
    one(`As the agent got it (${run.header.from})`, agent, "The agent is a program, and is not asked by a request."));
}

function body(r) {
  if (r.shape !== undefined) return JSON.stringify(r.shape, null, 2);
  const value = parsed(r.data ?? "");
  return value === undefined ? r.data ?? r.base64 ?? "(no body)" : JSON.stringify(value, null, 2);
}
