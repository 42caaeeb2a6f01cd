import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningService } from "../support/service.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { describeRun, ENDED_ONCE, prepareRunNodes } from "./run-nodes.ts";

const ROUNDS = 8;
const RUNS = 10;
const PAUSE_MS = 60_000;

test("runs survive nodes that are killed and paused for a minute, round after round", {
  skip: process.platform === "win32" ? "needs SIGSTOP" : false,
  timeout: SEVERAL_STARTS.timeout * 4,
}, async (t) => {
  const { sql, startNode, ask, speaks, end } = await prepareRunNodes(t);
  let nodes: RunningService[] = [await startNode(10), await startNode(10)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const runs = await Promise.all(Array.from({ length: RUNS }, ask));
    await Promise.all(runs.map(speaks));
    const [victim, other] = nodes;
    assert.ok(victim !== undefined && other !== undefined);
    if (round % 4 === 3) {
      process.kill(victim.pid, "SIGSTOP");
      await sleep(PAUSE_MS);
      process.kill(victim.pid, "SIGCONT");
      nodes = [other, victim];
    } else {
      process.kill(victim.pid, "SIGKILL");
      nodes = [other, await startNode(10)];
    }
    await Promise.all(runs.map(end));
    for (const runId of runs) assert.deepEqual(await describeRun(sql, runId), ENDED_ONCE, `round ${round}`);
  }
  for (const node of nodes) assert.equal(await node.stop(), 0);
});
