import assert from "node:assert/strict";
import { test } from "node:test";
import { describeRun, ENDED_ONCE } from "../durability/run-nodes.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { openStopStage } from "./stop-stage.ts";

const ROUNDS = 5;
const WRITES = 100;

test("SIGHUP and SIGTERM under load fail no request of two workers that was sent, and their runs continue", {
  skip: process.platform === "win32" ? "SIGTERM ends a process at once" : false,
  ...SEVERAL_STARTS,
}, async (t) => {
  const { sql, runIds, growBy, replaceProcesses, stop, startAgain, follow, end } = await openStopStage(t);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await growBy(WRITES);
    await replaceProcesses();
    await growBy(WRITES);
    await stop();
    await startAgain(round < ROUNDS ? "slow" : "fast");
  }
  await follow();
  for (const runId of runIds) assert.deepEqual(await describeRun(sql, runId), ENDED_ONCE);
  await end();
});

test("SIGTERM under load fails no request of two workers that was sent, and releases their runs", {
  skip: process.platform === "win32" ? "SIGTERM ends a process at once" : false,
  ...SEVERAL_STARTS,
}, async (t) => {
  const { sql, runIds, growBy, stop, end } = await openStopStage(t);
  await growBy(5);
  await stop();
  await end();
  const { rows } = await sql.query(
    `select r.finished_at, l.owner from public.runs r join private.run_leases l on l.run_id = r.id where r.id = any($1)`,
    [runIds],
  );
  assert.deepEqual(
    rows,
    runIds.map(() => ({ finished_at: null, owner: null })),
  );
});
