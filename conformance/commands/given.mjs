// What a document takes for granted: files, and servers that its commands ask. By document, and by command.
import fs from "node:fs";
import path from "node:path";
import { recording } from "./agent.mjs";

const root = path.join(path.dirname(new URL(import.meta.url).pathname), "..", "..");
const request = { id: "c", trigger: "submit-message", messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "Hello" }] }] };

// yaml is the first whole configuration of a document.
const yaml = (document) => /```yaml\n(listen:.*?)```/s.exec(fs.readFileSync(path.join(root, document), "utf8"))[1];

const route = "upstreams: {agent: {url: 'http://127.0.0.1:9000/', dialect: agui}}\nroutes:\n  - {path: /agui, upstream: agent, client: agui";
const operator = "06e55b633481f7bb072957eabcf110c972e86691c3cfedabe088024bffe42f23"; // of the key "operator", as "sabir key" says

// served begins "sabir serve" with a configuration, in place of the server before.
const served = (text, name = "sabir.yaml") => async (visit) => {
  visit.write(name, text);
  await visit.serve(`sabir serve --config ${name}`, { asked: false });
};

// quickstart is the example, with an agent of its own.
const quickstart = async (visit) => {
  await visit.move(9000);
  const dir = path.join(root, "examples/quickstart");
  for (const file of fs.readdirSync(dir).filter((f) => /\.(py|yaml)$/.test(f))) visit.write(`quickstart/${file}`, fs.readFileSync(path.join(dir, file), "utf8"));
};

// recorded leaves a run that "sabir record" has written, after the recorder has ended.
const recorded = (visit) => visit.ended();

// claude stands in for Claude Code: it takes a prompt by lines, and answers in one.
const claude = `#!/bin/sh
read -r prompt
echo '{"type":"system","subtype":"init","session_id":"11111111-2222-4333-8444-555555555555","model":"m","tools":[],"mcp_servers":[]}'
echo '{"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Ahoy"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}},"session_id":"11111111-2222-4333-8444-555555555555"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Ahoy","session_id":"11111111-2222-4333-8444-555555555555","num_turns":1}'
read -r end
`;

export const given = {
  "README.md": {
    before(visit) {
      visit.write("sabir.yaml", yaml("README.md"));
      visit.write("recording.ndjson", recording);
    },
    commands: {
      "uvicorn agent:app --port 9000": { before: quickstart, cwd: "quickstart", port: 9000, beside: true },
      "go run ../../cmd/sabir serve --config sabir.yaml": { cwd: "quickstart", wants: "question" },
      "python ask.py": { cwd: "quickstart", wants: "That is question 2 of this conversation: And a proxy?" },
      "./sabir check --config sabir.yaml": { before: (visit) => visit.back(), wants: "is fine" },
      "./sabir translate --from evolve --to agui recording.ndjson": { wants: "RUN_FINISHED" },
      "./sabir replay recordings/*.jsonl --as aisdk --speed 4x": { before: recorded },
      "./sabir detect recording.ndjson": { wants: "dialect: evolve" },
      "./sabir detect --ask http://127.0.0.1:9000/stream": { wants: "dialect: evolve" },
      "./sabir check --upstream http://127.0.0.1:9000/ --from agui": { wants: "no rule is broken" },
    },
  },
  "docs/programs.md": { before: (visit) => fs.writeFileSync(path.join(visit.dir, "bin", "claude"), claude, { mode: 0o755 }) },
  "docs/recordings.md": {
    commands: {
      "sabir replay recordings/*.jsonl --as aisdk --speed 4x": { before: recorded },
      "sabir convert run.sabir.jsonl --to openai-chat": {
        before: (visit) => fs.copyFileSync(path.join(visit.dir, "recordings", fs.readdirSync(path.join(visit.dir, "recordings"))[0]), path.join(visit.dir, "run.sabir.jsonl")),
        wants: "Ahoy",
      },
      "sabir convert run.sabir.jsonl --to fixture > adapters/evolve/testdata/mine.txtar": { before: (visit) => fs.mkdirSync(path.join(visit.dir, "adapters/evolve/testdata"), { recursive: true }) },
    },
  },
  "docs/requests.md": {
    before(visit) {
      visit.write("chat.json", JSON.stringify(request));
      visit.write("sabir.yaml", `listen: 127.0.0.1:8080\n${route.replace("/agui,", "/editor,").replace("client: agui", "client: acp")}}\n`);
    },
    commands: { "sabir translate --request --from aisdk --to openai-chat --model gpt-5 chat.json": { wants: '"gpt-5"' } },
  },
  "docs/declared-dialects.md": { commands: { "go test ./adapters/declared -run '^$' -bench AgentEvent": { root: true, wants: "Benchmark" } } },
  "docs/operations.md": {
    commands: {
      "curl --cacert server.pem --cert alice.pem --key alice.key https://localhost:8080/agui -d '{}'": {
        before: served(`listen: 127.0.0.1:8080\nadmin: 127.0.0.1:9090\ntls: {cert: server.pem, key: server.key, client_ca: clients.pem}\n${route}, auth: [mtls]}\n`), wants: "Ahoy",
      },
      "curl --http2 --cacert server.pem -N https://localhost:8080/agui -d '{}'": {
        before: served(`listen: 127.0.0.1:8080\nadmin: 127.0.0.1:9090\ntls: {cert: server.pem, key: server.key}\n${route}}\n`), wants: "Ahoy",
      },
      "curl --http2-prior-knowledge -N http://127.0.0.1:8080/agui -d '{}'": {
        before: served(`listen: 127.0.0.1:8080\nadmin: 127.0.0.1:9090\nhttp2: {cleartext: true}\n${route}}\n`), wants: "Ahoy",
      },
      "sabir health --admin https://127.0.0.1:9090 --ca admin.pem": {
        async before(visit) {
          for (const kind of ["pem", "key"]) fs.copyFileSync(path.join(visit.dir, `server.${kind}`), path.join(visit.dir, `admin.${kind}`));
          await served(`listen: 127.0.0.1:8080\nadmin: {listen: 127.0.0.1:9090, tls: {cert: admin.pem, key: admin.key}}\n${route}}\n`)(visit);
        },
      },
      'curl -H "Authorization: Bearer $KEY" -o cpu.pprof "http://127.0.0.1:9090/debug/pprof/profile?seconds=5" && go tool pprof -top cpu.pprof': {
        before: served(`listen: 127.0.0.1:8080\nadmin: 127.0.0.1:9090\nauth: {admin_sha256: "${operator}", admin_pprof: true}\n${route}}\n`), wants: "flat%",
      },
    },
  },
};
