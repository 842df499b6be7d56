// @a2a-js/sdk 0.3.14: version 0.3 of the protocol over REST.
import { RestTransport } from "a2a-sdk-0/client";
import { a2aClient } from "../lib/a2a.mjs";
import { send0, shape0 } from "../lib/a2a-0.3.mjs";

export default a2aClient({
  name: "a2a-sdk 0.3.14 REST", version: "0.3", binding: "rest", shape: shape0, forgetsAppend: true, stream: (url) => send0(RestTransport, url),
});
