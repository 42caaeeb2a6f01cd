import { AppError } from "swarmbase/extension";
import { noteValue } from "../note-value.ts";
import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { readText } from "../read-input.ts";
import { selectEstimates } from "../sql/select-estimates.ts";
import { renderCsvHeader, renderCsvRow } from "../tables/csv.ts";
import { getTable, listTables, type Table } from "../tables/describe-table.ts";
import { getComparableColumn, readFilters } from "../tables/filters.ts";
import { insertRows, readImport } from "../tables/import-csv.ts";
import { readRows, type RowsPage, type RowsWanted } from "../tables/read-rows.ts";
import { readRowChange, type RowChange, writeRow } from "../tables/write-row.ts";

const PATH = "/operator/v1/tables";
const TABLE_PATH = `${PATH}/:schema/:table`;
const PAGE_ROWS = 50;
const EXPORT_PAGE_ROWS = 500;
const MAX_EXPORTED_ROWS = 100_000;

const targetOf: NonNullable<OperatorRoute["target"]> = ({ params }) =>
  `tables/${params["schema"] ?? ""}.${params["table"] ?? ""}`;

export const tableRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: PATH, action: "tables.list", handler: list },
  { method: "GET", path: TABLE_PATH, action: "tables.describe", target: targetOf, handler: describe },
  { method: "GET", path: `${TABLE_PATH}/rows`, action: "tables.read", target: targetOf, handler: read },
  { method: "PATCH", path: `${TABLE_PATH}/rows`, action: "tables.edit", target: targetOf, handler: edit },
  {
    method: "GET",
    path: `${TABLE_PATH}/csv`,
    action: "tables.export",
    target: targetOf,
    isRead: false,
    handler: exportCsv,
  },
  {
    method: "POST",
    path: `${TABLE_PATH}/csv`,
    action: "tables.import",
    target: targetOf,
    isBodyRaw: true,
    handler: importCsv,
  },
];

function tableOf(params: OperatorRequest["params"], { catalogue, settings }: OperatorContext): Table {
  return getTable(catalogue(), params, settings.OPERATOR_READS_CONTENT);
}

/** The table of a request that reads rows. Says in the audit log which texts of conversations the operator reads. */
function openTable({ params, noteDetails }: OperatorRequest, context: OperatorContext): Table {
  const table = tableOf(params, context);
  const read = table.columns.filter(({ name }) => table.content.includes(name)).map(({ name }) => name);
  if (read.length > 0) noteDetails({ content: read });
  return table;
}

async function list(_request: OperatorRequest, { catalogue, database, settings }: OperatorContext) {
  const tables = listTables(catalogue(), settings.OPERATOR_READS_CONTENT);
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  const estimates = await database.asService((run) => selectEstimates(run, schemas));
  const rowsOf = new Map(estimates.map(({ schema, name, rows }) => [JSON.stringify([schema, name]), rows]));
  return {
    body: {
      tables: tables.map(({ schema, name, kind }) => ({
        schema,
        name,
        kind,
        estimated_rows: rowsOf.get(JSON.stringify([schema, name])) ?? null,
      })),
    },
  };
}

async function describe({ params }: OperatorRequest, context: OperatorContext) {
  const table = tableOf(params, context);
  const estimates = await context.database.asService((run) => selectEstimates(run, [table.schema]));
  const own = estimates.find(({ name }) => name === table.name);
  return { body: { ...table, estimated_rows: own?.rows ?? null } };
}

async function read(request: OperatorRequest, context: OperatorContext) {
  const table = openTable(request, context);
  const { query } = request;
  const wanted = { ...readWanted(table, query), after: query["after"], limit: PAGE_ROWS };
  return { body: await readRows(context, table, wanted) };
}

function readWanted(table: Table, query: OperatorRequest["query"]): Pick<RowsWanted, "filters" | "order"> {
  const order = readText(query["order"], "order");
  return {
    filters: readFilters(table, query["filters"]),
    order:
      order === null
        ? null
        : { column: getComparableColumn(table, order, "order"), isDescending: query["direction"] === "desc" },
  };
}

async function edit(request: OperatorRequest, context: OperatorContext) {
  const table = openTable(request, context);
  const change = readRowChange(table, request.body);
  request.noteDetails({ key: change.key, ...describeChange(table, change) });
  await writeRow(context, table, change);
  const filters = table.columns
    .filter(({ name }) => table.key.includes(name))
    .map((column) => ({ column, operator: "eq" as const, value: change.key[column.name] ?? "" }));
  const { rows } = await readRows(context, table, { filters, order: null, after: undefined, limit: 1 });
  return { body: { row: rows[0] ?? null } };
}

/** Texts of conversations are named only. */
function describeChange({ content }: Table, { changes }: RowChange) {
  return {
    changed: changes.map(({ column }) => column.name),
    changes: Object.fromEntries(
      changes
        .filter(({ column }) => !content.includes(column.name))
        .map(({ column, from, to }) => [column.name, [noteValue(from), noteValue(to)]]),
    ),
  };
}

async function exportCsv(request: OperatorRequest, context: OperatorContext) {
  const table = openTable(request, context);
  const { query, signal } = request;
  const wanted = { ...readWanted(table, query), limit: EXPORT_PAGE_ROWS };
  // A failure of the first read still has a status.
  const first = await readRows(context, table, { ...wanted, after: undefined });
  const file = `${table.schema}.${table.name}`.replaceAll(/[^\w.-]/g, "_");
  return {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${file}.csv"`,
    },
    stream: writeCsv(table, first, (after) => (signal.aborted ? null : readRows(context, table, { ...wanted, after }))),
  };
}

async function* writeCsv(
  { columns }: Table,
  first: RowsPage,
  /** Null when nobody reads any more. */
  readNext: (after: string) => Promise<RowsPage> | null,
): AsyncGenerator<string, void, void> {
  yield renderCsvHeader(columns);
  let written = 0;
  for (let page: RowsPage | null = first; page !== null; ) {
    yield page.rows.map((row) => renderCsvRow(columns, row)).join("");
    written += page.rows.length;
    page = page.next === null || written >= MAX_EXPORTED_ROWS ? null : await readNext(page.next);
  }
}

async function importCsv({ params, query, body, noteDetails }: OperatorRequest, context: OperatorContext) {
  const table = tableOf(params, context);
  if (!table.is_insertable) throw new AppError("FORBIDDEN", `${table.name} accepts no rows`);
  const isTrial = query["trial"] === "true";
  const { columns, rows } = readImport(table, body);
  noteDetails({ columns, rows: rows.length, is_trial: isTrial });
  await insertRows(context, table, rows, isTrial);
  return { status: isTrial ? 200 : 201, body: { rows: rows.length, is_trial: isTrial } };
}
