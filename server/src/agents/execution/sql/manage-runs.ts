import type { Framework } from "@swarmbase/sdk";
import type pg from "pg";
import type { PartitionedTable } from "../../../db/index.ts";
import type { RunCapacity } from "../run-places.ts";
import { RUN_CHANNEL, WAITING } from "./node-sessions.ts";
import type { RunLease } from "../../writer/sql/advance-runs.ts";
import type { CancelReason } from "../../writer/steps.ts";

/** How long a run that was left waits for its next claim. */
const LEFT_MS = 5_000;
/** Each claim and each leave adds one: a run is left for 40 minutes at least. */
const MAX_LEFT_FENCE = 1_000;

type LeasedRun = Pick<RunLease, "runId" | "fence">;

export interface RenewedRun {
  readonly run_id: string;
  readonly is_lost: boolean;
  /** How long the lease is valid; null when there is none. */
  readonly held_ms: number | null;
  readonly cancel_reason: CancelReason | null;
  readonly swarm_status: string | null;
  /** False when the starter of the run may no longer start runs in the swarm. */
  readonly may_go_on: boolean;
  readonly gone_turn_ids: readonly string[];
}

/** Renews the leases of runs and returns what has changed about them. */
export async function renewRunLeases(
  pool: pg.Pool,
  runs: readonly LeasedRun[],
  leaseMs: number,
): Promise<RenewedRun[]> {
  const { rows } = await pool.query<RenewedRun>({
    name: "agents-keep-runs",
    text: `select run_id, is_lost, held_ms, cancel_reason, swarm_status, may_go_on, gone_turn_ids
           from private.renew_run_leases($1, $2, $3)`,
    values: [runs.map(({ runId }) => runId), runs.map(({ fence }) => fence), leaseMs],
  });
  return rows;
}

interface ClaimedRun {
  readonly runId: string;
  readonly fence: number;
  readonly userId: string | null;
  /** Of its agents; empty when no framework has a limit. */
  readonly frameworks: readonly Framework[];
}

export async function claimRuns(
  pool: pg.Pool,
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
  capacity: Omit<RunCapacity, "close">,
): Promise<ClaimedRun[]> {
  const { maxRuns, frameworks, maxRunsByFramework, maxRunsPerUser, users, maxRunsByUser } = capacity;
  const { rows } = await pool.query<{
    run_id: string;
    fence: string;
    user_id: string | null;
    frameworks: Framework[];
  }>("select run_id, fence, user_id, frameworks from private.claim_runs($1, $2, $3, $4, $5, $6, $7, $8)", [
    owner,
    leaseMs,
    maxRuns,
    frameworks,
    maxRunsByFramework,
    maxRunsPerUser,
    users,
    maxRunsByUser,
  ]);
  return rows.map((row) => ({
    runId: row.run_id,
    fence: Number(row.fence),
    userId: row.user_id,
    frameworks: row.frameworks,
  }));
}

/** The time until the next lease ends; 0 while a run waits for a node, and Infinity without runs. */
export async function selectNextClaimMs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ wait_ms: number | null }>({
    name: "agents-next-claim",
    text: `select case when exists (select 1 from public.runs r where r.status = 'queued' or r.can_continue) then 0
             else (select extract(epoch from min(l.expires_at) - now()) * 1000 from private.run_leases l) end::float8 as wait_ms`,
  });
  return rows[0]?.wait_ms ?? Number.POSITIVE_INFINITY;
}

/**
 * Ends the leases of a node that was lost, so that its runs need not wait until they expire. Leaves those alone that end after a time,
 * which a living node has renewed. Returns whether it ended any.
 */
export async function expireLeases(pool: pg.Pool, owner: string, upTo = "infinity"): Promise<boolean> {
  const { rowCount } = await pool.query(
    "update private.run_leases set expires_at = now() where owner = $1 and expires_at > now() and expires_at <= $2",
    [owner, upTo],
  );
  return (rowCount ?? 0) > 0;
}

/**
 * Gives up runs that this node executes, and has other nodes claim them. The new fence rejects a renewal that is still on its way.
 * Returns how many it held.
 */
