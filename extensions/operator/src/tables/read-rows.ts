import { AppError } from "swarmbase/extension";
import type { OperatorContext } from "../operator-route.ts";
import { invalidField, readCursor, writeCursor } from "../read-input.ts";
import type { Table, TableColumn } from "./describe-table.ts";
import { type Filter, renderFilter } from "./filters.ts";
import { quoteName, quoteText, selectItem, showValue, type Value } from "./values.ts";

type ShownRow = Readonly<Record<string, Value>>;

export interface RowsWanted {
  readonly filters: readonly Filter[];
  /** Null orders them by the key. */
  readonly order: { readonly column: TableColumn; readonly isDescending: boolean } | null;
  readonly after: string | undefined;
  readonly limit: number;
}

export interface RowsPage {
  readonly rows: readonly ShownRow[];
  /** The position of the next page; null for the last one, and for rows without a key. */
  readonly next: string | null;
}

/**
 * A page of rows. Each begins after the last row of the one before, by an index where the column has one, so that page 1,000 takes as
 * long as page 1. Rows without a value in the ordered column come last, in pages of their own.
 */
export async function readRows(context: OperatorContext, table: Table, wanted: RowsWanted): Promise<RowsPage> {
  const page = await readPage(context, table, wanted);
  const last = page.rows.at(-1);
  if (page.next !== null || last === undefined || table.key.length === 0) return page;
  // DB_MAX_ROWS can be less than a page, so a short page is the last one only if nothing follows.
  const next = writePosition(table, wanted.order, last);
  const { rows } = await readPage(context, table, { ...wanted, after: next, limit: 1 });
  return rows.length === 0 ? page : { ...page, next };
}

async function readPage(context: OperatorContext, table: Table, wanted: RowsWanted): Promise<RowsPage> {
  const { order, limit } = wanted;
  if (table.key.length === 0)
    return { rows: await fetchRows(context, table, wanted, { conditions: [], limit }), next: null };
  const position = readPosition(table, order, wanted.after);
  const rows: ShownRow[] = [];
  if (order === null) {
    const conditions = position === null ? [] : renderAfter(table.key.map(ascending), position.key);
    rows.push(...(await fetchRows(context, table, wanted, { conditions, limit: limit + 1 })));
    return toPage(table, order, rows, limit);
  }
  const isPastValues = position !== null && position.value === null;
  const { name } = order.column;
  if (!isPastValues) {
    const parts = [{ name, isDescending: order.isDescending }, ...table.key.map(ascending)];
    const conditions = [
      ...(order.column.is_nullable ? [`${quoteName(name)}.not.is.null`] : []),
      ...(position === null ? [] : renderAfter(parts, [position.value ?? "", ...position.key])),
    ];
    rows.push(...(await fetchRows(context, table, wanted, { conditions, limit: limit + 1 })));
  }
  if (rows.length <= limit && order.column.is_nullable) {
    const conditions = [
      `${quoteName(name)}.is.null`,
      ...(isPastValues ? renderAfter(table.key.map(ascending), position.key) : []),
    ];
    const more = { ...wanted, order: null };
    rows.push(...(await fetchRows(context, table, more, { conditions, limit: limit + 1 - rows.length })));
  }
  return toPage(table, order, rows, limit);
}

interface OrderPart {
  readonly name: string;
  readonly isDescending: boolean;
}

function ascending(name: string): OrderPart {
  return { name, isDescending: false };
}

/** The rows after these values. The first condition repeats a part of the second, so that the database can begin within an index. */
function renderAfter(parts: readonly OrderPart[], values: readonly string[]): readonly string[] {
  const choices = parts.map(({ name, isDescending }, index) => {
    const equal = parts
      .slice(0, index)
      .map((part, before) => `${quoteName(part.name)}.eq.${quoteText(values[before] ?? "")}`);
    const further = `${quoteName(name)}.${isDescending ? "lt" : "gt"}.${quoteText(values[index] ?? "")}`;
    return equal.length === 0 ? further : `and(${[...equal, further].join(",")})`;
  });
  const [first] = parts;
  if (first === undefined || choices.length === 1) return choices;
  const begin = `${quoteName(first.name)}.${first.isDescending ? "lte" : "gte"}.${quoteText(values[0] ?? "")}`;
  return [begin, `or(${choices.join(",")})`];
}

interface Position {
  /** Of the ordered column; null past the last row that has one. */
  readonly value: Value;
  readonly key: readonly string[];
}

function readPosition(table: Table, order: RowsWanted["order"], after: string | undefined): Position | null {
  const sent = readCursor(after);
  if (sent === null) return null;
  const [column, value, ...key] = Array.isArray(sent) ? (sent as unknown[]) : [];
  const isValid =
    column === (order === null ? "" : order.column.name) &&
    (value === null || typeof value === "string") &&
    key.length === table.key.length &&
    key.every((part) => typeof part === "string");
  if (!isValid) throw invalidField("after", "is not the position of a page in this order");
  return { value, key };
}

function toPage(table: Table, order: RowsWanted["order"], found: readonly ShownRow[], limit: number): RowsPage {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length <= limit || last === undefined ? null : writePosition(table, order, last) };
}

function writePosition({ key }: Table, order: RowsWanted["order"], row: ShownRow): string {
  const value = order === null ? null : (row[order.column.name] ?? null);
  return writeCursor([order === null ? "" : order.column.name, value, ...key.map((name) => row[name])]);
}

async function fetchRows(
  context: OperatorContext,
  table: Table,
  { filters, order }: RowsWanted,
  { conditions, limit }: { readonly conditions: readonly string[]; readonly limit: number },
): Promise<readonly ShownRow[]> {
  const all = [...filters.map(renderFilter), ...conditions];
  const ordered = [
    ...(order === null ? [] : [`${quoteName(order.column.name)}.${order.isDescending ? "desc" : "asc"}`]),
    ...table.key.filter((name) => name !== order?.column.name).map((name) => `${quoteName(name)}.asc`),
  ];
  const query = new URLSearchParams({
    select: table.columns.map(selectItem).join(","),
    limit: String(limit),
    ...(all.length > 0 && { and: `(${all.join(",")})` }),
    ...(ordered.length > 0 && { order: ordered.join(",") }),
  });
  const { body } = await context.restAsService({
    method: "GET",
    path: `/${encodeURIComponent(table.name)}?${query.toString()}`,
    headers: { "accept-profile": table.schema },
  });
  if (!Array.isArray(body)) throw new AppError("INTERNAL_ERROR", "The rows are not a list");
  return (body as Readonly<Record<string, unknown>>[]).map((row) =>
    Object.fromEntries(table.columns.map((column) => [column.name, showValue(table, column, row[column.name])])),
  );
}
