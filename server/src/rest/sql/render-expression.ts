import type { JsonStep } from "../parse/parsed-request.ts";
import type { ColumnOf, Expression } from "../plan/plan.ts";
import { ONLY_COLUMN, type RowScope } from "./draft.ts";
import { quoteCast, quoteIdentifier, quoteLiteral, quoteName } from "./quote.ts";

export function renderExpression({ of, path, isJson, cast }: Expression, scope: RowScope): string {
  const column = renderColumn(of, scope);
  const isDocument = isJson || (scope.isRecord && of.kind === "column");
  const value = path.length === 0 ? column : renderPath(isDocument ? column : `pg_catalog.to_jsonb(${column})`, path);
  return cast === null ? value : `(${value})::${quoteCast(cast)}`;
}

/** The same, in a type with equality, for grouping. */
export function renderComparable(expression: Expression, scope: RowScope): string {
  const value = renderExpression(expression, scope);
  return isPlainJson(expression) ? `(${value})::jsonb` : value;
}

/** The same, for an operator. Members of a record without known columns are compared as text. */
export function renderOperand(expression: Expression, scope: RowScope): string {
  const { of, path, cast } = expression;
  const isMember = scope.isRecord && of.kind === "column" && path.length === 0 && cast === null;
  return isMember ? `(${scope.name}.${ONLY_COLUMN}->>${quoteLiteral(of.name)})` : renderExpression(expression, scope);
}

/** The same, for comparison operators, which the type json does not have. */
export function renderCompared(expression: Expression, scope: RowScope): string {
  const value = renderOperand(expression, scope);
  return isPlainJson(expression) ? `(${value})::jsonb` : value;
}

function renderColumn(of: ColumnOf, scope: RowScope): string {
  switch (of.kind) {
    case "column":
      if (scope.isRecord) return `(${scope.name}.${ONLY_COLUMN}->${quoteLiteral(of.name)})`;
      return `${scope.name}.${quoteIdentifier(of.name)}`;
    case "computed":
      return `${quoteName(of.function)}(${scope.row})`;
    case "scalar":
      return `${scope.name}.${ONLY_COLUMN}`;
  }
}

function renderPath(document: string, path: readonly JsonStep[]): string {
  return `(${document}${path.map(({ kind, key }) => kind + renderKey(key)).join("")})`;
}

function renderKey(key: string | number): string {
  // A minus sign would be parsed as part of the arrow.
  return typeof key === "string" ? quoteLiteral(key) : key < 0 ? `(${key})` : String(key);
}

function isPlainJson({ of, path, cast }: Expression): boolean {
  if (cast !== null) return quoteCast(cast) === `"json"`;
  return of.type?.category === "json" && path.at(-1)?.kind !== "->>";
}
