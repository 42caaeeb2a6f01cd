import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { endProcesses, listProcessTree } from "../support/process-tree.ts";
import { startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { fillDataDir } from "../support/used-data-dir.ts";
import { SEVERAL_STARTS, WAIT_MS } from "../support/wait-limit.ts";

const RUNS = 20;
const ENV = {
  PROVIDER_A_KIND: "simulated",
  SIMULATED_TOKENS_PER_SECOND: "100",
  // Longer than the test waits: the next node notices that the session of the first one has ended.
  AGENT_RUN_LEASE_SECONDS: "600",
};

/** One swarm per run, each with two agents that answer in parallel. */
const PREPARE = `
  with people as (insert into auth.users (email) values ('kill-runs@example.test') returning id),
  swarms as (insert into public.swarms (owner_id, name, strategy)
            select id, 'swarm ' || n, 'parallel' from people, generate_series(1, ${RUNS}) as n returning id, owner_id, name),
  speakers as (insert into public.agents (user_id, name)
               select p.id, format('agent %s of swarm %s', k, n)
               from people p, generate_series(1, ${RUNS}) as n, generate_series(1, 2) as k returning id, name)
  select r.id as swarm_id, r.owner_id, array_agg(s.id) as agent_ids
  from swarms r join speakers s on s.name like '% of ' || r.name group by 1, 2`;

interface Swarm {
  readonly swarm_id: string;
  readonly owner_id: string;
  readonly agent_ids: readonly string[];
}

test("kill -9 during twenty runs loses none: they continue after the restart, with one whole message for each turn", {
  skip: process.platform === "linux" ? false : "reads the process tree from /proc",
  ...SEVERAL_STARTS,
}, async (t) => {
  const dataDir = await createTemporaryFolder(t, "swarmbase-kill-runs-");
  await fillDataDir(dataDir);
  // Slow enough that the first run still streams when the last one starts.
  const first = await startService(t, { dataDir, env: { ...ENV, SIMULATED_TOKENS_PER_SECOND: "2" } });
  const before = await connect(first.credentials.database_url);
  const { rows: swarms } = await before.query<Swarm>(PREPARE);
  // With a budget, each call holds a reservation.
  await before.query("update public.user_settings set daily_token_budget = 1000000");
  for (const swarm of swarms) await startRun(before, swarm);
  await until(before, `select count(*) = ${2 * RUNS} as is_so from public.agents where status = 'responding'`);
  await until(before, `select count(*) = ${2 * RUNS} as is_so from private.budget_reservations`);
  await until(
    before,
    `select count(distinct data ->> 'turn_id') = ${2 * RUNS} as is_so from public.run_events where type = 'message.delta'`,
  );
  // Deltas are committed asynchronously: wait until those written so far are flushed; later ones may be lost.
  const { rows: written } = await before.query<{ lsn: string }>("select pg_current_wal_insert_lsn() as lsn");
  await until(before, `select pg_current_wal_flush_lsn() >= '${written[0]?.lsn}' as is_so`);
  endProcesses(await listProcessTree(first.pid), "SIGKILL");
  await first.exited;
  await before.end().catch(() => {});

  const second = await startService(t, { dataDir, env: ENV });
  const after = await connect(second.credentials.database_url);
  t.after(() => after.end());
  await until(after, "select bool_and(stop_reason is not null) as is_so from public.runs");
  const { rows: found } = await after.query(
    `select (select count(*)::int from public.runs) as runs,
       (select count(*)::int from public.runs where stop_reason <> 'all_replied' or status <> 'completed') as odd_runs,
       (select count(*)::int from public.agents where status <> 'idle') as busy_agents,
       (select count(*)::int from public.run_turns where status in ('queued', 'thinking', 'responding')) as live_turns,
       (select count(*)::int from private.run_leases where owner is not null) as held_leases,
       (select count(*)::int from private.budget_reservations) as held_budgets,
       (select count(*)::int from public.messages where sender_type = 'agent' and finish_reason <> 'stop') as cut_messages,
       (select count(distinct data ->> 'turn_id')::int from public.run_events where type = 'turn.restarted') as restarted,
       (select count(*)::int from public.run_turns where not estimated) as exact_usage,
       (select count(*)::int from public.messages where sender_type = 'agent') as messages`,
  );
  const none = { odd_runs: 0, busy_agents: 0, live_turns: 0, held_leases: 0, held_budgets: 0, cut_messages: 0 };
  // The usage includes an estimate for the lost calls.
  assert.deepEqual(found, [{ runs: RUNS, messages: 2 * RUNS, restarted: 2 * RUNS, exact_usage: 0, ...none }]);

  // A new run in the same swarm succeeds.
  const [swarm] = swarms;
  assert.ok(swarm !== undefined);
  await startRun(after, swarm);
  await until(after, "select bool_and(stop_reason is not null) as is_so from public.runs");
  const { rows: last } = await after.query(
    "select status, stop_reason from public.runs order by queued_at desc limit 1",
  );
  assert.deepEqual(last, [{ status: "completed", stop_reason: "all_replied" }]);
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Inserts a message and a queued run, as a stored message in a swarm with automatic answers does. */
async function startRun(
  client: pg.Client,
  { swarm_id: swarmId, owner_id: ownerId, agent_ids: agentIds }: Swarm,
): Promise<void> {
  await client.query(
    "insert into public.swarm_agents (swarm_id, agent_id) select $1, unnest($2::uuid[]) on conflict do nothing",
    [swarmId, agentIds],
  );
  await client.query(
    `with message as (insert into public.messages (swarm_id, sender_type, sender_user_id, content)
                   values ($1, 'user', $2, repeat('tell me more ', 10)) returning id),
     run as (insert into public.runs (swarm_id, user_id, message_id, strategy)
               select $1, $2, id, 'parallel' from message returning id)
     insert into private.run_leases (run_id) select id from run`,
    [swarmId, ownerId],
  );
}

async function until(client: pg.Client, query: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const { rows } = await client.query<{ is_so: boolean | null }>(query);
    if (rows[0]?.is_so === true) return;
    if (Date.now() > deadline) throw new Error(`timed out waiting until: ${query}`);
    await delay(50);
  }
}
