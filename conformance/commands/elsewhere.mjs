// The commands of the documents that commands.mjs does not run. Either other things in CI do: "by" is the file that does, and "has" what must stand in
// it; or nothing can, and "why" says so. An entry without a command is for all of a document, or of a folder whose name ends with a slash.
import path from "node:path";

const has = (text) => () => text;

export const elsewhere = [
  { in: "docs/guides/", by: "conformance/guides.mjs", has: (document) => `"${path.basename(document, ".md")}": {` },
  { in: "README.md", command: "go run ./cmd/sabir demo --once", by: ".ci/run", has: has(".ci/readme demo") },
  { in: "README.md", command: "go test ./...", by: ".ci/run", has: has(".ci/readme test") },
  { in: "README.md", command: "go build -o sabir ./cmd/sabir", by: "conformance/run", has: has('go build -o "$work/sabir" ./cmd/sabir') },
  { in: "examples/usechat/README.md", command: "examples/usechat/run", by: "conformance/browser/run.mjs", has: has('path.join(root, "examples", folder, "run")') },
  { in: "examples/usechat/README.md", command: "examples/usechat/run claude", by: "conformance/browser/run.mjs", has: has('"usechat claude": claudeCode') },
  { in: "examples/copilotkit/README.md", command: "examples/copilotkit/run", by: "conformance/browser/run.mjs", has: has("copilotkit,") },
  { in: "docs/operations.md", command: "sha256sum --check SHA256SUMS", by: ".ci/release", has: has("sha256sum --check --strict SHA256SUMS") },
  { in: "conformance/README.md", command: "conformance/run", by: ".ci/run", has: has("conformance/run\n") },

  { in: "conformance/README.md", command: "conformance/run --client 1.0.0 --filter evolve", why: "a part of the command above it, which would begin this one again" },
  { in: "README.md", command: "docker build -t sabir .", why: "needs a Docker daemon, which CI does not have" },
  {
    in: "README.md", why: "needs a Docker daemon, which CI does not have",
    command: "docker run -p 8080:8080 --add-host host.docker.internal:host-gateway -e SABIR_URL=http://host.docker.internal:9000/stream -e SABIR_FROM=evolve -e SABIR_CLIENT=agui sabir",
  },
  { in: "docs/operations.md", command: "caddy validate --config deploy/caddy/Caddyfile --adapter caddyfile", why: "needs Caddy, which CI does not have" },
  {
    in: "docs/operations.md", why: "needs a cluster; .ci/run renders the chart by Helm's own library, and reads what comes by the types of Kubernetes",
    command: "helm install front deploy/helm/sabir --set image.repository=registry.example.com/sabir --set image.tag=v0.1.0 --values my-values.yaml",
  },
  { in: "docs/inspect.md", command: "cd conformance && node browser/inspect-load.mjs ../sabir", why: "measures for minutes what a busy machine falsifies, and judges nothing" },
  { in: "examples/usechat/README.md", command: 'examples/agent/.venv/bin/pip install "pydantic-ai-slim[openai]"', why: "for a real model, which needs a key" },
  { in: "examples/usechat/README.md", command: "MODEL=openai:gpt-5 OPENAI_API_KEY=… examples/usechat/run", why: "a real model needs a key" },
];
