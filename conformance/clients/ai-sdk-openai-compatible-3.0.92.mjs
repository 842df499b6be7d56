// ai 7.0.173 with @ai-sdk/openai-compatible 3.0.92, which checks every chunk against a schema.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai-7";
import { aiClient } from "../lib/openai-chat.mjs";

export default aiClient({ name: "@ai-sdk/openai-compatible 3.0.92", streamText, createOpenAICompatible });
