import type pg from "pg";
import type { ReadAttempt, WriteAttempt } from "../../rest/index.ts";
import type { Owners } from "../owners.ts";
import type { TableRule } from "../rules/table-rule.ts";

export interface Refusal {
  readonly error: pg.DatabaseError;
  readonly attempt: ReadAttempt | WriteAttempt;
  /** Null for tables that callers only read. */
  readonly rule: TableRule | null;
  readonly owners: Owners;
}

export function isWrite(attempt: ReadAttempt | WriteAttempt): attempt is WriteAttempt {
  return "operation" in attempt;
}
