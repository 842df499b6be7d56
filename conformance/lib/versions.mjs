// What is pinned, which versions could be, and what readings say: the parts of update.mjs that run no other program.

// pinned lists the packages that a package.json depends on, without optional ones, which are no clients: the name there, that of the package, its version, and the line that it keeps to.
export function pinned({ dependencies }) {
  return Object.entries(dependencies).map(([name, spec]) => {
    const [, of = name, version] = /^npm:(.+)@([^@]+)$/.exec(spec) ?? [, name, spec];
    return { name, package: of, version, line: lineOf(name) };
  });
}

// lineOf is what a name keeps to: "7" of ai-7. A name with a whole version, or of an earlier release, as of ai-7-strict, keeps its own: "".
// null keeps to nothing.
function lineOf(name) {
  if (/-strict$|-\d+\.\d+/.test(name)) return "";
  return /-(\d+)$/.exec(name)?.[1] ?? null;
}

// candidates are the versions newer than the one that is pinned, the newest first: released ones of the line, none beyond "latest" of those
// that keep to none.
export function candidates({ version, line }, versions, latest) {
  if (line === "") return [];
  return versions
    .filter((v) => /^\d+(\.\d+)*$/.test(v) && compare(v, version) > 0)
    .filter((v) => (line === null ? !latest || compare(v, latest) <= 0 : v.split(".")[0] === line))
    .sort((a, b) => compare(b, a));
}

function compare(a, b) {
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const by = (left[i] ?? 0) - (right[i] ?? 0);
    if (by !== 0) return by;
  }
  return 0;
}

// required lists the packages of a file of requirements.
export function required(text) {
  return [...text.matchAll(/^([\w.-]+)(\[[\w,-]+\])?==(\S+)$/gm)].map(([, name, , version]) => ({ name, package: name, version, line: null }));
}

// require replaces the version of a package in a file of requirements.
export function require(text, name, version) {
  return text.replace(new RegExp(`^(${name.replaceAll(".", "\\.")}(?:\\[[\\w,-]+\\])?==).*$`, "m"), `$1${version}`);
}

// readings are the totals of each client, as run.mjs prints them: "12 of 12" by the name without its version.
export function readings(output) {
  return new Map([...output.matchAll(/^(?:ok  |FAIL) (.+): (\d+ of \d+) readings understood$/gm)].map(([, name, n]) => [name.replace(/ \d+\.\d+\S*/, ""), n]));
}

// changes are the clients that read something else than before.
export function changes(before, after) {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? "nothing"} → ${after.get(name) ?? "nothing"}`);
}
