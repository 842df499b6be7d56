import { createHash } from "node:crypto";

// readShare reads "K/N", the K-th share of N; it is null for what is no share.
export function readShare(text) {
  const [share, shares] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  return share < shares ? { share, shares } : null;
}

// shareOf says of a name whether it is in a share: the names are spread evenly, whatever order they come in. It is null for what is no share.
export function shareOf(text) {
  const read = readShare(text);
  return read && ((name) => createHash("sha256").update(name).digest().readUInt32BE(0) % read.shares === read.share);
}
