// @ai-sdk/anthropic 4.0.105 with ai 7.0.173: checks every event against a schema, and rejects types that it does not know.
import { createAnthropic } from "@ai-sdk/anthropic";
import { streamText } from "ai-7";
import { aiClient } from "../lib/anthropic.mjs";

export default aiClient({ name: "@ai-sdk/anthropic 4.0.105", streamText, createAnthropic });
