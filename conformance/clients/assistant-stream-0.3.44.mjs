// assistant-stream 0.3.44: the reader of assistant-ui for the data stream.
import { DataStreamDecoder } from "assistant-stream";
import { assistantClient } from "../lib/assistantui.mjs";

export default assistantClient({
  name: "assistant-stream 0.3.44", dialect: "datastream", Decoder: DataStreamDecoder,
});
