import assert from "node:assert/strict";
import { test } from "node:test";
import { runInBackground } from "../../src/processes/index.ts";

const ENV = { PATH: process.env["PATH"] ?? "" };

test("a command in the background resolves with its exit code and its output", async () => {
  const { signal } = new AbortController();
  const version = await runInBackground({ args: ["version"], env: ENV, signal });
  assert.equal(version.code, 0);
  assert.match(version.output, /\d+\.\d+\.\d+/);
  const unknown = await runInBackground({ args: ["unknown"], env: ENV, signal });
  assert.equal(unknown.code, 2);
  assert.match(unknown.output, /Unknown command "unknown"/);
});

test("a command in the background whose signal aborts at once ends, and one whose signal has aborted does not start", async () => {
  const stopping = new AbortController();
  const running = runInBackground({ args: ["version"], env: ENV, signal: stopping.signal });
  stopping.abort();
  await running;
  await assert.rejects(runInBackground({ args: ["version"], env: ENV, signal: stopping.signal }), {
    name: "AbortError",
  });
});
