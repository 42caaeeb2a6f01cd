import assert from "node:assert/strict";
import { test } from "node:test";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { describeRun, ENDED_ONCE, prepareRunNodes } from "./run-nodes.ts";

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
