// What the front ends of "sabir demo" are made of: real clients, as their packages are. ./bundle makes one file of it.
import { config } from "zod";

// The probe of zod whether code can be made at run time is a fault where the page's policy forbids it. Here it is not asked.
config({ jitless: true });

export { HttpAgent } from "agui-client-1.0.0";
export { version as aguiVersion } from "agui-client-1.0.0/package.json";
export { AbstractChat, DefaultChatTransport } from "ai-7";
export { version as aiVersion } from "ai-7/package.json";
