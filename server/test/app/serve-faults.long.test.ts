import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/until.ts";
import { closeAfter, isAlive, makeDataDir, makeUsedDataDir, runProgram } from "./program.ts";

test("stopped while it starts: nothing is left running", async (t) => {
  const dataDir = await makeDataDir(t);
  const program = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir } });
  const { pid } = await program.waitFor("embedded.started");
  assert.deepEqual(await program.stop(), { code: 0, signal: null });
  assert.equal(isAlive(Number(pid)), false);
});

test("an unexpected fault is logged with its stack, the database is stopped, and the exit code is 1", async (t) => {
  const faults = ['throw new Error("boom")', 'Promise.reject(new Error("boom"))'];
  for (const fault of faults) {
    const dataDir = await makeUsedDataDir(t);
    const preload = `process.on("SIGUSR2", () => { ${fault} })`;
    const program = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir }, preload });
    await program.waitFor("service.started");
    const { pid } = await program.waitFor("embedded.started");
    assert.deepEqual(await program.stop("SIGUSR2"), { code: 1, signal: null });
    const crashed = await program.waitFor("service.crashed");
    assert.equal(crashed["level"], "fatal");
    assert.match(JSON.stringify(crashed["error"]), /boom.*stack/);
    assert.equal(isAlive(Number(pid)), false);
  }
});

test("a second signal does not wait for a stop that hangs", async (t) => {
  const dataDir = await makeUsedDataDir(t);
  const program = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir } });
  await program.waitFor("service.started");
  const pid = Number((await program.waitFor("embedded.started"))["pid"]);
  closeAfter(t, async () => {
    if (isAlive(pid)) process.kill(pid, "SIGCONT");
  });
  process.kill(pid, "SIGSTOP");
  program.child.kill("SIGTERM");
  await program.waitFor("service.stopping");
  // Signals that come together are taken for one wish; a person who presses again takes a moment.
  await sleep(1_500);
  // A stop that came to its end would answer 0.
  assert.deepEqual(await program.stop("SIGTERM"), { code: 143, signal: null });
  process.kill(pid, "SIGCONT");
  await until(() => !isAlive(pid), "PostgreSQL has ended");
});
