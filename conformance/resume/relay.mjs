// A network that fails: connections to a server that break at chosen places.
import net from "node:net";

// openRelay listens for connections to the server at base. cuts are taken by the event streams that come by, one each, in this order; a
// stream without one is left alone. A WebSocket is such a stream, which is cut anywhere. A cut is made behind so many bytes of the stream, head included: there (edge any), at the next end
// of a record (end), or where the data of a record has begun, behind its id (middle). Then the client's connection is reset, or ended
// in the middle of its body. only: streams that answer other requests are left alone. away: for so many milliseconds after a cut no connection is accepted.
export async function openRelay(base, { cuts = [], only = /^/, away = 0 } = {}) {
  const { hostname, port } = new URL(base);
  const relay = { cuts: [...cuts], only, made: 0, streams: [], statuses: [], requests: [], until: 0, away, open: new Set() };
  const server = net.createServer((client) => connect(relay, client, () => net.connect(Number(port), hostname)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  relay.url = `http://127.0.0.1:${server.address().port}`;
  relay.close = () => {
    server.close();
    for (const socket of relay.open) socket.destroy();
  };
  return relay;
}

async function connect(relay, client, dial) {
  track(relay, client);
  client.pause();
  const wait = relay.until - Date.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  const server = track(relay, dial());
  const line = { relay, client, server, stream: undefined };
  client.on("data", (p) => {
    const asked = /^(GET|POST|DELETE) (\S+) HTTP/.exec(p.toString("latin1"));
    if (asked) {
      relay.requests.push(`${asked[1]} ${asked[2]}`);
      line.wanted = relay.only.test(p.toString("latin1"));
    }
    server.write(p);
  });
  server.on("data", (p) => pass(line, p));
  client.on("close", () => server.destroy());
  server.on("close", () => !line.cut && client.end());
  client.resume();
}

function track(relay, socket) {
  socket.setNoDelay(true);
  socket.on("error", () => {}); // the other side sees the end
  socket.on("close", () => relay.open.delete(socket));
  relay.open.add(socket);
  return socket;
}

// pass moves what the server says to the client, unless it is behind the cut.
function pass(line, p) {
  const { relay, client } = line;
  const head = /^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n/.exec(p.toString("latin1"));
  if (head) {
    relay.statuses.push(Number(head[1]));
    const events = /content-type: text\/event-stream/i.test(head[0]);
    line.stream = line.wanted && (events || head[1] === "101") ? { frames: !events, bytes: 0, tail: "", run: /x-sabir-run: (\S+)/i.exec(head[0])?.[1], cut: relay.cuts.shift() } : undefined;
    if (line.stream) relay.streams.push(line.stream);
  }
  const at = line.stream ? placeOf(line.stream, p.toString("latin1")) : -1;
  if (at < 0) return client.write(p);
  relay.made++;
  line.cut = true;
  relay.until = Date.now() + relay.away;
  client.write(p.subarray(0, at), () => (line.stream.cut.reset ? client.resetAndDestroy() : client.end()));
  line.server.removeAllListeners("data");
  for (const socket of relay.open) {
    if (socket !== client) socket.destroy(); // who has connections to spare comes back at once else
  }
}

const marks = { end: "\n\n", middle: "\ndata: " };

// placeOf is where a piece of a stream is cut, -1 for nowhere.
function placeOf(stream, piece) {
  const { cut, tail } = stream;
  const begun = stream.bytes;
  stream.bytes += piece.length;
  stream.tail = (tail + piece).slice(-16);
  if (!cut || stream.bytes < cut.bytes) return -1;
  const from = Math.max(0, cut.bytes - begun);
  if (cut.edge === "any" || stream.frames) return from;
  const mark = marks[cut.edge]; // it can have begun in the piece before
  const at = (tail + piece).indexOf(mark, Math.max(0, from + tail.length - mark.length + 1));
  return at < 0 ? -1 : at + mark.length - tail.length;
}
