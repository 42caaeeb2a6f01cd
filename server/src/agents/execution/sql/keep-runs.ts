import type { Framework } from "@swarmbase/sdk";
import type pg from "pg";
import type { StartedRun } from "../executor.ts";
import type { ClaimCapacity } from "../run-places.ts";

export interface KeptRun {
  readonly run_id: string;
  readonly is_lost: boolean;
  readonly cancel_reason: "cancelled" | "interrupted" | "disconnected" | null;
  readonly swarm_status: string | null;
  /** False when the starter of the run may no longer start runs in the swarm. */
  readonly may_go_on: boolean;
  readonly gone_turn_ids: readonly string[];
}

export async function keepRuns(pool: pg.Pool, runs: readonly StartedRun[], leaseMs: number): Promise<KeptRun[]> {
  const { rows } = await pool.query<KeptRun>({
    name: "agents-keep-runs",
    text: `select run_id, is_lost, cancel_reason, swarm_status, may_go_on, gone_turn_ids
           from private.renew_run_leases($1, $2, $3)`,
    values: [runs.map(({ runId }) => runId), runs.map(({ fence }) => fence), leaseMs],
  });
  return rows;
}

export interface ClaimedRun {
  readonly runId: string;
  readonly fence: number;
  /** Of its agents; empty where no framework has a bound. */
  readonly frameworks: readonly Framework[];
}

export async function claimRuns(
  pool: pg.Pool,
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
  { maxRuns, frameworks, rooms }: Pick<ClaimCapacity, "maxRuns" | "frameworks" | "rooms">,
): Promise<ClaimedRun[]> {
  const { rows } = await pool.query<{ run_id: string; fence: string; frameworks: Framework[] }>(
    "select run_id, fence, frameworks from private.claim_runs($1, $2, $3, $4, $5)",
    [owner, leaseMs, maxRuns, frameworks, rooms],
  );
  return rows.map((row) => ({ runId: row.run_id, fence: Number(row.fence), frameworks: row.frameworks }));
}

export interface Swept {
  /** How the runs are now whose node was lost. */
  readonly ended: readonly string[];
  /** Calls of tools that nobody approved in time. */
  readonly denied: number;
}

export async function sweepRuns(pool: pg.Pool, maxRows: number): Promise<Swept> {
  const { rows } = await pool.query<Swept>("select ended, denied from private.sweep_runs($1)", [maxRows]);
  return rows[0] ?? { ended: [], denied: 0 };
}

export async function pruneRunRows(pool: pg.Pool, retentionHours: number, maxRows: number): Promise<number> {
  const { rows } = await pool.query<{ pruned: number }>(
    "select private.prune_run_rows($1 * interval '1 hour', $2) as pruned",
    [retentionHours, maxRows],
  );
  return rows[0]?.pruned ?? 0;
}
