// ai 5.0.277: the current release of version 5, which ignores members that it does not know.
import { AbstractChat, DefaultChatTransport } from "ai-5";
import { aisdkClient } from "../lib/aisdk.mjs";

export default { ...aisdkClient({ name: "ai 5.0.277", version: 5, AbstractChat, DefaultChatTransport }), previous: true };
