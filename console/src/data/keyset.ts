/** The keyset columns of a list that is ordered by time. */
export interface TimedRow {
  readonly id: string;
  readonly created_at: string;
}

/** The orders of a list of named rows, the first by default. */
export const SORTS = ["newest", "oldest", "name", "changed"] as const;
export type Sort = (typeof SORTS)[number];

const ORDERS = {
  newest: { column: "created_at", ascending: false },
  oldest: { column: "created_at", ascending: true },
  name: { column: "name", ascending: true },
  changed: { column: "updated_at", ascending: false },
} as const;

export interface SortedRow extends TimedRow {
  readonly name: string;
  readonly updated_at: string;
}

interface SortableQuery {
  order(column: string, options: { ascending: boolean }): this;
  or(filters: string): this;
}

/** Orders a query by time, and begins after a row of the page before. The id breaks ties. */
export function newestAfter<Query extends SortableQuery>(query: Query, last: TimedRow | null): Query {
  const ordered = query.order("created_at", { ascending: false }).order("id", { ascending: false });
  if (last === null) return ordered;
  const { id, created_at: at } = last;
  return ordered.or(`created_at.lt."${at}",and(created_at.eq."${at}",id.lt.${id})`);
}

/** Orders a query, and begins after a row of the page before. The id breaks ties. */
export function sortAfter<Query extends SortableQuery>(query: Query, sort: Sort, last: SortedRow | null): Query {
  const { column, ascending } = ORDERS[sort];
  const ordered = query.order(column, { ascending }).order("id", { ascending });
  if (last === null) return ordered;
  const value = `"${last[column].replace(/["\\]/g, String.raw`\$&`)}"`;
  const follows = ascending ? "gt" : "lt";
  return ordered.or(`${column}.${follows}.${value},and(${column}.eq.${value},id.${follows}.${last.id})`);
}

/** A filter for `or`: the rows with the text in at least one of the columns. */
export function containsText(columns: readonly string[], text: string): string {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  const quoted = pattern.replace(/["\\]/g, String.raw`\$&`);
  return columns.map((column) => `${column}.ilike."${quoted}"`).join(",");
}
