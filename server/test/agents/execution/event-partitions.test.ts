import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { describeEventPartitions } from "../../../src/agents/execution/sql/manage-runs.ts";
import { keepPartitions } from "../../../src/db/index.ts";
import { openStage } from "../../schema/support/stage.ts";
import { joinPartitions } from "../../support/join-partitions.ts";
import { silentObserver } from "../../support/silent-observer.ts";

const HOUR_MS = 3_600_000;
const opened = openStage();

test("the events of a run stay until it has ended, and their partition is then dropped as a whole", async (t) => {
  const { stage } = opened;
  const pool = new pg.Pool({ connectionString: stage.database.url("sb_service") });
  t.after(() => pool.end());
  const { owner, ownerUrl } = stage.database;
  const user = await stage.newUser();
  const swarmId = await stage.newSwarm(user);
  await joinPartitions(owner, "run_events");
  for (const hours of [40, 30, -10])
    await owner.query(
      "select private.close_last_partition('public.run_events', private.get_first_id(now() - $1 * interval '1 hour'))",
      [hours],
    );
  /** A run with one event, started that many hours ago. */
  const addRun = async (hours: number, status: string): Promise<string> => {
    const { rows } = await owner.query<{ id: string }>(
      `with added as (
         insert into public.runs (id, swarm_id, user_id, strategy, status, stop_reason, finished_at)
         select private.get_first_id(t.at), $1, $2, 'parallel', $3, case when $3 = 'completed' then 'all_replied' end,
           case when $3 = 'completed' then t.at end
         from (select now() - $4 * interval '1 hour' as at) as t returning id, swarm_id)
       insert into public.run_events (run_id, seq, swarm_id, type, data) select id, 1, swarm_id, 'run.started', '{}' from added
       returning run_id as id`,
      [swarmId, user, status, hours],
    );
    return rows[0]?.id ?? "";
  };
  const [ended, waiting] = [await addRun(45, "completed"), await addRun(35, "requires_action")];
  const keep = (): Promise<void> =>
    keepPartitions(
      { pool, ownerUrl, observer: silentObserver, minBytes: Number.POSITIVE_INFINITY },
      describeEventPartitions(24),
      24 * HOUR_MS,
    );
  const listRuns = async (): Promise<string[]> =>
    (await owner.query<{ run_id: string }>("select run_id from public.run_events order by 1")).rows.map(
      ({ run_id }) => run_id,
    );
  assert.deepEqual(await listRuns(), [ended, waiting]);
  await keep();
  assert.deepEqual(await listRuns(), [waiting]);
  await owner.query(
    "update public.runs set status = 'completed', stop_reason = 'all_replied', finished_at = now() where id = $1",
    [waiting],
  );
  await keep();
  assert.deepEqual(await listRuns(), [waiting], "streams can replay it");
  await owner.query("update public.runs set finished_at = now() - interval '25 hours' where id = $1", [waiting]);
  await keep();
  assert.deepEqual(await listRuns(), []);
});
