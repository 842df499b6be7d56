// assistant-stream 0.3.44: the reader of assistant-ui for the UI message stream of the AI SDK. It passes over what came with
// version 6, and over most of what the AI SDK rejects.
import { UIMessageStreamDecoder } from "assistant-stream";
import { assistantClient } from "../lib/assistantui.mjs";

export default assistantClient({
  name: "assistant-stream 0.3.44 (UI messages)", dialect: "aisdk", Decoder: UIMessageStreamDecoder,
  takes: (c) => (c.control ? /letter missing|error in place|never made/.test(c.name) : (c.version ?? "5") === "5"),
});
