// The server that clients read from: each case whole, and one byte at a time.
import http from "node:http";

// serve starts a server on a loopback port. Paths: /whole/<n> and /bytes/<n> answer with the body of case n, /from/<n>
// with what its upstream sends.
export function serve(cases, port = 0) {
  const byNumber = new Map(cases.map((c) => [c.n, c]));
  const server = http.createServer((req, res) => {
    req.resume();
    req.on("end", () => answer(byNumber, req.url, res));
  });
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, "127.0.0.1", () => {
      resolve({ base: `http://127.0.0.1:${server.address().port}`, close: () => server.close() });
    });
  });
}

function answer(byNumber, url, res) {
  const [, how, n] = url.split("/");
  const c = byNumber.get(Number(n));
  if (!c || (how === "from" && !c.from)) {
    res.writeHead(404).end();
    return;
  }
  const [type, body] = how === "from" ? [c.from.type, Buffer.from(c.from.wire, "base64")] : [c.type, Buffer.from(c.body)];
  res.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  if (how === "bytes") drip(res, body, 0);
  else res.end(body);
}

// drip sends one byte per chunk, and lets the reader run in between.
function drip(res, body, at) {
  const stop = Math.min(at + 64, body.length);
  for (; at < stop; at++) res.write(body.subarray(at, at + 1));
  if (at === body.length || res.destroyed) res.end();
  else setImmediate(drip, res, body, at);
}
