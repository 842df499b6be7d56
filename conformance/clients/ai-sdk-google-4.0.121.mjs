// @ai-sdk/google 4.0.121 with ai 7.0.173: a reader of server-sent events by the standard, which checks every frame.
import { createGoogle } from "@ai-sdk/google";
import { streamText } from "ai-7";
import { aiClient } from "../lib/gemini.mjs";

export default aiClient({ name: "@ai-sdk/google 4.0.121", streamText, createGoogle });
