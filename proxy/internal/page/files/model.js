// A run, made of the lines of a recording (docs/recordings.md).

// Run takes lines in their order and keeps what the views show.
export class Run {
  constructor(key) {
    Object.assign(this, { key, header: null, raw: [], lines: [], groups: [], end: null, last: 0, requests: {}, texts: [], bars: [], asks: [] });
    this.text = new Map();
    this.open = new Map();
  }

  add(text) {
    const line = JSON.parse(text);
    this.raw.push(text);
    if (!this.header) {
      if (line.recording !== 1) throw new Error("not a recording: the first line must be its header, of version 1");
      this.header = line;
      return;
    }
    this.lines.push(line);
    this.last = Math.max(this.last, line.t);
    if (line.type === "request") this.requests[line.side] = line;
    else if (line.type === "end") this.end = line;
    if (line.type !== "request") this.group(line);
    if (line.type === "event") this.event(line);
  }

  // group puts a line beside the others that came of the same record.
  group(line) {
    const own = line.n ?? 0;
    let group = this.groups.at(-1);
    const joins = group && group.n === own && (own > 0 || line.t - group.last < 5) && line.type !== "end";
    if (!joins) {
      group = { n: own, t: line.t, last: line.t, gap: group ? line.t - group.last : 0, in: [], events: [], out: [], notes: [], index: this.groups.length };
      this.groups.push(group);
    }
    group.last = line.t;
    group.version = (group.version ?? 0) + 1;
    ({ in: group.in, event: group.events, out: group.out }[line.type] ?? group.notes).push(line);
  }

  event(line) {
    const ev = line.event;
    switch (ev.kind) {
      case "text.start": case "text.delta": this.addText(ev, line.t); break;
      case "tool.start": case "agent.start": this.bar(ev, line.t); break;
      case "tool.end": case "agent.end": this.endBar(ev, line.t); break;
      case "tool.ready": case "tool.output": case "tool.update": this.detail(ev); break;
      case "ask": this.asks.push({ t: line.t, ask: ev, answer: null }); break;
      case "answer": this.answer(ev, line.t); break;
    }
  }

  addText(ev, t) {
    const key = `${ev.lane ?? ""}/${ev.id}`;
    let part = this.text.get(key);
    if (!part) {
      part = { t, id: ev.id, lane: ev.lane, chan: ev.chan ?? "answer", body: "" };
      this.text.set(key, part);
      this.texts.push(part);
    }
    if (ev.kind === "text.delta") part.body = ev.op === "replace" ? ev.text ?? "" : part.body + (ev.text ?? "");
  }

  bar(ev, t) {
    const kind = ev.kind.startsWith("tool") ? "tool" : "agent";
    const bar = { kind, id: ev.id, from: t, to: null, name: ev.name || ev.title || ev.id, title: ev.title, lane: ev.lane, parent: ev.ref, status: "running" };
    this.bars.push(bar);
    this.open.set(`${kind}/${ev.id}`, bar);
  }

  endBar(ev, t) {
    const bar = this.open.get(`${ev.kind.startsWith("tool") ? "tool" : "agent"}/${ev.id}`);
    if (bar) Object.assign(bar, { to: t, status: ev.status ?? "done", result: ev.text ?? ev.value ?? ev.err });
  }

  detail(ev) {
    const bar = this.open.get(`tool/${ev.id}`);
    if (bar && ev.kind === "tool.ready") bar.args = ev.value ?? ev.text;
  }

  answer(ev, t) {
    const ask = this.asks.findLast((a) => a.ask.id === ev.id);
    if (ask) Object.assign(ask, { answer: ev, answered: t });
    else this.asks.push({ t, ask: null, answer: ev, answered: t });
  }

  get live() { return this.header !== null && this.end === null; }

  count(type) { return this.lines.reduce((n, l) => n + (l.type === type ? l.times ?? 1 : 0), 0); }

  // problems are the groups in which something was repaired, lost or could not be read.
  get problems() { return this.groups.filter(isProblem); }

  file() { return this.raw.join("\n") + "\n"; }
}

const troubles = new Set(["repair", "fault", "violation"]);

export function isProblem(group) {
  return group.notes.some((l) => troubles.has(l.type)) || group.events.some((l) => l.fate === "folded" || l.fate === "dropped");
}

// parseFile reads a recording as a whole.
export function parseFile(key, text) {
  const run = new Run(key);
  text.split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    try {
      run.add(line);
    } catch (err) {
      throw new Error(`line ${i + 1}: ${err.message}`);
    }
  });
  if (!run.header) throw new Error("the file is empty");
  if (!run.end) throw new Error("the file was cut: it has no line of type end");
  return run;
}

