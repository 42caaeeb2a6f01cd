import type { Column, Relation } from "../catalogue/catalogue.ts";
import type { Condition, Operation } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import { getColumns } from "./write-columns.ts";

export interface PutFilter {
  readonly column: Column;
  readonly operation: Operation;
}

/** The filters of a PUT must be exactly the primary key. */
export function readPutFilters(relation: Relation, conditions: readonly Condition[]): readonly PutFilter[] {
  const filters = conditions.flatMap((condition) => {
    const isEquality =
      condition.kind === "filter" &&
      condition.field.path.length === 0 &&
      condition.operation.operator === "eq" &&
      condition.operation.quantifier === null &&
      !condition.operation.isNegated;
    return isEquality ? [{ name: condition.field.name, operation: condition.operation }] : [];
  });
  const named = new Set(filters.map(({ name }) => name));
  const isKey = named.size === relation.primaryKey.length && relation.primaryKey.every((name) => named.has(name));
  if (named.size === 0 || !isKey || filters.length < conditions.length) {
    throw restError("PGRST105", "Filters must include all and only primary key columns with 'eq' operators");
  }
  return filters.flatMap(({ name, operation }) =>
    getColumns(relation, [name]).map((column) => ({ column, operation })),
  );
}
