import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isUuid } from "@swarmbase/sdk";
import { type AskableAgent, readAgents, readRows } from "swarmbase/extension";
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
  requireCursor(cursor);
  const query = new URLSearchParams({
    ...filters,
    select,
    order: "id.desc",
    limit: String(limit + 1),
    ...(cursor !== undefined && { id: `lt.${cursor}` }),
  });
  return cutPage(await readRows<Row>(core, path, query), limit, idColumn);
}

/** The same for the agents that the caller may ask. */
export async function readAgentPage(
  { core }: Caller,
  { limit = DEFAULT_LIMIT, cursor }: Pick<PageRequest, "limit" | "cursor">,
): Promise<Page<AskableAgent>> {
  requireCursor(cursor);
  const position = cursor === undefined ? {} : { id: `lt.${cursor}` };
  return cutPage(await readAgents(core, { order: "id.desc", limit: limit + 1, ...position }), limit, "id");
}

function requireCursor(cursor: string | undefined): void {
  if (cursor !== undefined && !isUuid(cursor))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid cursor");
}

function cutPage<Row extends object>(rows: readonly Row[], limit: number, idColumn: string): Page<Row> {
  if (rows.length <= limit) return { rows, next: null };
  const last = rows[limit - 1] as Readonly<Record<string, unknown>>;
  return { rows: rows.slice(0, limit), next: String(last[idColumn]) };
}