// records takes the framing off what was written for the client, for reading: a list of { name, data }.
export function records(line) {
  if (line.base64) return messages(line.base64) ?? [{ data: `${atob(line.base64).length} bytes, base64: ${line.base64}` }];
  if (line.shape !== undefined) return [{ shape: line.shape, data: "" }];
  const text = line.data ?? "";
  if (line.type !== "out") return [{ name: line.name, data: text }];
  if (!/^(data|event|id|retry|:)/m.test(text)) return text.split("\n").filter((l) => l.trim()).map((data) => ({ data }));
  return text.split(/\r?\n\r?\n/).filter((b) => b.trim()).map((block) => {
    const rec = { data: "" };
    for (const l of block.split(/\r?\n/)) {
      if (l.startsWith("data:")) rec.data += (rec.data ? "\n" : "") + l.slice(5).trimStart();
      else if (l.startsWith("event:")) rec.name = l.slice(6).trim();
      else if (!l.startsWith("id:")) rec.data += l;
    }
    return rec;
  });
}

// messages are those of the binary framing of AWS, application/vnd.amazon.eventstream; null for anything else.
function messages(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer), text = new TextDecoder(), found = [];
  for (let at = 0, size = 0; at < bytes.length; at += size) {
    if (bytes.length - at < 16) return null;
    size = view.getUint32(at);
    const body = at + 12 + view.getUint32(at + 4), end = at + size - 4; // lengths and their sum stand in front, a sum behind
    if (body > end || end + 4 > bytes.length) return null;
    const head = /:(?:event|exception)-type\x07\x00[\s\S](\w+)/.exec(text.decode(bytes.subarray(at + 12, body)))?.[1];
    found.push({ name: head, head, data: text.decode(bytes.subarray(body, end)) });
  }
  return found;
}

const heads = ["sessionUpdate", "type", "kind", "event", "method", "object", "reason", "role"];
const plain = new Set([...heads, "id", "timestamp", "seq", "jsonrpc", "created", "model", "fate", "uuid"]);
const ids = /^(session|message|thread|run|part|parent|item|response)_?id$/i; // of what a record belongs to, not of what it says

// gist is what a record is, and its first words.
export function gist(rec) {
  const value = rec.shape !== undefined ? rec.shape : parsed(rec.data);
  if (value === undefined || value === null || typeof value !== "object") return { head: rec.name ?? "", words: String(rec.shape ?? rec.data) };
  const found = { head: "", words: [] };
  walk(value, found, 0);
  return { head: rec.head || found.head || rec.name || "", words: found.words.join(" ") };
}

export function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

function walk(value, found, depth) {
  if (depth > 6 || found.words.length > 12) return;
  for (const [key, v] of Object.entries(value)) {
    if (v !== null && typeof v === "object") walk(v, found, depth + 1);
    else if (heads.includes(key)) { if (!found.head || key === "sessionUpdate") found.head = String(v); }
    else if (!plain.has(key) && !ids.test(key) && v !== null && v !== "") found.words.push(typeof v === "string" ? quote(v) : String(v));
  }
}

const quote = (s) => (/[\s]/.test(s) || s.length > 24 ? `“${s.replaceAll("\n", "⏎")}”` : s);

// eventGist is the same of a canonical event.
export function eventGist(ev) {
  const words = [];
  if (ev.chan && ev.chan !== "answer") words.push(ev.chan);
  if (ev.kind.startsWith("tool") || ev.kind.startsWith("agent") || ev.kind === "ask") words.push(ev.id);
  if (ev.name) words.push(ev.name);
  if (ev.status) words.push(ev.status);
  if (ev.title && ev.title !== ev.name) words.push(quote(ev.title));
  if (ev.text !== undefined) words.push(`“${String(ev.text).replaceAll("\n", "⏎")}”`);
  if (ev.value !== undefined) words.push(JSON.stringify(ev.value));
  if (ev.items) words.push(ev.items.map((i) => quote(i.content ?? "")).join(", "));
  if (ev.usage) words.push(Object.entries(ev.usage).map(([k, v]) => `${k} ${v}`).join(", "));
  return { head: ev.kind, words: words.filter(Boolean).join(" ") };
}

// fixture is the run as a test of its agent's dialect: testdata/*.txtar in the repository.
export function fixture(run) {
  const ins = run.lines.filter((l) => l.type === "in");
  const sse = ins.some((l) => l.name || parsed(l.data) === undefined);
  const wire = ins.map((l) => (sse
    ? `${l.name ? `event: ${l.name}\n` : ""}${(l.data ?? "").split("\n").map((d) => `data: ${d}`).join("\n")}\n\n`
    : `${(l.data ?? "").replaceAll("\n", " ")}\n`)).join("");
  return `Say here what this run shows.\n\nOrigin: recorded from ${run.header.upstream} (${run.header.from}) at ${run.header.began}.\n-- wire --\n${wire}`;
}
