// The servers of A2A's SDK as judges: each gets a call over JSON-RPC, and its agent must hear what the user says.
import * as v03 from "a2a-sdk-0/server";
import * as v1 from "a2a-sdk-1/server";

const said = { 1: (m) => [m.role === 1, m.parts.length], 0: (m) => [m.role === "user", m.parts.length] };

// server answers calls in one version as an agent does that answers with a message.
function a2aServer(sdk, version, reply) {
  return async (body) => {
    let received;
    const executor = {
      async execute(context, bus) {
        received = context.userMessage;
        bus.publish(reply(context.contextId));
        bus.finished();
      },
      async cancelTask() {},
    };
    const card = { capabilities: { streaming: true, extensions: [] }, supportedInterfaces: [], skills: [] };
    const handler = new sdk.JsonRpcTransportHandler(new sdk.DefaultRequestHandler(card, new sdk.InMemoryTaskStore(), executor));
    const answer = await handler.handle(body, new sdk.ServerCallContext(version ? { requestedVersion: "1.0" } : undefined));
    if (answer.error) throw new Error(answer.error.message);
    if (answer[Symbol.asyncIterator]) for await (const event of answer) if (event.error) throw new Error(event.error.message);
    const [byUser, parts] = said[version](received);
    if (!byUser || parts !== body.params.message.parts.length) throw new Error("the agent hears something else");
    if ((body.params.message.contextId ?? "") !== "" && received.contextId !== body.params.message.contextId) throw new Error("another context");
  };
}

export const server1 = a2aServer(v1, 1, (contextId) =>
  v1.AgentEvent.message({ messageId: "m", role: 2, contextId, taskId: "", parts: [{ content: { $case: "text", value: "x" } }], extensions: [], referenceTaskIds: [] }));

export const server03 = a2aServer(v03, 0, (contextId) => ({ kind: "message", messageId: "m", role: "agent", contextId, parts: [{ kind: "text", text: "x" }] }));
