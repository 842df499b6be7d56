// ai 5.0.216: the last release of version 5 that rejects members that it does not know.
import { AbstractChat, DefaultChatTransport } from "ai-5-strict";
import { aisdkClient } from "../lib/aisdk.mjs";

export default { ...aisdkClient({ name: "ai 5.0.216", version: 5, AbstractChat, DefaultChatTransport }), previous: true };
