// The server that clients read from: each case whole, and one byte at a time.
import http from "node:http";
import net from "node:net";

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

// freePort resolves to a loopback port that is free just now, for a program that needs a fixed one.
export function freePort() {
  return new Promise((resolve, reject) => {
    const s = net.createServer();
    s.on("error", reject);
    s.listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => resolve(port));
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
  const [type, body] = how === "from" ? [c.from.type, Buffer.from(c.from.wire, "base64")] : [c.type, c.binary ? Buffer.from(c.binary, "base64") : Buffer.from(c.body)];
  if (how === "bytes") return drip(res, type, body);
  res.writeHead(200, { "content-type": type, "cache-control": "no-cache" }).end(body);
}

// drip sends one byte per chunk. The chunks go out in large pieces, past the server's own writing, which would cost more
// than all the rest: what the reader is given is one byte at a time all the same.
function drip(res, type, body) {
  const chunk = Buffer.from("1\r\n_\r\n");
  const end = Buffer.from("0\r\n\r\n");
  const out = Buffer.allocUnsafe(body.length * chunk.length);
  for (let i = 0; i < body.length; i++) {
    chunk.copy(out, i * chunk.length);
    out[i * chunk.length + 3] = body[i];
  }
  const socket = res.socket;
  res.detachSocket(socket);
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`);
  socket.write(out);
  socket.end(end);
}