export async function releaseRuns(pool: pg.Pool, runs: readonly LeasedRun[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `with released as (
       update private.run_leases l set owner = null, fence = l.fence + 1, expires_at = now()
       from unnest($1::uuid[], $2::bigint[]) as mine (id, fence)
       where l.run_id = mine.id and l.fence = mine.fence and l.expires_at is not null
       returning l.run_id)
     select count(*)::integer as count, pg_notify($3, $4) from released`,
    [runs.map(({ runId }) => runId), runs.map(({ fence }) => fence), RUN_CHANNEL, WAITING],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Leaves a run to a node of a newer release, which may claim it after a while. Ends the run's takeovers when none has done so for very long:
 * every claim uses up ids of events.
 */
export async function leaveRun(pool: pg.Pool, { runId, fence }: LeasedRun): Promise<void> {
  await pool.query(
    `update private.run_leases l
     set owner = null, fence = l.fence + 1, expires_at = now() + $3 * interval '1 millisecond',
       takeovers = case when l.fence < $4 then l.takeovers else 2 end
     where l.run_id = $1 and l.fence = $2 and l.expires_at is not null`,
    [runId, fence, LEFT_MS, MAX_LEFT_FENCE],
  );
}

interface Swept {
  /** The statuses of the runs that ended because their node was lost. */
  readonly ended: readonly string[];
  /** The number of tool calls that waited, and whose time is over. */
  readonly expired: number;
  /** Until the next of them; null means that none waits for a time. */
  readonly next_due_ms: number | null;
}

export async function sweepRuns(pool: pg.Pool, maxRows: number): Promise<Swept> {
  const { rows } = await pool.query<Swept>("select ended, expired, next_due_ms from private.sweep_runs($1)", [maxRows]);
  return rows[0] ?? { ended: [], expired: 0, next_due_ms: null };
}

/** Writes the statuses of agents that their runs have left for later. Returns how many changed. */
export async function settleAgentStatuses(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: "agents-settle-statuses",
    text: "select private.settle_agent_statuses() as count",
  });
  return rows[0]?.count ?? 0;
}

/** The events of runs, in partitions by the run. Those of a run that has not ended, or not long ago, must stay. */
export function describeEventPartitions(retentionHours: number): PartitionedTable {
  return {
    name: "public.run_events",
    selectNeeded: () =>
      `select exists (select 1 from public.runs r
         where r.id < $2 and r.id >= coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
           and (r.finished_at is null or r.finished_at > now() - ${retentionHours} * interval '1 hour')) as found`,
  };
}

/** Deletes the events of ended runs, unless `retentionHours` is null, and idempotency keys. Like the following, returns `maxRows` when more may be due. */
export function pruneRunRows(pool: pg.Pool, retentionHours: number | null, maxRows: number): Promise<number> {
  return prune(pool, "select private.prune_run_rows($1 * interval '1 hour', $2) as count", [retentionHours, maxRows]);
}

export function pruneModelCalls(pool: pg.Pool, retentionHours: number, maxRows: number): Promise<number> {
  return prune(pool, "select private.prune_model_calls($1 * interval '1 hour', $2) as count", [
    retentionHours,
    maxRows,
  ]);
}

/** Deletes the swarms of conversations that are not stored, a while after their runs have ended. */
export function deleteHiddenSwarms(pool: pg.Pool, retentionMs: number, maxRows: number): Promise<number> {
  return prune(pool, "select private.delete_hidden_swarms($1 * interval '1 millisecond', $2) as count", [
    retentionMs,
    maxRows,
  ]);
}

async function prune(pool: pg.Pool, statement: string, values: readonly (number | null)[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(statement, [...values]);
  return rows[0]?.count ?? 0;
}

/** The number of runs that have not ended, by status. A read for each index. */
export async function countLiveRuns(pool: pg.Pool): Promise<readonly { status: string; count: number }[]> {
  const { rows } = await pool.query<{ status: string; count: number }>(
    `select states.status, coalesce(live.count, 0)::float8 as count
     from unnest(array['queued', 'running', 'requires_action', 'waiting']) as states (status)
     left join (
       select 'queued' as status, count(*) from public.runs where status = 'queued'
       union all
       select status, count(*) from public.runs where status in ('requires_action', 'waiting') group by status
       union all
       select 'running', count(*) from public.runs where status = 'running'
     ) as live on live.status = states.status`,
  );
  return rows;
}
