// The clients that talk, as they are on the registry. agents: those that they are tried with; all that are not slow where it is missing.
import * as a2a0 from "a2a-sdk-0/client";
import * as a2a1 from "a2a-sdk-1/client";
import * as acp from "acp-sdk-1";
import { createHttpStream } from "acp-sdk-1/experimental/http-client";
import { createWebSocketStream } from "acp-sdk-1/experimental/ws-client";
import { MastraClient } from "@mastra/client-js";
import { HttpAgent } from "agui-client-1.0.0";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import Anthropic from "anthropic-sdk-1";
import { CopilotKitCore } from "copilotkit-core";
import { GoogleGenAI } from "google-genai-3";
import { Client } from "langgraph-sdk-1";
import { StreamController } from "langgraph-sdk-1/stream";
import OpenAI from "openai-7";
import { WebSocket } from "ws";
import { a2aClient, speaker0, speaker1 } from "./clients/a2a.mjs";
import { acpClient } from "./clients/acp.mjs";
import { aguiClient } from "./clients/agui.mjs";
import { aisdkClient } from "./clients/aisdk.mjs";
import { anthropicClient } from "./clients/anthropic.mjs";
import { anthropicThreadsClient } from "./clients/anthropic_threads.mjs";
import { copilotkitClient } from "./clients/copilotkit.mjs";
import { geminiClient } from "./clients/gemini.mjs";
import { interactionsClient } from "./clients/interactions.mjs";
import { langgraphClient } from "./clients/langgraph.mjs";
import { langgraphProtocolClient } from "./clients/langgraph_protocol.mjs";
import { mastraClient } from "./clients/mastra.mjs";
import { openaiChatClient } from "./clients/openai_chat.mjs";
import { openaiResponsesClient } from "./clients/openai_responses.mjs";
import { openaiStoredClient } from "./clients/openai_stored.mjs";

const few = ["LangGraph", "AI SDK"]; // for clients that differ from others in what the proxy remembers alone

// connected are the agents that editors are tried with over a network: what differs is how they connect.
const connected = ["Pydantic AI, AG-UI", "LangGraph", "Claude Code"];

export const clients = [
  aisdkClient({ name: "ai 7", ai: ai7, version: 7 }),
  aisdkClient({
    name: "ai 7, WebSocket", ai: ai7, version: 7, agents: connected,
    connect: (url) => new ai7.WebSocketChatTransport({ url, webSocket: WebSocket }),
  }),
  aisdkClient({ name: "ai 6", ai: ai6, version: 6 }),
  aisdkClient({ name: "ai 5", ai: ai5, version: 5 }),
  aguiClient({ name: "@ag-ui/client 1.0", HttpAgent }),
  copilotkitClient({ name: "@copilotkit/core 1.75", CopilotKitCore }),
  openaiChatClient({ name: "openai 7, chat", OpenAI }),
  openaiResponsesClient({ name: "openai 7, responses", OpenAI }),
  anthropicClient({ name: "@anthropic-ai/sdk 1", Anthropic }),
  geminiClient({ name: "@google/genai 3", GoogleGenAI }),
  interactionsClient({ name: "@google/genai 3, interactions", GoogleGenAI }),
  a2aClient({ name: "@a2a-js/sdk 1.3", version: "1.0", speaker: speaker1(a2a1), agents: ["Pydantic AI, AG-UI", "LangGraph", "Google ADK", "AI SDK", "a model, Chat Completions", "Claude Code", "Codex, app server", "OpenCode", "Mastra", "A2A 1.0", "A2A 0.3"] }),
  a2aClient({ name: "@a2a-js/sdk 0.3", version: "0.3", speaker: speaker0(a2a0), agents: ["Pydantic AI, AG-UI", "LangGraph", "A2A 1.0", "A2A 0.3"], words: true }),
  a2aClient({ name: "@a2a-js/sdk 1.3, REST", version: "1.0", binding: "rest", speaker: speaker1(a2a1, a2a1.RestTransportFactory), agents: ["Pydantic AI, AG-UI", "a model, Messages", "Claude Code", "A2A 1.0", "A2A 0.3", "A2A 1.0, REST"] }),
  a2aClient({ name: "@a2a-js/sdk 0.3, REST", version: "0.3", binding: "rest", speaker: speaker0(a2a0, a2a0.RestTransportFactory), agents: ["Pydantic AI, AG-UI", "A2A 1.0", "A2A 1.0, REST", "A2A 0.3, REST"], words: true, forgetsAppend: true }),
  langgraphClient({ name: "@langchain/langgraph-sdk 1.15", Client, agents: ["Pydantic AI, AG-UI", "Google ADK", "AI SDK", "a model, Messages", "Claude Code"] }),
  langgraphProtocolClient({ name: "@langchain/langgraph-sdk 1.15, threads", Client, StreamController, agents: ["Pydantic AI, AG-UI", "Google ADK", "AI SDK", "a model, Messages", "Claude Code", "Mastra", "A2A 1.0"] }),
  acpClient({ name: "an editor, sabir acp", sdk: acp }),
  acpClient({ name: "an editor, WebSocket", sdk: acp, agents: connected, connect: (url) => closing(createWebSocketStream(url.replace("http", "ws"), { WebSocket })) }),
  acpClient({ name: "an editor, HTTP", sdk: acp, agents: [...connected, "Mastra"], connect: (url) => closing(createHttpStream(url)) }),
  openaiStoredClient({ name: "openai 7, previous responses", OpenAI, agents: ["Pydantic AI, AG-UI", "Google ADK", "a model, Messages", "Claude Code", "OpenCode", "Mastra", "A2A 1.0", ...few] }),
  openaiStoredClient({ name: "openai 7, conversations", OpenAI, agents: [...few, "Claude Code"], conversation: true }),
  anthropicThreadsClient({ name: "@anthropic-ai/sdk 1, threads", Anthropic, agents: ["Pydantic AI, AG-UI", "a model, Chat Completions", "Claude Code", ...few] }),
  mastraClient({ name: "@mastra/client-js 1.47", MastraClient, agents: ["Pydantic AI, AG-UI", "AI SDK", "a model, Chat Completions", "Claude Code", "Mastra"] }),
  mastraClient({ name: "@mastra/client-js 1.47, threads", MastraClient, threads: true, agents: ["Pydantic AI, AG-UI", "Google ADK", "a model, Messages", "Claude Code", "OpenCode", "Mastra", "A2A 1.0", ...few] }),
];

function closing(stream) {
  return { stream, end: () => stream.readable.cancel().catch(() => stream.writable.abort()).catch(() => {}) };
}
