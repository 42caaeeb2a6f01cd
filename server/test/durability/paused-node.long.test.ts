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

test("a run continues on another node when its own is paused and when it is killed; the paused one writes nothing more", {
  skip: process.platform === "win32" ? "needs SIGSTOP" : false,
  ...SEVERAL_STARTS,
}, async (t) => {
  const { sql, startNode, ask, speaks, end } = await prepareRunNodes(t);
  const slow = await startNode(2);
  const paused = await ask();
  await speaks(paused);
  const quick = await startNode(200);
  process.kill(slow.pid, "SIGSTOP");
  await end(paused);
  const before = await describeRun(sql, paused);
  assert.deepEqual(before, ENDED_ONCE);
  process.kill(slow.pid, "SIGCONT");
  assert.equal(await quick.stop(), 0);

  // The paused node goes on and takes the next run; it loses that one by kill -9.
  const killed = await ask();
  await speaks(killed);
  assert.deepEqual(await describeRun(sql, paused), ENDED_ONCE);
  process.kill(slow.pid, "SIGKILL");
  const last = await startNode(200);
  await end(killed);
  assert.deepEqual(await describeRun(sql, killed), ENDED_ONCE);
  assert.equal(await last.stop(), 0);
});
