// @ag-ui/client 1.0.0, protocol 1.0: the strictest reader there is.
import { HttpAgent } from "agui-client-1.0.0";
import { aguiClient } from "../lib/agui.mjs";

export default aguiClient({ name: "@ag-ui/client 1.0.0", HttpAgent });
