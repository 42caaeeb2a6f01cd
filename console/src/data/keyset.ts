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

interface SortedRow extends TimedRow {
  readonly name: string;
  readonly updated_at: string;
}

interface SortableQuery {
  order(column: string, options: { ascending: boolean }): this;
  or(filters: string): this;
}

/** Orders a query by time, and begins after a row of the page before. The id breaks ties. */
export function newestAfter<Query extends SortableQuery>(query: Query, last: TimedRow | null): Query {
  return sortAfter(query, "newest", last as SortedRow | null);
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

interface RangedQuery {
  gte(column: string, value: string): this;
  lte(column: string, value: string): this;
}

/** ISO 8601; null means no bound. */
export interface TimeRange {
  readonly since: string | null;
  readonly until: string | null;
}

export function inRange<Query extends RangedQuery>(query: Query, { since, until }: TimeRange): Query {
  const begun = since === null ? query : query.gte("created_at", since);
  return until === null ? begun : begun.lte("created_at", until);
}

interface RankedQuery extends SortableQuery {
  order(column: string, options: { ascending: boolean; nullsFirst?: boolean }): this;
}

/** Orders a query by a column, the greatest first and rows without a value last, and begins after a row of the page before. */
export function compareAfter<Query extends RankedQuery>(
  query: Query,
  column: string,
  last: { readonly id: string; readonly value: string | number | null } | null,
): Query {
  const ordered = query.order(column, { ascending: false, nullsFirst: false }).order("id", { ascending: false });
  if (last === null) return ordered;
  const { id, value } = last;
  if (value === null) return ordered.or(`and(${column}.is.null,id.lt.${id})`);
  return ordered.or(`${column}.lt."${value}",${column}.is.null,and(${column}.eq."${value}",id.lt.${id})`);
}

/** A filter for `or`: the rows with the text in at least one of the columns. */
export function containsText(columns: readonly string[], text: string): string {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  const quoted = pattern.replace(/["\\]/g, String.raw`\$&`);
  return columns.map((column) => `${column}.ilike."${quoted}"`).join(",");
}
