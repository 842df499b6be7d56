// openai 7.57.0: OpenAI's SDK, the strictest of its versions.
import OpenAI from "openai-7";
import { openaiClient } from "../lib/openai-chat.mjs";

export default openaiClient({ name: "openai 7.57.0, chat", OpenAI });
