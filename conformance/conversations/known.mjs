const a2a = ["A2A 1.0", "A2A 0.3", "A2A 1.0, REST", "A2A 0.3, REST"];

// What is known not to work, with the reason that the document gives. A cell that works all the same fails the run, so that the
// list stays true. client, agent and scenario each match by name; one that is left out matches all. direct says that it is so without Sabir.
export const known = [
  {
    client: ["ai 7", "ai 7, WebSocket", "ai 6"], agent: ["Claude Code", "Claude Code, ACP", "Mastra"], scenario: "decided",
    reason: "The agent asks of the second call when the first is done, or its question answered. The AI SDK sends an approval by itself only when no other call of the " +
      "step is open: the application has to send the first one.",
  },
  {
    agent: "Claude Code, ACP", scenario: "failure",
    reason: "The adapter for ACP says an error of the model as words of the answer too, which nothing tells from the model's own.",
  },
  {
    client: "openai 7, chat", agent: "Codex, app server", scenario: "failure",
    reason: "Codex says an error of the model as a notice, too. The client's dialect has no place for notices but the text of the answer.",
  },
  {
    agent: ["Copilot", "Copilot, ACP"], scenario: "failure",
    reason: "Copilot asks its model again when a stream breaks. What the attempts said it takes back where its events say so, which these clients have no form for.",
  },
  {
    client: "@ag-ui/client 1.0", agent: "Copilot", scenario: "question",
    reason: "The client brings a tool of the name that Copilot's own has, which asks the user: it is in the place of that.",
  },
  {
    agent: "Copilot, ACP", scenario: "denied",
    reason: "Copilot ends its turn when a call is denied, and says so as words of the answer. In its other form Sabir tells it why, and it goes on.",
  },
  {
    agent: "Gemini CLI", scenario: "server",
    reason: "The Gemini CLI takes blanks off the end of what its model said, when it goes on with a session: the model is shown other words than the user.",
  },
  {
    agent: "Gemini CLI", scenario: "failure",
    reason: "The Gemini CLI asks its model again when a stream breaks, and prints the words of all attempts.",
  },
  {
    client: "ai 7", agent: "Google ADK", scenario: "both",
    reason: "ADK goes on talking while the client's call waits. The AI SDK sends results by itself only for calls of the last step.",
  },
  {
    client: ["openai 7, previous responses", "@google/genai 3, interactions", "@langchain/langgraph-sdk 1.15, threads"], agent: a2a, scenario: "server",
    reason: "What an A2A agent says of its work is a notice, for which the client's dialect has no place but the text of the answer, where it comes " +
      "when the artifact ends, behind the words that followed. A remembered answer does not have it.",
  },
  {
    client: "@a2a-js/sdk 0.3, REST", agent: "Pydantic AI, AG-UI", scenario: ["granted", "denied", "decided", "reask"],
    reason: "The REST binding of A2A 0.3 has no place for data, so that a question has no name there, and words approve nothing: they are the next turn.",
  },
  {
    client: ["an editor, sabir acp", "@a2a-js/sdk 1.3", "@langchain/langgraph-sdk 1.15, threads", "@mastra/client-js 1.47, threads"], agent: "Google ADK", scenario: "restart",
    reason: "ADK has lost its sessions, the client sends only what is new, and Sabir remembers nothing for agents that keep the conversation.",
  },
  {
    client: "openai 7, chat", agent: ["A2A 1.0", "A2A 0.3"], scenario: "server",
    reason: "What an A2A agent says of its work is a notice, for which the client's dialect has no place but the text of the answer, where it comes " +
      "when the artifact ends, behind the words that followed.",
  },
  {
    client: "openai 7, chat", agent: ["OpenCode", "A2A 1.0", "A2A 0.3"], scenario: "alike",
    reason: "The client names no conversation, and both are the same word for word: neither goes on in a session that may be the other's, and another one " +
      "receives what was said before as text.",
  },
  {
    client: "@google/genai 3, interactions", agent: ["Claude Code", "OpenCode"], scenario: "denied",
    reason: "Clients of the Interactions API are not asked by agents that wait: Sabir denies in their place, which its stream says in words that the remembered answer does not have.",
  },
  {
    client: "@mastra/client-js 1.47, threads", agent: "Mastra", scenario: ["client", "clients"], direct: true,
    reason: "Mastra's memory has lost the arguments of a call when its client brings the result.",
  },
];
