// The openai package with Responses, where nothing is stored: the application sends all items again, those of the answers too.
import { askUser, kept } from "./talk.mjs";

const tools = [{ type: "function", name: askUser.name, description: askUser.description, parameters: askUser.schema, strict: false }];

export function openaiResponsesClient({ name, OpenAI }) {
  return { name, dialect: "openai-responses", can: { bring: true, decide: true }, open: (url) => new Talk(OpenAI, url) };
}

class Talk {
  input = [];

  constructor(OpenAI, url) {
    this.client = new OpenAI({ apiKey: "conformance", baseURL: `${url}/v1`, maxRetries: 0 });
  }

  say(content) {
    this.input.push({ role: "user", content });
    return this.run("");
  }

  answer(output) {
    for (const call of this.calls) this.input.push({ type: "function_call_output", call_id: call.call_id, output });
    return this.run(this.text);
  }

  decide(...yes) {
    this.input.push(...this.questions.map(({ id }, i) => ({ type: "mcp_approval_response", approval_request_id: id, approve: yes[i] })));
    return this.run(this.text);
  }

  regenerate() {
    this.input.length = this.input.findLastIndex((i) => i.role === "user") + 1;
    return this.run("");
  }

  edit(content) {
    this.input.length = this.input.indexOf(this.input.filter((i) => i.role === "user").at(-2));
    return this.say(content);
  }

  // reload leaves the items, and the questions that are open.
  reload() {
    Object.assign(this, kept({ input: this.input, questions: this.questions }));
  }

  stop() {
    this.stopped = true;
    this.stream.abort();
  }

  shown() {
    return this.text ?? "";
  }

  async run(before) {
    Object.assign(this, { text: before, stopped: false, calls: [], questions: [] });
    let failed;
    this.stream = this.client.responses.stream({
      model: "scripted", input: this.input, tools, store: false, include: ["reasoning.encrypted_content"],
    });
    this.stream.on("response.output_text.delta", ({ delta }) => { this.text += delta; });
    try {
      const { output, status, error } = await this.stream.finalResponse();
      if (status !== "completed") failed = error?.message ?? status;
      this.input.push(...output);
      this.calls = output.filter((i) => i.type === "function_call");
      this.questions = output.filter((i) => i.type === "mcp_approval_request");
    } catch (err) {
      if (this.stopped) this.input.push({ role: "assistant", content: this.text });
      else failed = err.message;
    }
    return this.seen(failed);
  }

  seen(failed) {
    return {
      text: this.text, calls: this.calls.map((c) => ({ name: c.name, args: JSON.parse(c.arguments) })), questions: this.questions, failed,
      turns: this.input.filter((i) => i.role === "user").length,
    };
  }
}
