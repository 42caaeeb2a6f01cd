import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isUuid } from "@swarmbase/sdk";
import { type AskableAgent, readAgents, readRows } from "swarmbase/extension";
import type { Caller } from "./caller.ts";

const DEFAULT_LIMIT = 50;
const NEWEST_FIRST = { order: "id.desc" } as const;

export interface PageRequest {
  readonly limit?: number;
  readonly cursor: string | undefined;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** Reads a page of rows, newest first; `query` has the columns and filters. `idColumn`: what a row calls its id. */
export function readPage<Row extends object>(
  { core }: Caller,
  path: string,
  { query, idColumn = "id", ...page }: PageRequest & { query: Readonly<Record<string, string>>; idColumn?: string },
): Promise<Page<Row>> {
  return cutPage(page, idColumn, ({ limit, ...position }) =>
    readRows<Row>(core, path, new URLSearchParams({ ...query, ...NEWEST_FIRST, ...position, limit: String(limit) })),
  );
}

/** The same for the agents that the caller may ask. */
export function readAgentPage({ core }: Caller, page: PageRequest): Promise<Page<AskableAgent>> {
  return cutPage(page, "id", (position) => readAgents(core, { ...NEWEST_FIRST, ...position }));
}

/** Ids sort by time, so a cursor is the id of the last row. */
async function cutPage<Row extends object>(
  { limit = DEFAULT_LIMIT, cursor }: PageRequest,
  idColumn: string,
  read: (position: { readonly limit: number; readonly id?: string }) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  if (cursor !== undefined && !isUuid(cursor))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid cursor");
  const rows = await read({ limit: limit + 1, ...(cursor !== undefined && { id: `lt.${cursor}` }) });
  if (rows.length <= limit) return { rows, next: null };
  const last = rows[limit - 1] as Readonly<Record<string, unknown>>;
  return { rows: rows.slice(0, limit), next: String(last[idColumn]) };
}
