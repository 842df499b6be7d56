// What is known not to work, with the reason that the document gives. A cell that works all the same fails the run, so that the
// list stays true. client, agent and scenario each match by name; one that is left out matches all.
export const known = [
  {
    client: ["@ag-ui/client 1.0", "@copilotkit/core 1.75"], agent: "AI SDK", scenario: "decided",
    reason: "AG-UI's answers name the question only, and the questions of the AI SDK have ids that say nothing of the call. Of several " +
      "open calls Sabir does not guess which one was approved; the agent then says that results are missing. One at a time works.",
  },
  {
    client: "@copilotkit/core 1.75", agent: ["Pydantic AI, AI SDK", "AI SDK", "a model, Responses", "a model, generateContent"], scenario: "clients",
    reason: "These agents name no message that the calls are of, so that each is a message of its own to an AG-UI client. CopilotKit puts each " +
      "result behind its call: the model is told of both, but as of one after the other.",
  },
];
