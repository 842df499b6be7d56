// What the page reads from the server: server-sent events by fetch, which can send the key of operators.

const storage = "sabir-operator-key";

export class NeedsKey extends Error {}

export function setKey(key) {
  sessionStorage.setItem(storage, key);
}

function headers() {
  const key = sessionStorage.getItem(storage);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

async function get(url, signal) {
  const response = await fetch(url, { headers: headers(), signal, cache: "no-store" });
  if (response.status === 401) throw new NeedsKey();
  if (!response.ok) throw new Error((await response.text()).trim() || `status ${response.status}`);
  return response;
}

// events reads server-sent events until the stream ends; take gets the name and the data of each, in batches.
export async function events(url, signal, take) {
  const response = await get(url, signal);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop();
      const batch = blocks.map(parse).filter(Boolean);
      if (batch.length > 0) take(batch);
    }
  } finally {
    reader.cancel().catch(() => {}); // or the connection would stay
  }
}

function parse(block) {
  let name = "message", data;
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data = line.slice(6);
  }
  return data === undefined ? null : { name, data };
}

export const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});
