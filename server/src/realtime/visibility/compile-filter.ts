import pg from "pg";
import type { ColumnType } from "../feed/column-type.ts";
import { type Compare, isEqualAsText, orderOf } from "./compare-values.ts";
import { compileLike } from "./match-like.ts";
import type { FilterOperator, FilterTerm } from "./parse-filter.ts";
import type { ReadColumn } from "./row-image.ts";

/** A filter as rows are held against it. */
export interface RowFilter {
  /** A column and the text that it must have, for finding the filter by the row. */
  readonly key: { readonly column: string; readonly value: string } | null;
  /** Whether the row passes what can be said here. With `isLenient`, values that are not known count as passing. */
  passes(read: ReadColumn, isLenient: boolean): boolean;
  /** The rest, as a condition over the row for the database; null when there is none. */
  readonly condition: string | null;
  readonly conditionColumns: readonly string[];
  /** All that it asks for. */
  readonly columns: readonly string[];
}

type Test = (value: string | null) => boolean;

const OPERATORS: Readonly<Record<Exclude<FilterOperator, "in" | "is">, string>> = {
  eq: "=",
  neq: "<>",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
  like: "~~",
  ilike: "~~*",
  match: "~",
  imatch: "~*",
  isdistinct: "is distinct from",
};

/** Terms whose values the database has written in its own way. */
export function compileFilter(terms: readonly FilterTerm[], types: ReadonlyMap<string, ColumnType>): RowFilter {
  const tests: { column: string; test: Test }[] = [];
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

/** Null: for the database to say. */
function compileTerm({ operator, values, isNegated }: FilterTerm, { form }: ColumnType): Test | null {
  const [value = ""] = values;
  const order = orderOf(form);
  const isSame =
    order === null ? (isEqualAsText(form) ? (left: string, right: string) => left === right : null) : equalBy(order);
  // Of a null nothing is true, not even that it is not so.
  const known =
    (test: (text: string) => boolean): Test =>
    (text) =>
      text !== null && test(text) !== isNegated;
  switch (operator) {
    case "eq":
      return isSame && known((text) => isSame(text, value));
    case "neq":
      return isSame && known((text) => !isSame(text, value));
    case "in":
      // Nothing is in an empty list, a null neither.
      if (values.length === 0) return () => isNegated;
      return isSame && known((text) => values.some((one) => isSame(text, one)));
    case "isdistinct":
      return isSame && ((text) => (text === null || !isSame(text, value)) !== isNegated);
    case "lt":
      return order && known((text) => order(text, value) < 0);
    case "lte":
      return order && known((text) => order(text, value) <= 0);
    case "gt":
      return order && known((text) => order(text, value) > 0);
    case "gte":
      return order && known((text) => order(text, value) >= 0);
    case "like":
    case "ilike": {
      const test = form.kind === "text" ? compileLike(value, operator === "ilike") : null;
      return test && known(test);
    }
    case "is":
      return compileIs(value.toLowerCase(), isNegated);
    // An expression of somebody else's must not be able to hold up this process.
    case "match":
    case "imatch":
      return null;
  }
}

function compileIs(value: string, isNegated: boolean): Test {
  const wanted = value === "true" ? "t" : value === "false" ? "f" : null;
  return (text) => (text === wanted) !== isNegated;
}

function equalBy(order: Compare): (left: string, right: string) => boolean {
  return (left, right) => order(left, right) === 0;
}

function renderCondition({ column, operator, values, isNegated }: FilterTerm, sqlName: string): string {
  const name = pg.escapeIdentifier(column);
  const isPattern = ["like", "ilike", "match", "imatch"].includes(operator);
  const literal = (value: string): string => pg.escapeLiteral(value) + (isPattern ? "" : `::${sqlName}`);
  const condition =
    operator === "in"
      ? `${name} in (${values.map(literal).join(", ")})`
      : operator === "is"
        ? `${name} is ${values[0] ?? "null"}`
        : `${name} ${OPERATORS[operator]} ${literal(values[0] ?? "")}`;
  return `(${isNegated ? "not " : ""}(${condition}))`;
}
