import type pg from "pg";
import type { Outcome } from "../outcome.ts";

export interface AttemptRecord extends Outcome {
  readonly deliveryId: string;
  readonly claim: string;
  /** The number of the attempt over all rounds. */
  readonly attempt: number;
  readonly url: string;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly isTruncated: boolean;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly responseTimeMs: number;
}

export interface DisableRule {
  readonly failingDays: number;
  readonly minFailures: number;
  readonly warnAfterDays: number;
}

/** The effect of the outcomes on a webhook. */
export interface RecordedRow {
  readonly kind: "disabled" | "failing";
  readonly id: string;
  readonly reason: string | null;
}

/** Writes all records in one transaction, except those whose claim is no longer held. */
export async function recordOutcomes(
  pool: pg.Pool,
  records: readonly AttemptRecord[],
  rule: DisableRule,
): Promise<RecordedRow[]> {
  const { rows } = await pool.query<RecordedRow>({
    name: "webhooks-record",
    text: `select kind, id, reason
     from private.record_webhook_attempts(
       records => $1, failing_days => $2, min_failures => $3, warn_after_days => $4)`,
    values: [JSON.stringify(records.map(toRow)), rule.failingDays, rule.minFailures, rule.warnAfterDays],
  });
  return rows;
}

/** Leaves out what is null or false: PostgreSQL parses every member of a record. */
function toRow(record: AttemptRecord) {
  return {
    delivery_id: record.deliveryId,
    claim: record.claim,
    attempt: record.attempt,
    status: record.status,
    status_code: record.statusCode ?? undefined,
    response_body: record.responseBody ?? undefined,
    response_truncated: record.isTruncated || undefined,
    error_code: record.errorCode ?? undefined,
    error: record.error ?? undefined,
    response_time_ms: record.responseTimeMs,
    url: record.url,
    retry_delay_ms: record.retryDelayMs ?? undefined,
    pause_ms: record.pauseMs ?? undefined,
    should_disable: record.shouldDisable || undefined,
  };
}
