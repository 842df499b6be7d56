// @mastra/client-js 1.47.0: what front ends of Mastra's servers use.
import { MastraClient } from "@mastra/client-js";
import { mastraClient } from "../lib/mastra.mjs";

export default mastraClient({ name: "@mastra/client-js 1.47.0", MastraClient });
