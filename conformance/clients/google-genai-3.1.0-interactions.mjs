// The Interactions API by @google/genai 3.1.0: Google's SDK.
import { GoogleGenAI } from "google-genai-3";
import { genaiClient } from "../lib/interactions.mjs";

export default genaiClient({ name: "@google/genai 3.1.0 (interactions)", GoogleGenAI });
