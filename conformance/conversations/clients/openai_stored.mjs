// The openai package with Responses, where the server remembers: the application sends what is new, and goes on from the last answer
// (previous_response_id), or in a conversation that it has begun.
import { askUser, kept } from "./talk.mjs";

const tools = [{ type: "function", name: askUser.name, description: askUser.description, parameters: askUser.schema, strict: false }];

export function openaiStoredClient({ name, OpenAI, conversation, agents }) {
  return {
    name, agents, dialect: "openai-responses", can: { bring: true, decide: true, regenerate: !conversation },
    open: (url) => new Talk(OpenAI, url, conversation),
  };
}

class Talk {
  users = 0;

  turns = []; // the answers from which the turns of the user's went on

  constructor(OpenAI, url, conversation) {
    this.begin = () => { this.client = new OpenAI({ apiKey: "conformance", baseURL: `${url}/v1`, maxRetries: 0 }); };
    this.begin();
    this.inConversation = conversation;
  }

  say(content) {
    this.users += 1;
    this.asked = content;
    this.turns.push(this.id);
    return this.run([{ role: "user", content }], "");
  }

  answer(output) {
    return this.run(this.calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output })), this.text);
  }

  decide(...yes) {
    return this.run(this.questions.map(({ id }, i) => ({ type: "mcp_approval_response", approval_request_id: id, approve: yes[i] })), this.text);
  }

  // Two answers go on from one then.
  regenerate() {
    this.id = this.turns.at(-1);
    return this.run([{ role: "user", content: this.asked }], "");
  }

  edit(content) {
    [this.id] = this.turns.splice(-2);
    this.users -= 2;
    return this.say(content);
  }

  // reload leaves what names the conversation, and the questions that are open.
  reload() {
    Object.assign(this, kept({ questions: this.questions, turns: this.turns.map((id) => id ?? null) }));
    this.begin();
  }

  stop() {
    return this.client.responses.cancel(this.id);
  }

  shown() {
    return this.text ?? "";
  }

  async before() {
    if (!this.inConversation) return { previous_response_id: this.id };
    this.conversation ??= (await this.client.conversations.create({ metadata: { of: "conformance" } })).id;
    return { conversation: this.conversation };
  }

  async run(input, before) {
    Object.assign(this, { text: before, calls: [], questions: [] });
    let failed;
    const stream = this.client.responses.stream({ model: "scripted", input, tools, ...await this.before() });
    stream.on("response.created", ({ response }) => { this.id = response.id; });
    stream.on("response.output_text.delta", ({ delta }) => { this.text += delta; });
    try {
      const { output, status, error } = await stream.finalResponse();
      if (status !== "completed") failed = error?.message ?? status;
      this.calls = output.filter((i) => i.type === "function_call");
      this.questions = output.filter((i) => i.type === "mcp_approval_request");
      if (input[0].type !== "mcp_approval_response") await this.check(output, status); // the result of the call stands with the call
    } catch (err) {
      failed = err.message;
    }
    return this.seen(failed);
  }

  // The answer that is remembered is the one that was streamed.
  async check(output, status) {
    const again = await this.client.responses.retrieve(this.id);
    if (again.status !== status || JSON.stringify(again.output) !== JSON.stringify(strip(output))) {
      throw new Error(`remembered is ${JSON.stringify(again)}, streamed was ${status} ${JSON.stringify(output)}`);
    }
  }

  seen(failed) {
    return {
      text: this.text, calls: this.calls.map((c) => ({ name: c.name, args: JSON.parse(c.arguments) })), questions: this.questions, failed, turns: this.users,
    };
  }
}

// strip takes off what the package adds to items.
function strip(output) {
  return output.map(({ parsed_arguments, ...item }) => item.content ? { ...item, content: item.content.map(({ parsed, ...part }) => part) } : item);
}
