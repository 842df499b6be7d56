// @agentclientprotocol/sdk 1.9.0, the last with ClientSideConnection. It knows what is unstable, the usage of a turn too.
import { ClientSideConnection, ndJsonStream } from "acp-sdk-1";
import { acpClient } from "../lib/acp.mjs";

export default { ...acpClient({
  name: "@agentclientprotocol/sdk 1.9.0",
  version: "1",
  seesUsage: true,
  open: (agent, on) => {
    const handlers = () => ({ sessionUpdate: on.update, requestPermission: on.permission, createElicitation: on.elicitation });
    const connection = new ClientSideConnection(handlers, ndJsonStream(agent.writable, agent.readable));
    return {
      initialize: () => connection.initialize({ protocolVersion: 1, clientCapabilities: { elicitation: { form: {}, url: {} } } }),
      newSession: () => connection.newSession({ cwd: "/project", mcpServers: [] }),
      prompt: (sessionId) => connection.prompt({ sessionId, prompt: [{ type: "text", text: "hello" }] }),
    };
  },
}), previous: true };
