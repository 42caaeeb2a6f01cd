import type pg from "pg";
import { callRows } from "../../respond/sql/call-function.ts";

export interface SubscriberInput {
  /** Returned with the verdict. */
  readonly subscriber: number;
  readonly run_id: string;
  /** Null is the service role. */
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly inactivity_seconds: number;
}

export interface Verdict {
  readonly subscriber: number;
  /** Of the run. */
  readonly status: string;
  readonly is_manager: boolean;
  readonly agent_ids: readonly string[];
}

/** One verdict for each subscriber that may still read the run; the others are left out. */
export function checkSubscribers(pool: pg.Pool, subscribers: readonly SubscriberInput[]): Promise<Verdict[]> {
  return callRows(pool, {
    name: "respond-judge",
    text: "select subscriber, status, is_manager, agent_ids from private.check_stream_access($1::jsonb)",
    values: [JSON.stringify(subscribers)],
  });
}
