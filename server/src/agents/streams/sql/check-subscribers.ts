import type pg from "pg";
import { callRows } from "../../rejections/call-function.ts";

export interface SubscriberInput {
  /** The number of the subscriber, returned with its state. */
  readonly subscriber: number;
  readonly run_id: string;
  /** Null is the service role. */
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly inactivity_seconds: number;
}

export interface SubscriberState {
  readonly subscriber: number;
  /** Of the run. */
  readonly status: string;
  readonly is_manager: boolean;
  readonly agent_ids: readonly string[];
}

/** Returns the state of each subscriber that may still read its run, and omits the others. */
export function checkSubscribers(pool: pg.Pool, inputs: readonly SubscriberInput[]): Promise<SubscriberState[]> {
  return callRows(pool, {
    name: "respond-check-access",
    text: "select subscriber, status, is_manager, agent_ids from private.check_stream_access($1::jsonb)",
    values: [JSON.stringify(inputs)],
  });
}
