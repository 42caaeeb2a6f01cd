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
  const { sql, runIds, growBy, replaceWorkers, stop, startAgain, follow, end } = await openStopStage(t);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await growBy(WRITES);
    await replaceWorkers();
    await growBy(WRITES);
    await stop();
    await startAgain(round < ROUNDS ? "slow" : "fast");
  }
  await follow();
  for (const runId of runIds) assert.deepEqual(await describeRun(sql, runId), ENDED_ONCE);
  await end();
});
