import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, changes, pinned, readings, require, required } from "./versions.mjs";

test("versions that could be pinned", () => {
  const all = pinned({ dependencies: { ws: "8.2.0", "ai-6": "npm:ai@6.0.9", "ai-6-strict": "npm:ai@6.0.1", "agui-client-0.0.59": "npm:@ag-ui/client@0.0.59" } });
  assert.deepEqual(all[1], { name: "ai-6", package: "ai", version: "6.0.9", line: "6" });
  assert.equal(all[3].package, "@ag-ui/client");
  const versions = ["6.0.9", "6.0.10", "6.1.0-beta.1", "7.0.0", "8.2.0", "8.10.0", "9.0.0"];
  assert.deepEqual(all.map((p) => candidates(p, versions, "8.10.0")), [["8.10.0"], ["6.0.10"], [], []]);
});

test("requirements", () => {
  const text = "# what judges\nopenai==3.54.0\npydantic-ai-slim[ag-ui]==2.68.0\n";
  assert.deepEqual(required(text).map((p) => [p.package, p.version]), [["openai", "3.54.0"], ["pydantic-ai-slim", "2.68.0"]]);
  assert.equal(require(text, "pydantic-ai-slim", "2.69.0"), text.replace("2.68.0", "2.69.0"));
});

test("what a client reads differently", () => {
  const before = readings("FAIL x\nok   ai 7.0.1: 12 of 12 readings understood\nok   ws: 3 of 3 readings understood\n");
  const after = readings("FAIL ai 7.0.2: 11 of 12 readings understood\nok   ws: 3 of 3 readings understood\n");
  assert.deepEqual(changes(before, after), ["ai: 12 of 12 → 11 of 12"]);
});
