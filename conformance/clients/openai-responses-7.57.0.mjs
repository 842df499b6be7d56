// openai 7.57.0: its helper checks every event against the state of the response, and rejects types that it does not know.
import OpenAI from "openai-7";
import { sdkClient } from "../lib/openairesponses.mjs";

export default sdkClient({ name: "openai 7.57.0, Responses", OpenAI });
