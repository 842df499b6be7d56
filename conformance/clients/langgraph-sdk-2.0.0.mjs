// @langchain/langgraph-sdk 2.0.0: what npm calls the latest. It does not export what its useStream is made of.
import { Client } from "langgraph-sdk-2";
import { MessageTupleManager } from "../node_modules/langgraph-sdk-2/dist/ui/messages.js";
import { StreamManager } from "../node_modules/langgraph-sdk-2/dist/ui/manager.js";
import { langgraphClient } from "../lib/langgraph.mjs";

export default { ...langgraphClient({ name: "langgraph-sdk 2.0.0", Client, StreamManager, MessageTupleManager }), previous: true };
