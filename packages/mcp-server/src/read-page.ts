import { readRows } from "swarmbase/extension";
import type { Caller } from "./caller.ts";

export interface Page<Row> {
  readonly rows: readonly Row[];
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
  { core }: Caller,
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
  const rows = await readRows<Row>(core, path, query);
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
