import { AppError, type ExtensionCore, readRows } from "swarmbase/extension";
import type { ExportedTable, RowFilter } from "./exported-tables.ts";

export type Row = Readonly<Record<string, unknown>>;

/** The tables as the caller, and the id of the caller. */
export interface AccountReader {
  readonly core: Pick<ExtensionCore, "rest">;
  readonly userId: string;
  readonly tables: Readonly<Record<string, ExportedTable>>;
}

type Conditions = readonly [string, string][];

/** What a page has about, so that it bounds the memory of an export: a row can have several megabytes. */
const PAGE_BYTES = 2_097_152;
const FIRST_PAGE_ROWS = 8;
const MAX_PAGE_ROWS = 100;

/** The rows of a table that belong to the user, page by page. No page is empty. */
export async function* readPages(
  reader: AccountReader,
  name: string,
  select = "*",
): AsyncGenerator<readonly Row[], void, void> {
  const { key, filters } = getTable(reader, name);
  const page: Conditions = [
    ["select", select],
    ["order", key.join(",")],
  ];
  let limit = FIRST_PAGE_ROWS;
  for (const filter of filters) {
    for await (const conditions of findConditions(reader, filter)) {
      let last: Row | undefined;
      for (;;) {
        const after: Conditions = last === undefined ? [] : [["or", renderAfter(key, last)]];
        const query = new URLSearchParams([...conditions, ...after, ...page, ["limit", String(limit)]]);
        const rows = await readRows<Row>(reader.core, `/${name}`, query).catch((error: unknown) => {
          if (limit > 1 && error instanceof AppError && error.code === "RESPONSE_TOO_LARGE") return null;
          throw error;
        });
        if (rows === null) {
          limit = Math.ceil(limit / 4);
          continue;
        }
        last = rows.at(-1);
        // A short page is not the last one when DB_MAX_ROWS is less than a page.
        if (last === undefined) break;
        limit = fitLimit(rows, limit);
        yield rows;
      }
    }
  }
}

/** The rows of the next page, when they are as large as those of this page. */
function fitLimit(rows: readonly Row[], limit: number): number {
  const rowBytes = JSON.stringify(rows).length / rows.length;
  return Math.max(1, Math.min(MAX_PAGE_ROWS, 2 * limit, Math.floor(PAGE_BYTES / rowBytes)));
}

/** The conditions of a filter; for rows of a parent, one set for each page of parents. */
async function* findConditions(
  reader: AccountReader,
  { user, parent, notUser }: RowFilter,
): AsyncGenerator<Conditions, void, void> {
  const excluded: Conditions = notUser === undefined ? [] : [[notUser, `isdistinct.${reader.userId}`]];
  if (user !== undefined) yield [[user, `eq.${reader.userId}`], ...excluded];
  if (parent === undefined) return;
  const columns = Object.entries(parent.columns);
  const needed = new Set([...getTable(reader, parent.table).key, ...Object.values(parent.columns)]);
  for await (const parents of readPages(reader, parent.table, [...needed].join(","))) {
    const matches = columns.map(([column, inParent]): [string, string] => {
      const values = new Set(parents.map((row) => row[inParent]));
      return [column, `in.(${[...values].join(",")})`];
    });
    yield [...matches, ...excluded];
  }
}

/** The condition for the rows after a row, in the order of the key. */
function renderAfter(key: readonly string[], row: Row): string {
  const choices = key.map((column, index) => {
    const equal = key.slice(0, index).map((earlier) => `${earlier}.eq.${String(row[earlier])}`);
    return `and(${[...equal, `${column}.gt.${String(row[column])}`].join(",")})`;
  });
  return `(${choices.join(",")})`;
}

function getTable({ tables }: AccountReader, name: string): ExportedTable {
  const table = tables[name];
  if (table === undefined) throw new Error(`${name} is not exported`);
  return table;
}
