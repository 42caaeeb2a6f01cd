import type { Query } from "swarmbase/extension";

interface ScheduleRow {
  readonly id: string;
  readonly user_id: string;
  readonly agent_id: string | null;
  readonly swarm_id: string | null;
  readonly message: string;
  readonly conversation: "own" | "new";
  readonly cron: string | null;
  readonly time_zone: string;
  readonly run_at: Date | null;
  readonly enabled: boolean;
  /** Text, as PostgreSQL sends numbers of this size. */
  readonly max_tokens: string | null;
  readonly max_cost_usd: string | null;
  readonly when_running: "skip" | "queue";
  readonly when_missed: "skip" | "last";
  readonly jitter_seconds: number;
  readonly pause_after_failures: number;
  readonly next_run_at: Date | null;
  readonly due_at: Date | null;
  readonly waiting: "limit" | "run" | "service" | null;
  /** Infinite until the run in progress has ended, which the driver reads and writes as a number. */
  readonly retry_at: Date | number | null;
  readonly open_run_id: string | null;
  readonly last_outcomes: readonly ScheduleOutcome[];
  readonly failures: number;
  readonly paused_reason: string | null;
  readonly api_key_id: string | null;
}

export interface ScheduleOutcome {
  /** Null means that it was started by hand. */
  readonly due_at: string | null;
  readonly at: string;
  /** Of a run that has started, its status once it has ended. */
  readonly outcome: string;
  readonly run_id?: string;
  readonly swarm_id?: string;
  readonly code?: string;
  readonly message?: string;
}

/** What the service changes of a schedule. */
export type ScheduleChange = Pick<
  ScheduleRow,
  | "enabled"
  | "next_run_at"
  | "due_at"
  | "waiting"
  | "retry_at"
  | "open_run_id"
  | "failures"
  | "paused_reason"
  | "last_outcomes"
>;

export interface LockedSchedule extends ScheduleRow {
  /** The time of the database, which all nodes share. */
  readonly now: Date;
}

const LOCK = "select s.*, now() as now from ext_schedules.lock_schedule($1, $2) as s where s.id is not null";

/** Returns null when it is gone, or without `waits` another transaction holds it. */
export async function lockSchedule(query: Query, id: string, waits = false): Promise<LockedSchedule | null> {
  const [row] = await query<LockedSchedule>(LOCK, [id, waits]);
  return row ?? null;
}

const CHANGE = `
  update public.schedules set enabled = $2, next_run_at = $3, due_at = $4, waiting = $5, retry_at = $6, open_run_id = $7,
    failures = $8, paused_reason = $9, last_outcomes = $10 where id = $1`;

export async function changeSchedule(query: Query, id: string, change: ScheduleChange): Promise<void> {
  const { enabled, next_run_at, due_at, waiting, retry_at, open_run_id, failures, paused_reason } = change;
  const outcomes = JSON.stringify(change.last_outcomes);
  await query(CHANGE, [
    id,
    enabled,
    next_run_at,
    due_at,
    waiting,
    retry_at,
    open_run_id,
    failures,
    paused_reason,
    outcomes,
  ]);
}
