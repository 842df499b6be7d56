// The Interactions API by @ai-sdk/google 4.0.121 with ai 7.0.173, which checks every event.
import { createGoogle } from "@ai-sdk/google";
import { streamText } from "ai-7";
import { aiClient } from "../lib/interactions.mjs";

export default aiClient({ name: "@ai-sdk/google 4.0.121 (interactions)", streamText, createGoogle });
