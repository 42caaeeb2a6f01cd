import pg from "pg";
import { IS_STATES, isState, OPERATORS, renderOperation } from "../../../operators/index.ts";
import type { ColumnType } from "../../feed/column-type.ts";
import type { ReadColumn } from "../../feed/read-column.ts";
import { isEqualAsText, operandTypeOf } from "./compare-values.ts";
import type { FilterTerm } from "./parse-change-filter.ts";

/** A filter, compiled for testing changed rows. */
export interface RowFilter {
  /** A column and the text that it must have, so that the filter is found by the row. */
  readonly key: { readonly column: string; readonly value: string } | null;
  /** Applies the tests that need no database. With `isLenient`, a value that is not known passes. */
  passes(read: ReadColumn, isLenient: boolean): boolean;
  /** The other terms, as a condition that the database evaluates; null when there are none. */
  readonly condition: string | null;
  readonly conditionColumns: readonly string[];
  /** Of all terms. */
  readonly columns: readonly string[];
}

/** The database has written the operands in its canonical form. */
export function compileFilter(terms: readonly FilterTerm[], types: ReadonlyMap<string, ColumnType>): RowFilter {
  const tests: { column: string; test: (value: string | null) => boolean }[] = [];
  const conditions: string[] = [];
  const conditionColumns: string[] = [];
  let key: RowFilter["key"] = null;
  for (const term of terms) {
    const type = types.get(term.column);
    const test = type === undefined ? () => false : compileTerm(term, type);
    if (test === null) {
      conditions.push(renderCondition(term, type?.sqlName ?? "text"));
      conditionColumns.push(term.column);
      continue;
    }
    tests.push({ column: term.column, test });
    const [value] = term.values;
    if (key === null && value !== undefined && type !== undefined && term.operator === "eq" && !term.isNegated)
      if (isEqualAsText(type.form)) key = { column: term.column, value };
  }
  return {
    key,
    passes: (read, isLenient) =>
      tests.every(({ column, test }) => {
        const value = read(column);
        return value === undefined ? isLenient : test(value);
      }),
    condition: conditions.length === 0 ? null : conditions.join(" and "),
    conditionColumns,
    columns: terms.map(({ column }) => column),
  };
}

/** Null: only the database can evaluate the term. */
function compileTerm(
  { operator, values, isNegated }: FilterTerm,
  { form }: ColumnType,
): ((value: string | null) => boolean) | null {
  const test = OPERATORS[operator].realtime?.(values, operandTypeOf(form)) ?? null;
  if (test === null) return null;
  return (value) => {
    const truth = test(value);
    return truth !== null && truth !== isNegated;
  };
}

function renderCondition(term: FilterTerm, sqlName: string): string {
  const { column, operator, isNegated } = term;
  const name = pg.escapeIdentifier(column);
  // The type json has no operators of its own.
  const [left, type] = sqlName === "json" ? [`${name}::jsonb`, "jsonb"] : [name, sqlName];
  const condition = renderOperation(operator, null, { left, right: renderOperand(term, type) });
  return `(${isNegated ? "not " : ""}(${condition}))`;
}

function renderOperand({ operator, values }: FilterTerm, type: string): string {
  const [value = ""] = values;
  switch (OPERATORS[operator].operand) {
    case "list":
      return `values ${values.map((element) => `(${pg.escapeLiteral(element)}::${type})`).join(",")}`;
    case "state":
      return isState(value) ? IS_STATES[value] : "null";
    case "value":
      return `${pg.escapeLiteral(value)}::${type}`;
    case "pattern":
    case "regex":
    case "search":
      return pg.escapeLiteral(value);
  }
}
