// The difference of two runs, by what they say: deltas of a text are joined, ids and times do not count.

const most = 1500; // steps of a run that are compared

// steps are what a run does, one after the other.
export function steps(run) {
  const all = [];
  const texts = new Map();
  for (const line of run.lines) {
    const ev = line.type === "event" ? line.event : null;
    if (line.type === "repair") all.push({ t: line.t, kind: "repair", what: line.repair });
    if (!ev || ev.kind === "text.start" || ev.kind === "text.end" || ev.kind === "tool.args") continue;
    if (ev.kind === "text.delta") {
      const key = `${ev.lane ?? ""}/${ev.id}`;
      let step = texts.get(key);
      if (!step) texts.set(key, (step = all[all.push({ t: line.t, kind: `text ${ev.chan ?? "answer"}`, what: "" }) - 1]));
      step.what = ev.op === "replace" ? ev.text ?? "" : step.what + (ev.text ?? "");
      continue;
    }
    all.push({ t: line.t, kind: ev.kind, what: said(ev) });
  }
  return all.slice(0, most);
}

function said(ev) {
  const { kind, id, ref, msg, lane, seq, time, meta, ...rest } = ev;
  return Object.keys(rest).length === 0 ? "" : JSON.stringify(rest);
}

// diff pairs the steps of two runs: rows of { left, right, how }, where how is same, changed, left or right.
export function diff(a, b) {
  const same = (x, y) => x.kind === y.kind && x.what === y.what;
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i][j] = same(a[i], b[j]) ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const rows = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(a[i], b[j])) rows.push({ left: a[i++], right: b[j++], how: "same" });
    else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) rows.push({ left: a[i++], how: "left" });
    else rows.push({ right: b[j++], how: "right" });
  }
  return joined(rows);
}

// joined makes one changed row of two neighbours that are of one kind.
function joined(rows) {
  const out = [];
  for (const row of rows) {
    const open = row.how === "right" ? out.findLastIndex((r) => r.how !== "left" && r.how !== "changed") + 1 : out.length;
    const at = row.how === "right" ? out.findIndex((r, k) => k >= open && r.how === "left" && r.left.kind === row.right.kind) : -1;
    if (at >= 0) out[at] = { left: out[at].left, right: row.right, how: "changed" };
    else out.push(row);
  }
  return out;
}
