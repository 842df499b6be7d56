// @agentclientprotocol/sdk 2.4.0, the app API with its stable schema of version 1.
import { client, methods, ndJsonStream } from "acp-sdk-2";
import { acpClient } from "../lib/acp.mjs";

export default acpClient({
  name: "@agentclientprotocol/sdk 2.4.0",
  version: "1",
  seesUsage: false, // it is not in the stable schema
  open: (agent, on) => {
    const connection = client({ name: "conformance" })
      .onNotification(methods.client.session.update, ({ params }) => on.update(params))
      .onRequest(methods.client.session.requestPermission, ({ params }) => on.permission(params))
      .onRequest(methods.client.elicitation.create, ({ params }) => on.elicitation(params))
      .connect(ndJsonStream(agent.writable, agent.readable));
    return {
      initialize: () => connection.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: { elicitation: { form: {}, url: {} } } }),
      newSession: () => connection.agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] }),
      prompt: (sessionId) => connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "hello" }] }),
    };
  },
});
