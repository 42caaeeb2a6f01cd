import { invalidField } from "../read-input.ts";
import { findMask } from "./core-columns.ts";
import type { Table, TableColumn } from "./describe-table.ts";
import { quoteName, quoteText } from "./values.ts";

const FILTER_OPERATORS = ["eq", "neq", "gt", "gte", "lt", "lte", "contains", "null", "notnull"] as const;
type FilterOperator = (typeof FILTER_OPERATORS)[number];

export interface Filter {
  readonly column: TableColumn;
  readonly operator: FilterOperator;
  readonly value: string;
}

const MAX_FILTERS = 10;
const MAX_VALUE = 1000;

/** The parameter `filters`: a JSON list of column, operator, value. */
export function readFilters(table: Table, text: string | undefined): readonly Filter[] {
  if (text === undefined || text === "") return [];
  const sent = parseList(text);
  if (sent === null || sent.length > MAX_FILTERS)
    throw invalidField("filters", `must be a JSON list of at most ${MAX_FILTERS} filters`);
  return sent.map((filter) => {
    const [name, operator, value = ""] = Array.isArray(filter) ? (filter as unknown[]) : [];
    const column = getComparableColumn(table, name, "filters");
    const known = FILTER_OPERATORS.find((candidate) => candidate === operator);
    if (known === undefined) throw invalidField("filters", `have an operator of ${FILTER_OPERATORS.join(", ")}`);
    if (typeof value !== "string" || value.length > MAX_VALUE || value.includes("\u0000") || !value.isWellFormed())
      throw invalidField("filters", `have values of at most ${MAX_VALUE} characters`);
    return { column, operator: known, value };
  });
}

/** Throws for a column that does not exist or is withheld, so that nobody learns about a value by comparing it. */
export function getColumn(table: Table, name: unknown, field: string): TableColumn {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw invalidField(field, `name a column that ${table.name} does not show`);
  return column;
}

/** For a filter or an order, which would also compare the parts of a column that are not shown. */
export function getComparableColumn(table: Table, name: unknown, field: string): TableColumn {
  const column = getColumn(table, name, field);
  if (findMask(table, column.name) !== null)
    throw invalidField(field, `name a column that ${table.name} shows only in part`);
  return column;
}

export function renderFilter({ column, operator, value }: Filter): string {
  const name = quoteName(column.name);
  switch (operator) {
    case "null":
      return `${name}.is.null`;
    case "notnull":
      return `${name}.not.is.null`;
    case "contains":
      return `${name}.ilike.${quoteText(`%${value.replaceAll(/[\\%_]/g, "\\$&")}%`)}`;
    default:
      return `${name}.${operator}.${quoteText(value)}`;
  }
}

function parseList(text: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
