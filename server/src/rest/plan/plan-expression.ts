import { insufficientScopeError } from "../../db/index.ts";
import type { Column, DataType, Relation } from "../catalogue/catalogue.ts";
import type { FieldPath } from "../parse/parsed-request.ts";
import type { ColumnOf, Expression } from "./plan.ts";

/** The rows that a node reads, by which its fields are resolved. */
export interface Rows {
  /** Null when the rows belong to no exposed relation. */
  readonly relation: Relation | null;
  /** Null when they are unknown. */
  readonly columns: ReadonlyMap<string, Column> | null;
}

export function planExpression(field: FieldPath, rows: Rows, cast: string | null = null): Expression {
  const of = planColumn(field.name, rows);
  return { of, path: field.path, isJson: isJson(of.type), cast };
}

/** Keeps an unknown name: the database reports that there is no such column. */
function planColumn(name: string, { relation, columns }: Rows): ColumnOf {
  const column = columns?.get(name);
  const hidden = relation?.hiddenColumns;
  const computed = relation?.computedFields.get(name);
  // PostgreSQL resolves a name that is no column as the call of a function with the whole row.
  const isUnknown = column === undefined && computed === undefined;
  if (hidden !== undefined && (isUnknown || hidden.has(name))) throw insufficientScopeError("secrets", {});
  if (column !== undefined) return { kind: "column", name, type: column.type };
  if (computed !== undefined) return { kind: "computed", function: computed.function, type: computed.type };
  return { kind: "column", name, type: null };
}

function isJson(type: DataType | null): boolean {
  return type?.category === "json" || type?.category === "jsonb";
}
