// ai 7.0.173: the current release of version 7, which ignores members that it does not know.
import { AbstractChat, DefaultChatTransport } from "ai-7";
import { aisdkClient } from "../lib/aisdk.mjs";

export default aisdkClient({ name: "ai 7.0.173", version: 7, AbstractChat, DefaultChatTransport });
