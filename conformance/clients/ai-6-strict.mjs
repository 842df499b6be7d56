// ai 6.0.230: the last release of version 6 that rejects members that it does not know.
import { AbstractChat, DefaultChatTransport } from "ai-6-strict";
import { aisdkClient } from "../lib/aisdk.mjs";

export default { ...aisdkClient({ name: "ai 6.0.230", version: 6, AbstractChat, DefaultChatTransport }), previous: true };
