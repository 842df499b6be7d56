// An agent of Mastra with a scripted model behind Mastra's own server, to talk with. It keeps the threads that a request names.
//
//	node mastra_agent.mjs PORT
//
// /api is what Mastra serves; GET /notes says whose answers were given up, and what was deleted.
import { serve } from "@hono/node-server";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MastraServer } from "@mastra/hono";
import { Memory } from "@mastra/memory";
import { Hono } from "hono";
import { z } from "zod";
import { scriptedModel } from "./ai_sdk_model.mjs";

const notes = { gone: [], deleted: [] };

const tools = {
  get_weather: createTool({
    id: "get_weather", description: "The weather in a city.", inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `9 degrees in ${city}`,
  }),
  delete_file: createTool({
    id: "delete_file", description: "Deletes a file.", inputSchema: z.object({ path: z.string() }), requireApproval: true,
    execute: async ({ path }) => {
      notes.deleted.push(path);
      return `deleted ${path}`;
    },
  }),
  choose_colour: createTool({
    id: "choose_colour", description: "Has the user choose.", inputSchema: z.object({ question: z.string(), options: z.array(z.string()) }),
    suspendSchema: z.object({ question: z.string(), options: z.array(z.string()) }), resumeSchema: z.object({ colour: z.string() }),
    execute: async (asked, { agent: { suspend, resumeData } }) => resumeData?.colour ?? suspend(asked),
  }),
  ask_user: createTool({ id: "ask_user", description: "Asks the user.", inputSchema: z.object({ question: z.string() }) }),
};

const conformance = new Agent({
  id: "conformance", name: "conformance", instructions: "Be brief.", model: scriptedModel((key) => notes.gone.push(key)), tools, memory: new Memory({ options: { lastMessages: 100 } }),
});
const app = new Hono();
app.get("/notes", (c) => c.json(notes));
await new MastraServer({ app, mastra: new Mastra({ agents: { conformance }, storage: new InMemoryStore(), logger: false }) }).init();
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
