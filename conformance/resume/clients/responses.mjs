// The openai package with Responses. The application notes the number of each event, and asks for those behind it.
import { last, persist } from "./talk.mjs";

// helper: by responses.stream, which counts by itself, in place of responses.retrieve.
export function responsesClient({ name, OpenAI, helper = false }) {
  return {
    name, dialect: "openai-responses", stranger: 404, counts: true, open: (target) => new Talk(OpenAI, target, helper),
    back: helper ? "`responses.stream({response_id, starting_after})`" : "`responses.retrieve(id, {stream: true, starting_after})`",
  };
}

export class Talk {
  text = "";
  at = -1;
  names = {};

  constructor(OpenAI, { url, key, principal }, helper) {
    this.client = new OpenAI({ apiKey: principal.replace("Bearer ", ""), baseURL: `${url}/v1`, maxRetries: 0 });
    Object.assign(this, { key, helper });
  }

  async read() {
    const failed = await persist(
      async () => this.take(await this.begin()), async () => this.take(await this.again(this.names.id)), () => this.over,
    );
    return { text: this.text, failed };
  }

  begin() {
    return this.client.responses.create({ model: "m", input: this.key, stream: true });
  }

  async come({ id }) {
    const failed = await persist(async () => this.take(await this.again(id)), () => { throw last("it is broken"); }, () => this.over);
    return { text: this.text, failed };
  }

  again(id) {
    const after = this.at < 0 ? {} : { starting_after: this.at };
    if (this.helper) return this.client.responses.stream({ response_id: id, ...after });
    return this.client.responses.retrieve(id, { stream: true, ...after });
  }

  async take(events) {
    for await (const event of events) {
      if (event.sequence_number !== this.at + 1) throw last(`event ${event.sequence_number} comes behind ${this.at}`);
      this.at = event.sequence_number;
      if (event.type === "response.created") this.names.id = event.response.id;
      if (event.type === "response.output_text.delta") this.text += event.delta;
      if (event.type === "response.failed" || event.type === "response.incomplete" || event.type === "error") {
        throw last(event.response?.error?.message ?? event.message ?? event.type);
      }
      if (event.type === "response.completed") this.finish(event.response);
    }
  }

  finish({ output }) {
    const whole = output.flatMap((item) => item.content).map((part) => part.text).join("");
    if (whole !== this.text) throw last(`the answer is ${JSON.stringify(whole)}, its events said ${JSON.stringify(this.text)}`);
    this.over = true;
  }

  shown() {
    return this.text;
  }
}
