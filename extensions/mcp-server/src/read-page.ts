import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isUuid } from "@swarmbase/sdk";
import { readRows } from "swarmbase/extension";
import type { Caller } from "./caller.ts";

const DEFAULT_LIMIT = 50;

interface PageRequest {
  readonly select: string;
  /** What a row calls its id. */
  readonly idColumn?: string;
  readonly limit?: number;
  readonly cursor: string | undefined;
  /** Further parameters. */
  readonly filters?: Readonly<Record<string, string>>;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** Reads a page of rows, newest first. Ids sort by time, so a cursor is the id of the last row. */
export async function readPage<Row extends object>(
  { core }: Caller,
  path: string,
  { select, idColumn = "id", limit = DEFAULT_LIMIT, cursor, filters = {} }: PageRequest,
): Promise<Page<Row>> {
  if (cursor !== undefined && !isUuid(cursor))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid cursor");
  const query = new URLSearchParams({
    ...filters,
    select,
    order: "id.desc",
    limit: String(limit + 1),
    ...(cursor !== undefined && { id: `lt.${cursor}` }),
  });
  const rows = await readRows<Row>(core, path, query);
  if (rows.length <= limit) return { rows, next: null };
  const last = rows[limit - 1] as Readonly<Record<string, unknown>>;
  return { rows: rows.slice(0, limit), next: String(last[idColumn]) };
}
