// SDKs of model APIs have no way back: the application makes the same request again, with the name that the first response had.
import { authorized, last, persist } from "./talk.mjs";

const back = "the same request with the header field `X-Sabir-Run`";

export function anthropicClient({ name, Anthropic }) {
  return { name, dialect: "anthropic", back, stranger: 404, open: (target) => new ByName(messages(Anthropic, target), target) };
}

export function geminiClient({ name, GoogleGenAI }) {
  return { name, dialect: "gemini", field: "x-goog-api-key", back, stranger: 404, open: (target) => new ByName(contents(GoogleGenAI, target), target) };
}

class ByName {
  text = "";
  names = {};

  constructor(ask, { key }) {
    Object.assign(this, { ask, key });
  }

  async read() {
    const failed = await persist(() => this.take({}), () => this.take({ "x-sabir-run": this.names.run }), () => this.over);
    return { text: this.text, failed };
  }

  async come({ run }) {
    const failed = await persist(() => this.take({ "x-sabir-run": run }), () => { throw last("it is broken"); }, () => this.over);
    return { text: this.text, failed };
  }

  async take(headers) {
    this.text = ""; // it comes from the beginning
    for await (const { words, over } of this.ask(this.key, headers, (response) => { this.names.run ??= response.headers.get("x-sabir-run"); })) {
      this.text += words ?? "";
      this.over ||= over;
    }
  }

  shown() {
    return this.text;
  }
}

// messages asks by the SDK of Anthropic's.
function messages(Anthropic, { url, principal }) {
  return async function* (content, headers, note) {
    const client = new Anthropic({ apiKey: "conformance", baseURL: url, maxRetries: 0, fetch: authorized(principal, note) });
    const asked = { model: "m", max_tokens: 100, stream: true, messages: [{ role: "user", content }] };
    try {
      for await (const event of await client.messages.create(asked, { headers })) {
        yield { words: event.delta?.text, over: event.type === "message_stop" };
      }
    } catch (err) {
      throw Object.assign(err, { final: err.error !== undefined }); // an event says so
    }
  };
}

// contents asks by the SDK of Google's.
function contents(GoogleGenAI, { url, principal }) {
  return async function* (text, headers, note) {
    const client = new GoogleGenAI({ apiKey: principal, httpOptions: { baseUrl: url, headers } });
    const stream = await client.models.generateContentStream({ model: "m", contents: text });
    for await (const chunk of stream) {
      note({ headers: new Headers(chunk.sdkHttpResponse?.headers) });
      const { content, finishReason } = chunk.candidates?.[0] ?? {};
      yield { words: content?.parts?.map((p) => p.text ?? "").join(""), over: finishReason === "STOP" };
      if (finishReason && finishReason !== "STOP") throw last(finishReason);
    }
  };
}
