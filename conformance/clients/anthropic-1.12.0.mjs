// @anthropic-ai/sdk 1.12.0, which speaks version 2026-10-21 of the API.
import Anthropic from "anthropic-sdk-1";
import { sdkClient } from "../lib/anthropic.mjs";

export default sdkClient({ name: "@anthropic-ai/sdk 1.12.0", Anthropic });
