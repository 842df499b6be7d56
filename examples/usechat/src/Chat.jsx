import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, getToolName, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { useEffect, useRef, useState } from "react";

// The address of Sabir's route is all that this page knows of the agent behind it.
const transport = new DefaultChatTransport({ api: `${import.meta.env.VITE_SABIR ?? "http://127.0.0.1:8080"}/chat` });
const claude = import.meta.env.VITE_AGENT === "claude"; // for what the page says of it alone
const ideas = claude ? ["Which files are here?", "Write a poem to poem.txt"] : ["What is the weather in Oslo?", "Delete notes.txt", "Write a long poem"];

export function Chat() {
  const { messages, sendMessage, status, stop, error, addToolApprovalResponse } = useChat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses, // goes on once every question has an answer
  });
  const busy = status === "submitted" || status === "streaming";
  return (
    <main>
      <header>
        <h1>useChat</h1>
        <p>in front of {claude ? "Claude Code" : "a Pydantic AI agent that speaks AG-UI"}</p>
      </header>
      <section className="messages" aria-live="polite">
        {messages.length === 0 && <Ideas onPick={(text) => sendMessage({ text })} />}
        {messages.map((message) => <Message key={message.id} message={message} decide={addToolApprovalResponse} />)}
        {status === "submitted" && <p className="waiting">…</p>}
        {error && <p className="error" role="alert">{error.message}</p>}
        <Bottom of={messages} />
      </section>
      <Composer busy={busy} onSend={(text) => sendMessage({ text })} onStop={stop} />
    </main>
  );
}

function Ideas({ onPick }) {
  return (
    <div className="ideas">
      {ideas.map((idea) => <button key={idea} onClick={() => onPick(idea)}>{idea}</button>)}
    </div>
  );
}

function Message({ message, decide }) {
  return (
    <article className={message.role}>
      {message.parts.map((part, i) => {
        if (part.type === "text") return <p key={i}>{part.text}</p>;
        if (isToolUIPart(part)) return <Tool key={part.toolCallId} part={part} decide={decide} />;
        return null; // steps, reasoning, files and the like have no place on this page
      })}
    </article>
  );
}

const states = {
  "input-streaming": "is called", "input-available": "runs", "approval-requested": "needs your approval",
  "approval-responded": "goes on", "output-available": "done", "output-error": "failed", "output-denied": "denied",
};

// A tool of the agent: what it is called with, the question whether it may run, and what came of it.
function Tool({ part, decide }) {
  const name = getToolName(part);
  const state = part.approval?.approved === false ? "output-denied" : part.state; // AG-UI has a result for it, and no word of its own
  const answer = (approved) => decide({ id: part.approval.id, approved });
  return (
    <div className="tool" data-tool={name} data-state={state}>
      <div className="title"><code>{name}</code><span>{states[state]}</span></div>
      {part.input !== undefined && <pre>{show(part.input)}</pre>}
      {part.state === "approval-requested" && (
        <div className="decision">
          <button className="main" onClick={() => answer(true)}>Approve</button>
          <button onClick={() => answer(false)}>Deny</button>
        </div>
      )}
      {part.state === "output-available" && <pre className="result">{show(part.output)}</pre>}
      {part.state === "output-error" && <p className="error">{part.errorText}</p>}
    </div>
  );
}

function show(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Composer({ busy, onSend, onStop }) {
  const [text, setText] = useState("");
  const send = (event) => {
    event.preventDefault();
    if (busy || !text.trim()) return;
    onSend(text);
    setText("");
  };
  return (
    <form onSubmit={send}>
      <input value={text} onChange={(e) => setText(e.target.value)} placeholder="Ask something" aria-label="Message" autoFocus />
      {busy ? <button type="button" onClick={onStop}>Stop</button> : <button className="main" disabled={!text.trim()}>Send</button>}
    </form>
  );
}

// Keeps the newest words in view.
function Bottom({ of }) {
  const end = useRef(null);
  useEffect(() => {
    end.current.scrollIntoView({ block: "end" });
  }, [of]);
  return <div ref={end} />;
}
