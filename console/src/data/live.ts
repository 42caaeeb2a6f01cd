import type { RealtimeChannel } from "@supabase/supabase-js";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import {
  applyReportedChange,
  dropRow,
  type KeyedRow,
  reloadReadBefore,
  reloadRows,
  replaceRow,
} from "./cached-rows.ts";
import { getClient, type TableName } from "./client.ts";
import { setLive } from "./connection.ts";
import { isPortal } from "./portal.ts";

interface LiveOptions {
  /** A realtime filter: "swarm_id=eq.…". By default, all rows that the user may see. */
  readonly filter?: string | undefined;
  readonly isOn?: boolean;
  /** Changes cause no reload of lists, for a channel of every page: most of its rows are of no interest to the open one. */
  readonly isQuiet?: boolean;
  /** Called for each change, after the cache is updated. */
  onChange?(change: RowEvent): void;
}

export interface RowEvent {
  readonly kind: "INSERT" | "UPDATE" | "DELETE";
  /** The new row; for a deleted row, its id. */
  readonly row: KeyedRow;
}

type Listener = Pick<LiveOptions, "onChange">;

interface Shared {
  readonly table: TableName;
  readonly channel: RealtimeChannel;
  readonly listeners: Set<Listener>;
  /** Settles when the channel has joined or has failed to. Undefined afterwards. */
  joining: Promise<void> | undefined;
  isJoined: boolean;
  /** Set while nothing listens: the channel is left when the time is over. */
  leaving: ReturnType<typeof setTimeout> | undefined;
}

const shared = new Map<string, Shared>();
/** A user who comes back to a page within this time finds its rows current, without a request. */
const LINGER_MS = 120_000;
/** The service limits the channels of a socket. */
const MAX_LINGERING = 40;
/** A slow connection shows rows at once and reads them a second time after the join. */
const JOIN_WAIT_MS = 500;
const BACKGROUND_WAIT_MS = 5_000;
/** Changes within this time cause one reload. */
const BATCH_MS = 400;
const waiting = new Map<TableName, ReturnType<typeof setTimeout>>();

/**
 * Keeps the cached rows of a table current: replaces updated rows, removes deleted ones, and reloads the lists after an insert
 * or delete. Hooks with the same arguments share a channel, which stays open for a while after the last one has ended.
 */
export function useLiveTable(table: TableName, options: LiveOptions = {}): void {
  const { filter, isOn = true, isQuiet = false, onChange } = options;
  const queries = useQueryClient();
  useEffect(() => {
    if (!isOn || isPortal()) return;
    return listen({ table, filter, isQuiet, queries, listener: { ...(onChange !== undefined && { onChange }) } });
  }, [table, filter, isOn, isQuiet, onChange, queries]);
}

/** Waits for the channels of the tables, for a limited time, so that rows that are read afterwards need no second read. */
export async function waitForJoins(tables: readonly TableName[], isBackground = false): Promise<void> {
  // The effects of the same render open the channels.
  await Promise.resolve();
  const joins = [...shared.values()].flatMap(({ table, joining }) =>
    joining !== undefined && tables.includes(table) ? [joining] : [],
  );
  if (joins.length === 0) return;
  await Promise.race([
    Promise.all(joins),
    new Promise((resolve) => setTimeout(resolve, isBackground ? BACKGROUND_WAIT_MS : JOIN_WAIT_MS)),
  ]);
}

/** Leaves the channels of pages that are closed, because they belong to the user who signs out. */
export function leaveLingering(): void {
  for (const [name, { listeners }] of shared) if (listeners.size === 0) leave(name);
}

interface ChannelOptions {
  readonly table: TableName;
  readonly filter: string | undefined;
  readonly isQuiet: boolean;
  readonly queries: QueryClient;
}

function listen({ listener, ...options }: ChannelOptions & { readonly listener: Listener }): () => void {
  const { table, filter, isQuiet } = options;
  const name = `${table}:${filter ?? "*"}${isQuiet ? ":quiet" : ""}`;
  const found = shared.get(name) ?? open(name, options);
  clearTimeout(found.leaving);
  found.listeners.add(listener);
  return () => {
    found.listeners.delete(listener);
    if (found.listeners.size > 0) return;
    found.leaving = setTimeout(() => leave(name), shared.size > MAX_LINGERING ? 0 : LINGER_MS);
  };
}

function leave(name: string): void {
  const found = shared.get(name);
  if (found === undefined) return;
  clearTimeout(found.leaving);
  shared.delete(name);
  void getClient().removeChannel(found.channel);
}

function open(name: string, { table, filter, isQuiet, queries }: ChannelOptions): Shared {
  const listeners: Shared["listeners"] = new Set();
  const { promise: joining, resolve: onJoined } = Promise.withResolvers<void>();
  // True before the first join: rows that were read earlier may have changed since.
  let wasLost = true;
  const channel = getClient()
    .channel(`console:${name}`)
    .on(
      "postgres_changes",
      { event: "*", schema: "public", table, ...(filter !== undefined && { filter }) },
      (payload) => {
        const row = (payload.eventType === "DELETE" ? payload.old : payload.new) as Partial<KeyedRow>;
        if (typeof row.id !== "string") return reloadSoon(queries, table);
        const change: RowEvent = { kind: payload.eventType, row: { ...row, id: row.id } };
        applyReportedRow(queries, table, change);
        // A page that has lost a row looks like the last page until it is reloaded.
        if (change.kind !== "UPDATE" && !isQuiet) reloadSoon(queries, table);
        for (const { onChange } of listeners) onChange?.(change);
      },
    )
    .subscribe((status) => {
      const isJoined = status === "SUBSCRIBED";
      if (status === "CLOSED") return;
      setLive(isJoined);
      // Changes during the interruption are not sent again, except through a channel of the whole table.
      const isCovered = filter !== undefined && shared.get(`${table}:*`)?.isJoined === true;
      if (isJoined && wasLost && !isCovered) void reloadReadBefore(queries, table, performance.now());
      wasLost = !isJoined;
      opened.isJoined = isJoined;
      // A channel that cannot join delays no read.
      opened.joining = undefined;
      onJoined();
    });
  const opened: Shared = { table, channel, listeners, joining, isJoined: false, leaving: undefined };
  shared.set(name, opened);
  return opened;
}

function applyReportedRow(queries: QueryClient, table: TableName, { kind, row }: RowEvent): void {
  if (kind === "UPDATE") applyReportedChange(queries, table, replaceRow(row));
  if (kind === "DELETE") applyReportedChange(queries, table, dropRow(row.id));
}

function reloadSoon(queries: QueryClient, table: TableName): void {
  if (waiting.has(table)) return;
  const reload = (): void => {
    waiting.delete(table);
    void reloadRows(queries, table);
  };
  waiting.set(table, setTimeout(reload, BATCH_MS));
}
