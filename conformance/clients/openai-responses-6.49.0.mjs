// openai 6.49.0, which wants indexes without gaps.
import OpenAI from "openai-6";
import { sdkClient } from "../lib/openairesponses.mjs";

export default { ...sdkClient({ name: "openai 6.49.0, Responses", OpenAI }), previous: true };
