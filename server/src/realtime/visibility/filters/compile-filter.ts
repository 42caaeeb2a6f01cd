import pg from "pg";
import {
  type Compare,
  IS_STATES,
  isState,
  type OperandType,
  OPERATORS,
  renderOperation,
} from "../../../operators/index.ts";
import type { ColumnType, TypeForm } from "../../feed/column-type.ts";
import type { ReadColumn } from "../../feed/read-column.ts";
import type { FilterTerm } from "./parse-change-filter.ts";

const TIME = /^(\d+)-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:\+00)?)?( BC)?$/;

const FAR = 2n ** 70n;

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

/** Returns null when only the database can evaluate the term. */
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

/** How the texts that PostgreSQL writes for values of a type compare. */
function operandTypeOf(form: TypeForm): OperandType {
  const compare = orderOf(form);
  if (isEqualAsText(form)) return { kind: form.kind, compare, isEqual: (left, right) => left === right };
  return { kind: form.kind, compare, isEqual: compare && ((left, right) => compare(left, right) === 0) };
}

function orderOf(form: TypeForm): Compare | null {
  switch (form.kind) {
    case "number":
      return compareDecimals;
    case "float":
      return compareFloats;
    case "timestamp":
    case "date":
      return (left, right) => compareKeys(toTimeKey(left), toTimeKey(right));
    case "boolean":
    case "uuid":
      return compareKeys;
    case "enum": {
      const positions = new Map(form.labels.map((label, index) => [label, index]));
      return (left, right) => (positions.get(left) ?? -1) - (positions.get(right) ?? -1);
    }
    // The order of texts depends on their collation; of the others nothing is known.
    case "text":
    case "json":
    case "array":
    case "composite":
    case "other":
      return null;
  }
}

/** Values are equal exactly when PostgreSQL writes the same text for them. */
function isEqualAsText(form: TypeForm): boolean {
  return ["boolean", "timestamp", "date", "uuid", "text", "enum"].includes(form.kind);
}

function compareKeys<T extends string | number | bigint>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Exact for any number of digits. As in PostgreSQL, NaN is greater than everything else. */
function compareDecimals(left: string, right: string): number {
  if (left === right) return 0;
  const [leftRank, rightRank] = [rankSpecial(left), rankSpecial(right)];
  if (leftRank !== rightRank) return leftRank - rightRank;
  if (leftRank !== 0) return 0;
  const scale = Math.max(countDecimals(left), countDecimals(right));
  return compareKeys(toScaled(left, scale), toScaled(right, scale));
}

function rankSpecial(text: string): number {
  if (text === "NaN") return 2;
  if (text === "Infinity") return 1;
  return text === "-Infinity" ? -1 : 0;
}

function countDecimals(text: string): number {
  const point = text.indexOf(".");
  return point === -1 ? 0 : text.length - point - 1;
}

function toScaled(text: string, scale: number): bigint {
  return BigInt(text.replace(".", "") + "0".repeat(scale - countDecimals(text)));
}

/** As in PostgreSQL, NaN equals itself and is greater than infinity. */
function compareFloats(left: string, right: string): number {
  const [a, b] = [Number(left), Number(right)];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return compareKeys(a, b);
}

/** A number that orders times as microseconds do. Both sides are in UTC. */
function toTimeKey(text: string): bigint {
  const match = TIME.exec(text);
  if (match === null) return text.startsWith("-") ? -FAR : FAR;
  const [, years = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", bc] = match;
  const year = bc === undefined ? Number(years) : 1 - Number(years);
  const days = ((BigInt(year) * 12n + BigInt(month)) * 31n + BigInt(day)) * 86_400n;
  const seconds = days + BigInt(hour) * 3600n + BigInt(minute) * 60n + BigInt(second);
  return seconds * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
}
