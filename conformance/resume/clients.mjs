// The clients that lose their connections, as they are on the registry.
import fs from "node:fs";
import path from "node:path";
import * as a2a0 from "a2a-sdk-0/client";
import * as a2a1 from "a2a-sdk-1/client";
import { HttpAgent as HttpAgent0 } from "agui-client-0.0.59";
import { HttpAgent as HttpAgent1 } from "agui-client-1.0.0";
import * as acp from "acp-sdk-1";
import { createHttpStream } from "acp-sdk-1/experimental/http-client";
import { createWebSocketStream } from "acp-sdk-1/experimental/ws-client";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import Anthropic from "anthropic-sdk-1";
import { CopilotKitCore } from "copilotkit-core";
import { EventSource } from "eventsource";
import { GoogleGenAI } from "google-genai-3";
import { Client as LangGraph1 } from "langgraph-sdk-1";
import { Client as LangGraph2 } from "langgraph-sdk-2";
import OpenAI6 from "openai-6";
import OpenAI7 from "openai-7";
import { acpClient } from "./clients/acp.mjs";
import { a2aClient, speaker0, speaker1 } from "./clients/a2a.mjs";
import { aguiClient } from "./clients/agui.mjs";
import { aisdkClient } from "./clients/aisdk.mjs";
import { anthropicClient, geminiClient } from "./clients/byname.mjs";
import { backgroundClient, pythonClient } from "./clients/background.mjs";
import { copilotkitClient } from "./clients/copilotkit.mjs";
import { langgraphClient } from "./clients/langgraph.mjs";
import { eventSourceClient, fetchClient } from "./clients/plain.mjs";
import { responsesClient } from "./clients/responses.mjs";

// named is how a client is called: its package and version, and what is tried with it.
function named(installed, more = "") {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "..", "node_modules", installed, "package.json"), "utf8"));
  return `${name} ${version}${more}`;
}

// pinned is the same of a package for Python.
function pinned(name) {
  const requirements = fs.readFileSync(path.join(import.meta.dirname, "..", "python", "requirements.txt"), "utf8");
  return `${name} ${new RegExp(`^${name}==(.*)$`, "m").exec(requirements)[1]} for Python, background`;
}

function byWebSocket(url, authorization) {
  return createWebSocketStream(url.replace("http", "ws"), { WebSocket: class extends WebSocket {
    constructor(at, protocols) {
      super(at, { protocols, headers: { authorization } });
    }
  } });
}

export const clients = [
  langgraphClient({ name: named("langgraph-sdk-2"), Client: LangGraph2 }),
  langgraphClient({ name: named("langgraph-sdk-1"), Client: LangGraph1 }),
  responsesClient({ name: named("openai-7"), OpenAI: OpenAI7 }),
  responsesClient({ name: named("openai-7", ", helper"), OpenAI: OpenAI7, helper: true }),
  responsesClient({ name: named("openai-6"), OpenAI: OpenAI6 }),
  backgroundClient({ name: named("openai-7", ", background"), OpenAI: OpenAI7, streams: false }),
  backgroundClient({ name: named("openai-7", ", background stream"), OpenAI: OpenAI7, streams: true }),
  backgroundClient({ name: named("openai-6", ", background"), OpenAI: OpenAI6, streams: false }),
  pythonClient({ name: pinned("openai") }),
  aisdkClient({ name: named("ai-7"), ai: ai7, version: 7 }),
  aisdkClient({ name: named("ai-7", ", same page"), ai: ai7, version: 7, reload: false }),
  aisdkClient({ name: named("ai-6"), ai: ai6, version: 6 }),
  aisdkClient({ name: named("ai-6", ", same page"), ai: ai6, version: 6, reload: false }),
  aisdkClient({ name: named("ai-5"), ai: ai5, version: 5 }),
  aisdkClient({ name: named("ai-5", ", same page"), ai: ai5, version: 5, reload: false }),
  aisdkClient({ name: named("ai-7", ", agent alike"), ai: ai7, version: 7, copied: true }),
  aisdkClient({ name: named("ai-5", ", same page, agent alike"), ai: ai5, version: 5, reload: false, copied: true }),
  a2aClient({ name: named("a2a-sdk-1", ", JSON-RPC"), speaker: speaker1(a2a1, a2a1.JsonRpcTransportFactory), back: "`SubscribeToTask`", stranger: 200 }),
  a2aClient({ name: named("a2a-sdk-1", ", REST"), speaker: speaker1(a2a1, a2a1.RestTransportFactory), back: "`/tasks/{id}:subscribe`", stranger: 404 }),
  a2aClient({ name: named("a2a-sdk-0", ", JSON-RPC"), speaker: speaker0(a2a0, a2a0.JsonRpcTransportFactory), back: "`tasks/resubscribe`", stranger: 200 }),
  a2aClient({ name: named("a2a-sdk-0", ", REST"), speaker: speaker0(a2a0, a2a0.RestTransportFactory), back: "`/v1/tasks/{id}:subscribe`", stranger: 404, forgetsAppend: true }),
  acpClient({ name: named("acp-sdk-1", ", WebSocket"), sdk: acp, connect: byWebSocket }),
  acpClient({ name: named("acp-sdk-1", ", HTTP"), sdk: acp, lasting: true, streams: /^acp-session-id:/im, connect: (url, authorization) => createHttpStream(url, { headers: { authorization } }) }),
  aguiClient({ name: named("agui-client-1.0.0"), HttpAgent: HttpAgent1 }),
  aguiClient({ name: named("agui-client-0.0.59"), HttpAgent: HttpAgent0 }),
  copilotkitClient({ name: named("copilotkit-core"), CopilotKitCore }),
  copilotkitClient({ name: named("copilotkit-core", ", same page"), CopilotKitCore, reload: false }),
  anthropicClient({ name: named("anthropic-sdk-1"), Anthropic }),
  geminiClient({ name: named("google-genai-3"), GoogleGenAI }),
  eventSourceClient({ name: named("eventsource"), EventSource, dialect: "agui" }),
  fetchClient({ dialect: "agui" }),
  fetchClient({ dialect: "aisdk" }),
  fetchClient({ dialect: "aisdk", copied: true }),
  fetchClient({ dialect: "anthropic" }),
];
