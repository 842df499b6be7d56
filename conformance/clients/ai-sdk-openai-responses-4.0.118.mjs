// @ai-sdk/openai 4.0.118 with ai 7.0.173: checks every event that it knows against a schema.
import { createOpenAI } from "@ai-sdk/openai";
import { dynamicTool, jsonSchema, streamText } from "ai-7";
import { aiClient } from "../lib/openairesponses.mjs";

export default aiClient({ name: "@ai-sdk/openai 4.0.118, Responses", streamText, dynamicTool, jsonSchema, createOpenAI });
