// @ag-ui/client 0.0.59: what CopilotKit and assistant-ui still pin.
import { HttpAgent } from "agui-client-0.0.59";
import { aguiClient } from "../lib/agui.mjs";

export default aguiClient({ name: "@ag-ui/client 0.0.59", HttpAgent });
