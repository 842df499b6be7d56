import { createHash } from "node:crypto";

// shareOf says of a name whether it is in share "K/N": the names are spread evenly, whatever order they come in. It is null for what is no share.
export function shareOf(text) {
  const [share, shares] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (!(share < shares)) return null;
  return (name) => createHash("sha256").update(name).digest().readUInt32BE(0) % shares === share;
}
