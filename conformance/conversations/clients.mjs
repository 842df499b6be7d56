// The clients that talk, as they are on the registry.
import * as acp from "acp-sdk-1";
import { HttpAgent } from "agui-client-1.0.0";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import Anthropic from "anthropic-sdk-1";
import { CopilotKitCore } from "copilotkit-core";
import { GoogleGenAI } from "google-genai-3";
import OpenAI from "openai-7";
import { acpClient } from "./clients/acp.mjs";
import { aguiClient } from "./clients/agui.mjs";
import { aisdkClient } from "./clients/aisdk.mjs";
import { anthropicClient } from "./clients/anthropic.mjs";
import { copilotkitClient } from "./clients/copilotkit.mjs";
import { geminiClient } from "./clients/gemini.mjs";
import { openaiChatClient } from "./clients/openai_chat.mjs";
import { openaiResponsesClient } from "./clients/openai_responses.mjs";

export const clients = [
  aisdkClient({ name: "ai 7", ai: ai7, version: 7 }),
  aisdkClient({ name: "ai 6", ai: ai6, version: 6 }),
  aisdkClient({ name: "ai 5", ai: ai5, version: 5 }),
  aguiClient({ name: "@ag-ui/client 1.0", HttpAgent }),
  copilotkitClient({ name: "@copilotkit/core 1.75", CopilotKitCore }),
  openaiChatClient({ name: "openai 7, chat", OpenAI }),
  openaiResponsesClient({ name: "openai 7, responses", OpenAI }),
  anthropicClient({ name: "@anthropic-ai/sdk 1", Anthropic }),
  geminiClient({ name: "@google/genai 3", GoogleGenAI }),
  acpClient({ name: "an editor, sabir acp", sdk: acp }),
];
