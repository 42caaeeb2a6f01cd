import type pg from "pg";
import { createTestDatabase } from "../support/database.ts";
import { type RunningService, startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import type { Cleanup } from "../support/database.ts";
import { until } from "../support/until.ts";

export interface RunNodes {
  readonly sql: pg.Client;
  /** Starts a node that speaks slowly and loses a run within two seconds, unless `env` says otherwise. */
  startNode(tokensPerSecond: number, env?: Readonly<Record<string, string>>): Promise<RunningService>;
  /** Inserts a message and its queued run in a swarm of its own, whose agent can wait. Returns the id of the run. */
  ask(message?: string): Promise<string>;
  /** Waits until text of the run is stored. */
  speaks(runId: string): Promise<void>;
  end(runId: string): Promise<{ readonly status: string; readonly stop_reason: string }>;
}

/** Nodes with simulated models on one database. */
export async function prepareRunNodes(t: Cleanup): Promise<RunNodes> {
  const { adminUrl, masterKey, owner: sql } = await createTestDatabase(t);
  const { rows: people } = await sql.query<{ id: string }>(
    "insert into auth.users (email) values ('run-nodes@example.test') returning id",
  );
  const userId = people[0]?.id ?? "";
  return {
    sql,
    async startNode(tokensPerSecond, own = {}) {
      const dataDir = await createTemporaryFolder(t, "swarmbase-run-node-");
      const env = {
        DATABASE_URL: adminUrl,
        MASTER_KEY: masterKey,
        PROVIDER_A_KIND: "simulated",
        SIMULATED_TOKENS_PER_SECOND: String(tokensPerSecond),
        AGENT_RUN_LEASE_SECONDS: "2",
        ...own,
      };
      return await startService(t, { dataDir, env });
    },
    async ask(message = "tell me more ".repeat(10)) {
      const { rows } = await sql.query<{ id: string }>(
        `with swarm as (insert into public.swarms (owner_id, name) values ($1, 'swarm') returning id),
         agent as (insert into public.agents (user_id, name) values ($1, 'Ada') returning id),
         member as (insert into public.swarm_agents (swarm_id, agent_id) select swarm.id, agent.id from swarm, agent),
         tools as (insert into public.agent_tools (agent_id, tool_id) select agent.id, tool.id from agent, public.tools tool
                   where tool.name in ('sleep', 'wait_for_event')),
         message as (insert into public.messages (swarm_id, sender_type, sender_user_id, content)
                     select id, 'user', $1, $2 from swarm returning id, swarm_id),
         run as (insert into public.runs (swarm_id, user_id, message_id, strategy)
                 select swarm_id, $1, id, 'round_robin' from message returning id)
         insert into private.run_leases (run_id) select id from run returning run_id as id`,
        [userId, message],
      );
      return rows[0]?.id ?? "";
    },
    speaks: (runId) =>
      until(async () => {
        const { rows } = await sql.query(
          "select 1 from public.run_events where run_id = $1 and type = 'message.delta' limit 1",
          [runId],
        );
        return rows.length > 0;
      }, "text of the run is stored"),
    async end(runId) {
      let found: { status: string; stop_reason: string } | undefined;
      await until(async () => {
        const { rows } = await sql.query<{ status: string; stop_reason: string }>(
          "select status, stop_reason from public.runs where id = $1 and finished_at is not null",
          [runId],
        );
        [found] = rows;
        return found !== undefined;
      }, "the run has ended");
      return found ?? { status: "", stop_reason: "" };
    },
  };
}

/** What must hold for any run that continued elsewhere: one message, events up to its end, no lease. */
export async function describeRun(sql: pg.Client, runId: string): Promise<unknown> {
  const { rows } = await sql.query(
    `select r.status, r.stop_reason,
       (select count(*)::int from public.messages m where m.run_id = r.id and m.sender_type = 'agent') as messages,
       (select count(*)::int from public.run_turns t where t.run_id = r.id) as turns,
       (select count(*)::int from public.run_events e where e.run_id = r.id
          and e.seq > (select seq from public.run_events o where o.run_id = r.id and o.type = 'run.completed')) as late_events,
       (select owner from private.run_leases l where l.run_id = r.id) as owner
     from public.runs r where r.id = $1`,
    [runId],
  );
  return rows[0];
}

export const ENDED_ONCE = {
  status: "completed",
  stop_reason: "all_replied",
  messages: 1,
  turns: 1,
  late_events: 0,
  owner: null,
};
