import type { OperatorContext } from "../operator-route.ts";
import { invalidCsv, parseCsv } from "./csv.ts";
import type { Table } from "./describe-table.ts";
import { getColumn } from "./filters.ts";
import { parseValue } from "./values.ts";
import { writeAsService } from "./write-as-service.ts";

const MAX_ROWS = 5000;

interface ImportedRows {
  /** Columns of the header. */
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Rows as the body of a write. Columns that are missing get their defaults. */
export function readImport(table: Table, bytes: unknown): ImportedRows {
  const [header, ...lines] = parseCsv(decode(bytes));
  if (header === undefined || lines.length === 0) throw invalidCsv("it needs a header and a row");
  if (lines.length > MAX_ROWS) throw invalidCsv(`it has more than ${MAX_ROWS} rows`);
  const columns = header.map((name) => getColumn(table, name, "the header"));
  if (new Set(columns).size < columns.length) throw invalidCsv("a column is repeated");
  const fixed = columns.find((column) => !column.is_insertable);
  if (fixed !== undefined) throw invalidCsv(`${fixed.name} accepts no value`);
  const rows = lines.map((line, index) => {
    if (line.length !== columns.length)
      throw invalidCsv(`row ${index + 1} has ${line.length} of ${columns.length} cells`);
    return Object.fromEntries(columns.map((column, place) => [column.name, parseValue(column, line[place] ?? null)]));
  });
  return { columns: columns.map(({ name }) => name), rows };
}

/** All rows or none. A trial stores nothing. */
export async function insertRows(context: OperatorContext, table: Table, rows: ImportedRows["rows"], isTrial: boolean) {
  await writeAsService(context, {
    method: "POST",
    path: `/${encodeURIComponent(table.name)}`,
    headers: { "content-profile": table.schema, prefer: "return=minimal" },
    body: rows,
    isTrial,
  });
}

function decode(bytes: unknown): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes instanceof Uint8Array ? bytes : new Uint8Array());
  } catch {
    throw invalidCsv("it is not UTF-8");
  }
}
