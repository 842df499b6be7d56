// openai 7.57.0 by WebSocket: its sessions, lanes and accumulator.
import OpenAI from "openai-7";
import { ResponsesWebSocketAccumulator } from "openai-7/lib/responses/responses-websocket-accumulator";
import { ResponsesWebSocketSession } from "openai-7/lib/responses/responses-websocket-session";
import { ResponsesWS } from "openai-7/resources/responses/ws";
import { WebSocketServer } from "ws";
import { socketClient } from "../lib/openairesponses.mjs";

export default socketClient({
  name: "openai 7.57.0, Responses by WebSocket", OpenAI, ResponsesWS, ResponsesWebSocketSession, ResponsesWebSocketAccumulator,
  WebSocketServer,
});
