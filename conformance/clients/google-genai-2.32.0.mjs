// @google/genai 2.32.0: the last of the second major version.
import { GoogleGenAI } from "google-genai-2";
import { genaiClient } from "../lib/gemini.mjs";

export default { ...genaiClient({ name: "@google/genai 2.32.0", GoogleGenAI }), previous: true };
