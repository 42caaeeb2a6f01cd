import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { describeRun, ENDED_ONCE, prepareRunNodes } from "./run-nodes.ts";

/** Only a lease that was released can be taken over during the test. */
const LEASE_SECONDS = "600";

test("a run whose only node is stopped continues after the start of the next one", {
  skip: process.platform === "win32" ? "SIGTERM ends a process at once" : false,
  ...SEVERAL_STARTS,
}, async (t) => {
  const env = { AGENT_RUN_LEASE_SECONDS: LEASE_SECONDS, AGENT_RUN_STOP_TIMEOUT_MS: "0" };
  const { sql, startNode, ask, speaks, end } = await prepareRunNodes(t);
  const countRestarts = async (runId: string): Promise<number> => {
    const { rows } = await sql.query<{ count: number }>(
      "select count(*)::int as count from public.run_events where run_id = $1 and type = 'turn.restarted'",
      [runId],
    );
    return rows[0]?.count ?? 0;
  };
  const first = await startNode(2, env);
  const waitingId = await ask('/tool sleep {"seconds": 1}');
  const isWaiting = async (): Promise<boolean> =>
    (await sql.query("select 1 from public.runs where id = $1 and pending_waits is not null", [waitingId])).rowCount ===
    1;
  await until(isWaiting, "the run waits");
  const runId = await ask();
  await speaks(runId);
  assert.equal(await first.stop(), 0);
  assert.match(first.output(), /"event":"agents\.runs_released"/);
  // Nobody is there; the next start finds the run.
  const second = await startNode(200, env);
  await end(runId);
  assert.deepEqual(await describeRun(sql, runId), ENDED_ONCE);
  assert.equal(await countRestarts(runId), 1);
  await end(waitingId);
  assert.deepEqual(await describeRun(sql, waitingId), ENDED_ONCE);
  assert.equal(await second.stop(), 0);
});
