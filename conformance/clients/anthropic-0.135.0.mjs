// @anthropic-ai/sdk 0.135.0, the last but few of those that drop events with unknown names.
import Anthropic from "anthropic-sdk-0";
import { sdkClient } from "../lib/anthropic.mjs";

export default { ...sdkClient({ name: "@anthropic-ai/sdk 0.135.0", Anthropic }), previous: true };
