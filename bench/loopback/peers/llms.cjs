// Starts @musistudio/llms with one provider, the simulated server, and nothing else.
const Server = require("@musistudio/llms").default;

const server = new Server({
  useEnvFile: false,
  useJsonFile: false,
  logger: false,
  initialConfig: {
    HOST: "127.0.0.1",
    PORT: process.env.PORT,
    LOG: false,
    providers: [
      { name: "up", api_base_url: process.env.UPSTREAM + "/v1/chat/completions", api_key: "bench", models: ["bench"], transformer: { use: [] } },
    ],
  },
});
server.start();
