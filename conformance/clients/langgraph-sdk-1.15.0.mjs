// @langchain/langgraph-sdk 1.15.0: the newest code, although not the newest number.
import { Client } from "langgraph-sdk-1";
import { MessageTupleManager, StreamManager } from "langgraph-sdk-1/ui";
import { langgraphClient } from "../lib/langgraph.mjs";

export default langgraphClient({ name: "langgraph-sdk 1.15.0", Client, StreamManager, MessageTupleManager });
