import assert from "node:assert/strict";
import type pg from "pg";
import { AppError } from "../../../src/errors/index.ts";
import type { RewrittenRows, TableRules, WriteAttempt } from "../../../src/rest/index.ts";
import { createTableRules } from "../../../src/tables/index.ts";

export const USER = "0192f5a0-0000-7000-8000-000000000001";
export const OTHER = "0192f5a0-0000-7000-8000-000000000002";

/** Validation of rows does not query the database. */
export const pureRules: TableRules = createTableRules({ pool: {} as pg.Pool });

export type Rows = Record<string, unknown> | readonly Record<string, unknown>[];
export type Operation = WriteAttempt["operation"];

export function attempt(
  table: string,
  operation: Operation,
  body: Rows,
  more: Partial<WriteAttempt> = {},
): WriteAttempt {
  // As the parser would read it: own keys only, whatever they are called.
  const parsed = JSON.parse(JSON.stringify(body)) as WriteAttempt["rows"][number] | WriteAttempt["rows"][number][];
  const isArray = Array.isArray(parsed);
  const rows = isArray ? parsed : [parsed];
  return {
    relation: { schema: "public", name: table },
    operation,
    rows,
    columns: Object.keys(rows[0] ?? {}),
    source: "json",
    isArray,
    pinnedId: null,
    principal: { role: "authenticated", userId: USER },
    ...more,
  };
}

/** The error, or the rewritten rows; null when the rows pass unchanged. */
export function check(written: WriteAttempt, rules: TableRules = pureRules): AppError | RewrittenRows | null {
  try {
    return rules.beforeWrite(written);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

export function passes(written: WriteAttempt, rules: TableRules = pureRules): void {
  const found = check(written, rules);
  if (found instanceof AppError) assert.fail(`rejected: ${found.message} ${JSON.stringify(found.extra.details)}`);
}

export function rejection(written: WriteAttempt, rules: TableRules = pureRules): AppError {
  const found = check(written, rules);
  if (!(found instanceof AppError)) return assert.fail(`passes: ${JSON.stringify(written.rows).slice(0, 200)}`);
  return found;
}

/** The places named by the error. */
export function placesOf({ extra: { details } }: AppError): string[] {
  return typeof details === "object" && details !== null ? Object.keys(details).toSorted() : [];
}
