// @aws-sdk/client-bedrock-runtime 3.1164.0: the SDK for JavaScript.
import { sdkClient } from "../lib/bedrock.mjs";

export default sdkClient({ name: "@aws-sdk/client-bedrock-runtime 3.1164.0" });
