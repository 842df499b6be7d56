// Readers of event streams that know nothing of a protocol but where its words stand: the eventsource package, and fetch.
import { authorized, last, persist } from "./talk.mjs";

const asks = {
  agui: (key) => ({ threadId: "t", runId: "r", messages: [{ id: "u", role: "user", content: key }], tools: [], context: [], state: {}, forwardedProps: {} }),
  aisdk: (key) => ({ id: "c", trigger: "submit-message", messages: [{ id: "u", role: "user", parts: [{ type: "text", text: key }] }] }),
  anthropic: (key) => ({ model: "m", max_tokens: 100, stream: true, messages: [{ role: "user", content: key }] }),
};

// forms say what a record has of the text, whether it is the last, and what it says of a failure.
const forms = {
  agui: { words: (r) => r.type === "TEXT_MESSAGE_CONTENT" && r.delta, over: (r) => r.type === "RUN_FINISHED", failed: (r) => r.type === "RUN_ERROR" && r.message },
  aisdk: { words: (r) => r.type === "text-delta" && r.delta, over: (r) => r.type === "finish", failed: (r) => (r.type === "error" && r.errorText) || (r.type === "abort" && "abort") },
  anthropic: {
    words: (r) => r.type === "content_block_delta" && r.delta.text, over: (r) => r.type === "message_stop", failed: (r) => r.type === "error" && r.error.message,
  },
  "openai-responses": {
    words: (r) => r.type === "response.output_text.delta" && r.delta, over: (r) => r.type === "response.completed",
    failed: (r) => r.type === "response.failed" && r.response.error.message,
  },
};

class Reader {
  text = "";
  names = {};

  constructor(form, { url, key, principal, field }) {
    Object.assign(this, { form, url, key });
    this.fetch = authorized(principal, (response) => { this.names.run ??= response.headers.get("x-sabir-run"); }, field);
  }

  // take reads the data of a record, and reports whether the run is over.
  take(data) {
    if (data === "[DONE]") return;
    const record = JSON.parse(data);
    this.text += this.form.words(record) || "";
    const failed = this.form.failed(record);
    if (failed) throw last(failed);
    this.over ||= this.form.over(record);
  }

  shown() {
    return this.text;
  }
}

// fetchClient reads with fetch, and asks for what is behind the last id. copied: the agent speaks the same dialect.
export function fetchClient({ dialect, copied = false }) {
  const name = `fetch, ${dialect}${copied ? ", agent alike" : ""}`;
  return { name, dialect, back: "`Last-Event-ID`", stranger: 404, copied, counts: copied, open: (target) => new FetchTalk(dialect, target) };
}

class FetchTalk extends Reader {
  constructor(dialect, target) {
    super(forms[dialect], target);
    this.ask = asks[dialect];
  }

  async read() {
    const first = () => this.get(this.url, { method: "POST", body: JSON.stringify(this.ask(this.key)), headers: { "content-type": "application/json" } });
    const failed = await persist(first, () => this.get(this.url, { headers: { "last-event-id": this.id } }), () => this.over);
    return { text: this.text, failed };
  }

  async come({ run, dialect }) {
    const headers = { "x-sabir-run": run, ...(dialect && { "x-sabir-dialect": dialect }) };
    const failed = await persist(() => this.get(this.url, { headers }), () => { throw last("it is broken"); }, () => this.over);
    return { text: this.text, failed };
  }

  async get(url, init) {
    const response = await this.fetch(url, init);
    if (response.status !== 200) throw last(`status ${response.status}: ${await response.text()}`);
    let rest = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const records = (rest + piece).split("\n\n");
      rest = records.pop();
      for (const record of records) this.record(record);
    }
  }

  record(lines) {
    const id = /^id: (.*)$/m.exec(lines);
    if (id) this.id = id[1];
    for (const [, data] of lines.matchAll(/^data: (.*)$/gm)) this.take(data);
  }
}

// eventSourceClient is the npm package of that name. It begins where a page begins that was loaded anew: the run goes on already. No client
// closes it: it has to learn that there will be no more.
export function eventSourceClient({ name, EventSource, dialect }) {
  return { name, dialect, back: "by itself: `Last-Event-ID`; it begins with `?last_event_id=`", stranger: 404, comesLater: true, open: (target) => new SourceTalk(EventSource, dialect, target) };
}

class SourceTalk extends Reader {
  constructor(EventSource, dialect, target) {
    super(forms[dialect], target);
    Object.assign(this, { EventSource, dialect, direct: target.direct });
  }

  // The run is begun by another request, since an EventSource has only GET. That one goes away.
  async read() {
    const leave = new AbortController();
    const response = await this.fetch(this.direct, { method: "POST", body: JSON.stringify(asks[this.dialect](this.key)), headers: { "content-type": "application/json" }, signal: leave.signal });
    setTimeout(() => leave.abort(), 100);
    return this.come({ run: response.headers.get("x-sabir-run") });
  }

  async come({ run }) {
    this.names.run = run;
    this.source = new this.EventSource(`${this.url}?last_event_id=${run}`, { fetch: this.fetch });
    try {
      await new Promise((resolve, reject) => {
        this.source.onmessage = ({ data }) => {
          try {
            this.take(data);
          } catch (err) {
            reject(err);
          }
        };
        this.source.onerror = ({ message }) => {
          if (this.source.readyState !== this.EventSource.CLOSED) return; // it tries again
          if (this.over) resolve();
          else reject(new Error(message || "it is closed"));
        };
      });
    } catch (err) {
      return { text: this.text, failed: err.message };
    } finally {
      this.source.close();
    }
    return { text: this.text, failed: undefined };
  }
}

// otherReader reads a run in any of the dialects, for those who began it in another.
export const otherReader = (dialect, target) => new FetchTalk(dialect, target);
