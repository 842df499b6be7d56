// ai 6.0.326: the current release of version 6, which ignores members that it does not know.
import { AbstractChat, DefaultChatTransport } from "ai-6";
import { aisdkClient } from "../lib/aisdk.mjs";

export default { ...aisdkClient({ name: "ai 6.0.326", version: 6, AbstractChat, DefaultChatTransport }), previous: true };
