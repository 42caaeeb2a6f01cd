import type pg from "pg";
import { isWriteAttempt, type ReadAttempt, type WriteAttempt } from "../../rest/index.ts";
import type { Owners } from "../sql/owners.ts";
import type { TableRule } from "../rules/table-rule.ts";

export interface RejectedAttempt {
  readonly error: pg.DatabaseError;
  readonly attempt: ReadAttempt | WriteAttempt;
  /** The rejected row of a list; null when it is not known. */
  readonly rowIndex: number | null;
  /** Null for tables that callers only read. */
  readonly rule: TableRule | null;
  readonly owners: Owners;
}

/** A field in `details`, with the row before it where a list was sent. */
export function placeOf({ rowIndex, attempt }: RejectedAttempt, field: string): string {
  return rowIndex !== null && isWriteAttempt(attempt) && attempt.isArray ? `${rowIndex}.${field}` : field;
}
