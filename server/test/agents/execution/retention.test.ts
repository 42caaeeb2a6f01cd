import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openRunStage, type RunStage, says } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const DAY_OLD = "now() - interval '25 hours'";

/** A run that ended yesterday, and its idempotency key. */
async function addOldRun(): Promise<string> {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const runId = await stage.ask(swarm);
  await stage.node({ script: (call) => says(call, "hi") }).take(runId);
  await stage.end(runId);
  await stage.sql.query(`update public.runs set finished_at = ${DAY_OLD} where id = $1`, [runId]);
  await stage.sql.query(`update public.run_events set created_at = ${DAY_OLD} where run_id = $1`, [runId]);
  await stage.sql.query(
    `insert into private.idempotency_keys (user_id, key, request_hash, run_id, created_at)
     select user_id, id::text, '', id, ${DAY_OLD} from public.runs where id = $1`,
    [runId],
  );
  return runId;
}

async function count(table: string, runId: string): Promise<number> {
  const [row] = await stage.rows<{ count: number }>(`select count(*)::integer from ${table} where run_id = $1`, [
    runId,
  ]);
  return row?.count ?? 0;
}

test("idempotency keys are removed where events are kept", async () => {
  const runId = await addOldRun();
  const events = await count("public.run_events", runId);
  assert.ok(events > 0);
  stage.node({ executor: { times: { pruneMs: 10 }, eventRetentionHours: 0 } }).start();
  await until(async () => (await count("private.idempotency_keys", runId)) === 0, "the key is removed");
  assert.equal(await count("public.run_events", runId), events);
});

test("one pass removes all rows that are due, however many there are", async () => {
  const runId = await addOldRun();
  await stage.sql.query(
    `insert into public.run_events (run_id, swarm_id, seq, type, data, created_at)
     select r.id, r.swarm_id, 1000 + n, 'message.delta', '{}', ${DAY_OLD}
     from public.runs r, generate_series(1, 6000) n where r.id = $1`,
    [runId],
  );
  // The next pass would begin in an hour.
  stage.node({ executor: { times: { pruneMs: 3_600_000 } } }).start();
  await until(async () => (await count("public.run_events", runId)) === 0, "the events are removed");
});
