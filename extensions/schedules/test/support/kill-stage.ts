import assert from "node:assert/strict";
import pg from "pg";
import { type Cleanup, createTestDatabase } from "../../../../server/test/support/database.ts";
import { type RunningService, startService } from "../../../../server/test/support/service.ts";
import { createTemporaryFolder } from "../../../../server/test/support/temporary-folder.ts";
import { until } from "../../../../server/test/support/until.ts";

export interface KillOptions {
  readonly nodes: number;
  readonly kills: number;
  /** Schedules that become due between two kills. */
  readonly perKill: number;
  /** Over which time they become due. */
  readonly overMs: number;
}

/** A third of the runs wait in the middle for a time, a third for an event that never comes. */
const MESSAGES = ["Say hello.", '/tool sleep {"seconds": 2}', '/tool wait_for_event {"name": "never", "seconds": 3}'];

/** Nodes on one database are killed, one after the other, while schedules are due, and runs of others wait. */
export async function startThroughKills(t: Cleanup, { nodes, kills, perKill, overMs }: KillOptions): Promise<void> {
  // What was opened last is closed first.
  const closers: (() => Promise<void>)[] = [];
  const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  t.after(async () => {
    for (const close of closers) await close();
  });
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const sql = new pg.Client({ connectionString: DATABASE_URL });
  await sql.connect();
  cleanup.after(() => sql.end());
  const env = {
    DATABASE_URL,
    MASTER_KEY,
    EXTENSIONS: "schedules",
    PROVIDER_A_KIND: "simulated",
    AGENT_RUN_LEASE_SECONDS: "3",
  };
  const start = async (): Promise<RunningService> =>
    startService(cleanup, { dataDir: await createTemporaryFolder(cleanup, "swarmbase-schedules-"), env });
  const running = await Promise.all(Array.from({ length: nodes }, start));
  await insertPeople(sql);
  for (let round = 0; round < kills; round += 1) {
    await insertSchedules(sql, perKill, overMs);
    const wanted = round * perKill + Math.ceil((perKill / 2) * Math.random());
    await until(async () => (await countRuns(sql)) >= wanted, "some of the schedules are started");
    const killed = running.shift();
    await killed?.stop("SIGKILL");
    running.push(await start());
  }
  const open = "select 1 from public.schedules where enabled or open_run_id is not null";
  await until(async () => (await sql.query(open)).rowCount === 0, "every schedule is done");
  const { rows } = await sql.query(
    `select s.id, s.last_outcomes -> 0 ->> 'outcome' as outcome, jsonb_array_length(s.last_outcomes) as outcomes,
       (select count(*)::int from public.runs r where r.cause ->> 'id' = s.id::text) as runs,
       (select count(*)::int from public.runs r join public.tool_executions x on x.run_id = r.id and x.status = 'succeeded'
         where r.cause ->> 'id' = s.id::text) - (s.message like '/tool %')::int as more_waits,
       (select count(*)::int from public.runs r join public.messages m on m.swarm_id = r.swarm_id and m.sender_type = 'user'
         where r.cause ->> 'id' = s.id::text) as messages
     from public.schedules s`,
  );
  assert.equal(rows.length, kills * perKill);
  const expected = { outcome: "completed", outcomes: 1, runs: 1, messages: 1, more_waits: 0 };
  for (const { id, ...counts } of rows) assert.deepEqual(counts, expected, String(id));
}

async function countRuns(sql: pg.Client): Promise<number> {
  const { rows } = await sql.query<{ count: number }>("select count(*)::int as count from public.runs");
  return rows[0]?.count ?? 0;
}

async function insertPeople(sql: pg.Client): Promise<void> {
  await sql.query(
    `insert into auth.users (id, email)
     select gen_random_uuid(), 'person' || n || '@example.test' from generate_series(1, 3) as n`,
  );
  await sql.query("insert into public.agents (user_id, name) select id, 'Ann' from auth.users");
  await sql.query(
    `insert into public.agent_tools (agent_id, user_id, tool_id) select a.id, a.user_id, t.id from public.agents a, public.tools t
     where t.owner_id is null and t.name in ('sleep', 'wait_for_event')`,
  );
}

/** Of each person in turn, once each, at times from now on. */
async function insertSchedules(sql: pg.Client, count: number, overMs: number): Promise<void> {
  await sql.query(
    `insert into public.schedules (user_id, name, agent_id, message, run_at)
     select a.user_id, 'once', a.id, ($3::text[])[1 + n / 3 % 3], now() + $2 * random() * interval '1 millisecond'
     from generate_series(1, $1) as n
     join (select id, user_id, row_number() over (order by id) as place from public.agents) as a
       on a.place = n % 3 + 1`,
    [count, overMs, MESSAGES],
  );
}
