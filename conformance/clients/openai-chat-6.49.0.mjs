// openai 6.49.0: the previous major version, which Node 20 still installs.
import OpenAI from "openai-6";
import { openaiClient } from "../lib/openai-chat.mjs";

export default openaiClient({ name: "openai 6.49.0, chat", OpenAI });
