import type pg from "pg";
import type { Outcome } from "../outcome.ts";

export interface AttemptRecord extends Outcome {
  readonly deliveryId: string;
  readonly claim: string;
  /** Its number, over all rounds. */
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

/** What became of a webhook by the outcomes of its deliveries. */
export interface RecordedRow {
  readonly kind: "disabled" | "failing";
  readonly id: string;
  readonly reason: string | null;
}

/** One transaction. A record whose claim is no longer held is passed over. */
export async function recordOutcomes(
  pool: pg.Pool,
  records: readonly AttemptRecord[],
  rule: DisableRule,
): Promise<RecordedRow[]> {
  const { rows } = await pool.query<RecordedRow>({
    name: "webhooks-record",
    text: `select kind, id, reason
     from private.record_webhook_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    values: [
      toArrayText(records.map((record) => record.deliveryId)),
      toArrayText(records.map((record) => record.claim)),
      toArrayText(records.map((record) => record.attempt)),
      toArrayText(records.map((record) => record.status)),
      toArrayText(records.map((record) => record.statusCode)),
      records.map((record) => record.responseBody),
      toArrayText(records.map((record) => record.isTruncated)),
      toTextArray(records.map((record) => record.errorCode)),
      toTextArray(records.map((record) => record.error)),
      toArrayText(records.map((record) => record.responseTimeMs)),
      records.map((record) => record.url),
      toArrayText(records.map((record) => record.retryDelayMs)),
      toArrayText(records.map((record) => record.pauseMs)),
      toArrayText(records.map((record) => record.shouldDisable)),
      rule.failingDays,
      rule.minFailures,
      rule.warnAfterDays,
    ],
  });
  return rows;
}

/** Where nothing went wrong there is nothing to quote. */
function toTextArray(values: readonly (string | null)[]): string | readonly (string | null)[] {
  return values.every((value) => value === null) ? toArrayText(values) : values;
}

/** For values that need no quotes, which the driver would look for in every one of them. */
function toArrayText(values: readonly (string | number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? "null").join(",")}}`;
}
