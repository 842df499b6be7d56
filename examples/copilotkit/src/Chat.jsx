import { CopilotChat, useAgent, useConfigureSuggestions, useCopilotKit, useDefaultRenderTool, useInterrupt } from "@copilotkit/react-core/v2";

const ideas = ["What is the weather in Oslo?", "Delete notes.txt", "Write a long poem"];

export function Chat() {
  useConfigureSuggestions({ suggestions: ideas.map((idea) => ({ title: idea, message: idea })), available: "before-first-message" });
  useDefaultRenderTool({ render: Tool });
  useInterrupt({ render: ({ interrupt }) => <Question interrupt={interrupt} /> });
  return (
    <main>
      <header>
        <h1>CopilotKit</h1>
        <p>in front of a Pydantic AI agent that speaks the AI SDK's protocol</p>
      </header>
      <CopilotChat className="chat" />
    </main>
  );
}

const states = { inProgress: "is called", executing: "runs", complete: "done" };

// A tool of the agent: what it is called with, and what came of it.
function Tool({ name, parameters, status, result }) {
  return (
    <div className="tool" data-tool={name} data-state={status}>
      <div className="title"><code>{name}</code><span>{states[status]}</span></div>
      <pre>{show(parameters)}</pre>
      {result !== undefined && <pre className="result">{show(result)}</pre>}
    </div>
  );
}

// The agent's question whether a tool may run. It has ended the run; the answer begins another.
function Question({ interrupt }) {
  const { copilotkit } = useCopilotKit();
  const { agent } = useAgent();
  // Not resolve() of the hook: that also writes the answer into the history as the result of the call, and CopilotKit then
  // ignores what the tool itself says.
  const answer = (approved) => copilotkit.runAgent({ agent, resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved } }] });
  return (
    <div className="tool question">
      <p>{interrupt.message ?? "The agent waits for your approval."}</p>
      <div className="decision">
        <button className="main" onClick={() => answer(true)}>Approve</button>
        <button onClick={() => answer(false)}>Deny</button>
      </div>
    </div>
  );
}

function show(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
