import type { Column, DataType, Relation } from "../catalogue/catalogue.ts";
import type { Field } from "../parse/parsed-request.ts";
import type { ColumnOf, Expression } from "./plan.ts";

/** What the fields of a node mean: the rows it reads. */
export interface Rows {
  /** Null when they are rows of no exposed relation, as those of a function can be. */
  readonly relation: Relation | null;
  /** Null when nothing is known of them. */
  readonly columns: ReadonlyMap<string, Column> | null;
}

export function planExpression(field: Field, rows: Rows, cast: string | null = null): Expression {
  const of = planColumn(field.name, rows);
  return { of, path: field.path, isJson: isJson(of.type), cast };
}

/** A name that nothing is known of stays: the database itself says that there is no such column. */
function planColumn(name: string, { relation, columns }: Rows): ColumnOf {
  const column = columns?.get(name);
  if (column !== undefined) return { kind: "column", name, type: column.type };
  const computed = relation?.computedFields.get(name);
  if (computed !== undefined) return { kind: "computed", function: computed.function, type: computed.type };
  return { kind: "column", name, type: null };
}

function isJson(type: DataType | null): boolean {
  return type?.category === "json" || type?.category === "jsonb";
}
