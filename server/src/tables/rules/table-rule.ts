import type { RewrittenRows, WriteAttempt } from "../../rest/index.ts";
import type { WrittenRelation } from "../own-names.ts";
import type { Fault, Field, Row } from "../fields/field.ts";

/** What one of our tables asks of the rows that callers write. The database keeps all of it too; here each fault is named. */
export interface TableRule {
  readonly name: WrittenRelation;
  /** Columns that are not here are left to the database. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Needed in a new row. */
  readonly required: readonly string[];
  /** Needed in a new row from the service role, in whose place no user stands. */
  readonly requiredOfService: readonly string[];
  /** The service's own: what is sent for them is ignored, so that a row which was read can be sent back whole. */
  readonly ignored: readonly string[];
  /** Other names that a column is written by. */
  readonly aliases: Readonly<Record<string, string>>;
  /** What no single field can tell, on a new row. */
  checkNewRow(row: Row): readonly RowFault[];
  /** What is stored in place of rows that have passed all checks; null: the rows as they are. May throw an AppError. */
  rewrite(written: RewrittenRows, attempt: WriteAttempt): RewrittenRows | null;
}

export interface RowFault extends Fault {
  readonly field: string;
}

export type TableRuleParts = Pick<TableRule, "name" | "fields"> & Partial<TableRule>;

export function tableRule(parts: TableRuleParts): TableRule {
  return {
    required: [],
    requiredOfService: [],
    ignored: ["created_at"],
    aliases: {},
    checkNewRow: () => [],
    rewrite: () => null,
    ...parts,
  };
}
