// The Interactions API by @google/genai 2.32.0: the last of the second major version.
import { GoogleGenAI } from "google-genai-2";
import { genaiClient } from "../lib/interactions.mjs";

export default { ...genaiClient({ name: "@google/genai 2.32.0 (interactions)", GoogleGenAI }), previous: true };
