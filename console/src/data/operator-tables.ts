import { type OperatorPage, useOperatorPages, useOperatorRead, useOperatorWrite } from "./operator.ts";
import type { Pages, ReadResult } from "./rows.ts";
import type { Write } from "./write.ts";

export interface ListedTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  /** By the statistics of the database; null when there are none. */
  readonly estimated_rows: string | null;
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly category: string;
  readonly is_nullable: boolean;
  readonly is_editable: boolean;
  readonly is_insertable: boolean;
  readonly choices: readonly string[];
  readonly references: { readonly schema: string; readonly table: string; readonly column: string } | null;
}

export interface DescribedTable extends ListedTable {
  readonly columns: readonly TableColumn[];
  readonly withheld: readonly string[];
  readonly key: readonly string[];
  readonly is_editable: boolean;
  readonly is_insertable: boolean;
}

/** Values are text, so that no digit is lost. */
export type TableRow = Readonly<Record<string, string | null>>;

export const FILTER_OPERATORS = ["eq", "neq", "contains", "gt", "gte", "lt", "lte", "null", "notnull"] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];
export type TableFilter = readonly [column: string, operator: FilterOperator, value: string];

export interface TableQuery {
  readonly filters: readonly TableFilter[];
  /** Empty: by the key. */
  readonly order: string;
  readonly isDescending: boolean;
}

interface TableName {
  readonly schema: string;
  readonly name: string;
}

const NOUN = "tables";

function pathOf({ schema, name }: TableName): string {
  return `/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`;
}

function toParameters({ filters, order, isDescending }: TableQuery): Record<string, string> {
  return {
    filters: filters.length === 0 ? "" : JSON.stringify(filters),
    order,
    direction: isDescending && order !== "" ? "desc" : "",
  };
}

export function useTables(): ReadResult<{ readonly tables: readonly ListedTable[] }> {
  return useOperatorRead("/tables");
}

export function useTable(table: TableName): ReadResult<DescribedTable> {
  return useOperatorRead(pathOf(table));
}

export function useTableRows(table: TableName, query: TableQuery): Pages<TableRow> {
  return useOperatorPages(`${pathOf(table)}/rows`, toParameters(query), readPage);
}

function readPage(body: { readonly rows: readonly TableRow[]; readonly next: string | null }): OperatorPage<TableRow> {
  return { rows: body.rows, next: body.next === null ? null : { after: body.next } };
}

interface CellChange {
  readonly key: TableRow;
  readonly column: string;
  readonly from: string | null;
  readonly to: string | null;
}

export function useEditCell(table: TableName): Write<CellChange, unknown> {
  return useOperatorWrite(NOUN, ({ key, column, from, to }) => ({
    method: "PATCH",
    path: `${pathOf(table)}/rows`,
    body: { key, changes: { [column]: { from, to } } },
  }));
}

export function useExportTable(table: TableName): Write<TableQuery, Blob> {
  return useOperatorWrite(
    "exports",
    (query) => {
      const set = Object.entries(toParameters(query)).filter(([, value]) => value !== "");
      return { method: "GET", path: `${pathOf(table)}/csv?${new URLSearchParams(set).toString()}` };
    },
    (response) => response.blob(),
  );
}

interface CsvImport {
  readonly text: string;
  /** Checks the rows and stores nothing. */
  readonly isTrial: boolean;
}

export function useImportTable(table: TableName): Write<CsvImport, { readonly rows: number }> {
  return useOperatorWrite(NOUN, ({ text, isTrial }) => ({
    method: "POST",
    path: `${pathOf(table)}/csv${isTrial ? "?trial=true" : ""}`,
    body: text,
  }));
}
