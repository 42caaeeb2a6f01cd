import type { RewrittenRows, WriteAttempt } from "../../rest/index.ts";
import type { Fault, Field, Row } from "../fields/field.ts";

/** Validation rules of a table for rows that callers write. The database enforces them too; here each fault gets a message. */
export interface TableRule {
  readonly name: string;
  /** Other columns are left to the database. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Required in a new row. */
  readonly required: readonly string[];
  /** Required in a new row of the service role, which has no user id. */
  readonly requiredOfService: readonly string[];
  /** Managed by the service: values are ignored, so that a row can be sent back as it was read. */
  readonly ignored: readonly string[];
  /** Alternative names of columns. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Whether the checks depend on the catalogue of the database. */
  readonly isByCatalogue: boolean;
  /** The rows with what the service fills in before the checks. */
  fill(written: RewrittenRows, attempt: WriteAttempt): RewrittenRows;
  /** Checks a new row across its fields. */
  checkNewRow(row: Row): readonly RowFault[];
  /** The rows to store after all checks; null means that they are unchanged. May throw an AppError. */
  rewrite(written: RewrittenRows, attempt: WriteAttempt): RewrittenRows | null;
}

export interface RowFault extends Fault {
  readonly field: string;
}

export function rowFault(field: string, message: string, path = ""): readonly RowFault[] {
  return [{ field, path, message, code: null }];
}

type TableRuleOptions = Pick<TableRule, "name" | "fields"> & Partial<TableRule>;

export function tableRule(options: TableRuleOptions): TableRule {
  return {
    required: [],
    requiredOfService: [],
    ignored: ["created_at"],
    aliases: {},
    isByCatalogue: false,
    fill: (written) => written,
    checkNewRow: () => [],
    rewrite: () => null,
    ...options,
  };
}
