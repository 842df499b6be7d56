// @a2a-js/sdk 0.3.14: version 0.3 of the protocol over JSON-RPC.
import { JsonRpcTransport } from "a2a-sdk-0/client";
import { a2aClient } from "../lib/a2a.mjs";
import { send0, shape0 } from "../lib/a2a-0.3.mjs";

export default a2aClient({
  name: "a2a-sdk 0.3.14 JSON-RPC", version: "0.3", binding: "jsonrpc", shape: shape0, stream: (url) => send0(JsonRpcTransport, url),
});
