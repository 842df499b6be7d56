// @agentclientprotocol/sdk 2.4.0 with the draft of version 2.
import { client, methods, ndJsonStream } from "acp-sdk-2/experimental/v2";
import { acpClient } from "../lib/acp.mjs";

export default acpClient({
  name: "@agentclientprotocol/sdk 2.4.0, version 2",
  version: "2",
  seesUsage: false,
  open: (agent, on) => {
    const connection = client({ name: "conformance" })
      .onNotification(methods.client.session.update, ({ params }) => on.update(params))
      .onRequest(methods.client.session.requestPermission, ({ params }) => on.permission(params))
      .onRequest(methods.client.elicitation.create, ({ params }) => on.elicitation(params))
      .connect(ndJsonStream(agent.writable, agent.readable));
    const info = { name: "conformance", version: "1" };
    return {
      initialize: () => connection.agent.request(methods.agent.initialize, { protocolVersion: 2, info, capabilities: { elicitation: { form: {}, url: {} } } }),
      newSession: () => connection.agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] }),
      prompt: (sessionId) => connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "hello" }] }),
    };
  },
});
