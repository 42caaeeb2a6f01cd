import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parseManifest } from "../../src/commands/archive/manifest.ts";
import { checkProviders } from "../../src/commands/doctor/check-surroundings.ts";
import { collectFindings } from "../../src/commands/doctor/finding.ts";
import { loadSettings } from "../../src/config/index.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

test("texts from a backup send no control characters to the terminal", () => {
  const manifest = {
    format: 1,
    version: "1.0.0",
    createdAt: "2026-11-15T00:00:00Z",
    postgresMajor: 18,
    hasMasterKey: true,
  };
  const parse = (more: object): unknown => parseManifest(JSON.stringify({ ...manifest, files: {}, ...more }));
  parse({});
  for (const odd of ["\u001b]0;owned\u0007", "1.0\n2.0", "", "x".repeat(65)]) {
    assert.throws(() => parse({ version: odd }), /incomplete/);
    assert.throws(() => parse({ createdAt: odd }), /incomplete/);
    assert.throws(() => parse({ version: odd, format: 2 }), /\(unknown\)/);
  }
});

test("doctor does not repeat a key from a file of providers that is no JSON", async (t) => {
  const file = join(await createTemporaryFolder(t, "swarmbase-doctor-"), "providers.json");
  const findings = collectFindings();
  for (const text of ['{"api_key": sk-live-0123456789}', "sk-live-0123456789", '{"a": "sk-live-0123456789" "b"}']) {
    await writeFile(file, text);
    checkProviders(loadSettings({ PROVIDERS_FILE: file }), { env: {}, protocols: [], stored: {} }, findings);
  }
  assert.deepEqual(
    findings.all.map(({ level }) => level),
    ["fault", "fault", "fault"],
  );
  assert.doesNotMatch(JSON.stringify(findings.all), /sk-live|0123/);
});
