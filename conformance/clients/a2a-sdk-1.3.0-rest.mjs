// @a2a-js/sdk 1.3.0: version 1.0 of the protocol over REST.
import { ClientFactory } from "a2a-sdk-1/client";
import { a2aClient } from "../lib/a2a.mjs";
import { send1, shape1 } from "../lib/a2a-1.mjs";

export default a2aClient({
  name: "a2a-sdk 1.3.0 REST", version: "1.0", binding: "rest", shape: shape1, stream: (url) => send1(ClientFactory, url, "HTTP+JSON"),
});
