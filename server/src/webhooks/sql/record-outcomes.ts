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

/** Errors are rare: a list of nulls needs no quoting. */
function toTextArray(values: readonly (string | null)[]): string | readonly (string | null)[] {
  return values.every((value) => value === null) ? toArrayText(values) : values;
}

/** For values that need no quoting, which the driver would check for each of them. */
function toArrayText(values: readonly (string | number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? "null").join(",")}}`;
}
