// Comparing texts of which some are JSON.

// same compares texts that may be JSON.
export function same(a, b) {
  if (wellFormed(a) === wellFormed(b)) return true;
  try {
    return canonical(JSON.parse(a)) === canonical(JSON.parse(b));
  } catch {
    return false;
  }
}

// canonical is a value as text, whatever the order of its members.
export function canonical(v) {
  if (Array.isArray(v)) return `[${v.map(canonical)}]`;
  if (v === null || typeof v !== "object") return JSON.stringify(wellFormed(v));
  return `{${Object.keys(v).sort().map((k) => JSON.stringify(k) + ":" + canonical(v[k]))}}`;
}

// wellFormed replaces halves of surrogate pairs, which the expectation cannot hold.
export function wellFormed(s) {
  return typeof s === "string" ? s.toWellFormed() : s;
}

// harmless gives the keys an underscore that make readers reject a stream, as the encoders do.
export function harmless(text) {
  return text.replace(/"(__proto__|constructor)"(\s*:)/g, '"_$1"$2');
}
