// ai 7.0.31: the last release of version 7 that rejects members that it does not know.
import { AbstractChat, DefaultChatTransport } from "ai-7-strict";
import { aisdkClient } from "../lib/aisdk.mjs";

export default { ...aisdkClient({ name: "ai 7.0.31", version: 7, AbstractChat, DefaultChatTransport }), previous: true };
