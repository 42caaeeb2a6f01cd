import type { Bounds, Field, PresentValue, Row } from "../fields/field.ts";
import { fault, FINE, nullable, valueOf } from "../fields/field.ts";
import { jsonObject, list } from "../fields/json-field.ts";
import { BIGINT_MAX, boolean, INTEGER_MAX, integer, number, timestamp } from "../fields/plain-fields.ts";
import { choice, text } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { type RowFault, rowFault, type TableRule, tableRule } from "./table-rule.ts";

/** A table that an extension adds to `public`, for the checks of rows that callers write. */
export interface AddedTable {
  readonly name: string;
  /** The column of the user who owns a row: the caller's id by default, and required from the service role. */
  readonly ownerColumn: string;
  /** Those that callers write. Constraints of the table are named `<table>_<column>_<rule>`, so that an error names the column. */
  readonly columns: Readonly<Record<string, AddedColumn>>;
  /** Columns that the extension manages: values are ignored, so that a row can be sent back as it was read. */
  readonly managed: readonly string[];
  /** What is wrong with a new row as a whole, by column. */
  findRowFaults?(row: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
}

export interface AddedColumn {
  readonly type: "text" | "integer" | "bigint" | "number" | "boolean" | "timestamp" | "uuid" | "list" | "object";
  /** Of a number, of the characters of a text, of the texts of a list, or of the bytes of an object as JSON. */
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly isNullable?: boolean;
  /** In a new row. */
  readonly isRequired?: boolean;
  /** What is wrong with a value that is neither null nor out of bounds; follows the name of the column. */
  findFault?(value: unknown): string | null;
}

export function addedRule({ name, ownerColumn, columns, managed, findRowFaults }: AddedTable): TableRule {
  const entries = Object.entries(columns);
  const fields = entries.map(([column, description]) => [column, toField(description)] as const);
  return tableRule({
    name,
    fields: { id: uuid(), [ownerColumn]: uuid(), ...Object.fromEntries(fields) },
    required: entries.filter(([, { isRequired }]) => isRequired).map(([column]) => column),
    requiredOfService: [ownerColumn],
    ignored: ["created_at", "updated_at", ...managed],
    checkNewRow: (row) => toRowFaults(columns, row, findRowFaults),
  });
}

function toRowFaults(
  columns: AddedTable["columns"],
  row: Row,
  findRowFaults: AddedTable["findRowFaults"],
): readonly RowFault[] {
  const written = Object.fromEntries(Object.keys(columns).map((column) => [column, valueOf(row, column) ?? null]));
  const faults = Object.entries(findRowFaults?.(written) ?? {});
  return faults.flatMap(([column, message]) => rowFault(column, message));
}

function toField(description: AddedColumn): Field {
  const { isNullable = false, findFault } = description;
  const plain = toPlainField(description);
  const check = (value: PresentValue): ReturnType<Field["check"]> => {
    const faults = plain.check(value);
    const message = faults.length > 0 ? null : (findFault?.(value) ?? null);
    return message === null ? faults : fault(message);
  };
  const field = { ...plain, check };
  return isNullable ? nullable(field) : field;
}

function toPlainField({ type, min = 0, max, choices }: AddedColumn): Field {
  const within = (largest: number): Bounds => ({ min, max: max ?? largest });
  switch (type) {
    case "text":
      return choices === undefined ? text(within(Number.POSITIVE_INFINITY)) : choice(choices);
    case "integer":
      return integer(within(INTEGER_MAX));
    case "bigint":
      return integer(within(BIGINT_MAX));
    case "number":
      return number(within(Number.MAX_VALUE));
    case "boolean":
      return boolean();
    case "timestamp":
      return timestamp();
    case "uuid":
      return uuid();
    case "object":
      return jsonObject(max ?? Number.POSITIVE_INFINITY);
    case "list":
      return list((items) => {
        if (items.some((item) => typeof item !== "string")) return fault("must be an array of strings");
        return max !== undefined && items.length > max ? fault(`must have at most ${max} entries`) : FINE;
      });
  }
}
