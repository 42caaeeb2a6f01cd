import type { Caller } from "./caller.ts";

/** Reads rows of a table as the caller. */
export async function readRows<Row>({ core }: Caller, path: string, query: URLSearchParams): Promise<Row[]> {
  const { body } = await core.rest({ method: "GET", path: `${path}?${query}` });
  return body as Row[];
}

export interface Page<Row> {
  readonly rows: Row[];
  /** The value of the key after which the next page begins; null on the last page. */
  readonly next: string | null;
}

export interface PageRequest {
  readonly select: string;
  /** The column that the pages are ordered by, descending. */
  readonly key: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Further parameters. */
  readonly filters?: Readonly<Record<string, string>>;
}

/** Reads a page of rows, newest first. */
export async function readPage<Row extends object>(
  caller: Caller,
  path: string,
  { select, key, limit, cursor, filters = {} }: PageRequest,
): Promise<Page<Row>> {
  const query = new URLSearchParams({
    ...filters,
    select,
    order: `${key}.desc`,
    limit: String(limit + 1),
    ...(cursor !== undefined && { [key]: `lt.${cursor}` }),
  });
  const rows = await readRows<Row>(caller, path, query);
  if (rows.length <= limit) return { rows, next: null };
  const page = rows.slice(0, limit);
  const last = page.at(-1) as Readonly<Record<string, unknown>>;
  return { rows: page, next: String(last[key]) };
}

/** A pattern that finds the text anywhere, quoted for a list of conditions. */
export function containsPattern(text: string): string {
  const escaped = text.replace(/[\\%_]/g, String.raw`\$&`);
  return `"${`%${escaped}%`.replace(/[\\"]/g, String.raw`\$&`)}"`;
}
