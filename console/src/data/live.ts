import type { RealtimeChannel } from "@supabase/supabase-js";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { applyReportedChange, dropRow, type KeyedRow, reloadRows, replaceRow } from "./cached-rows.ts";
import { getClient, type TableName } from "./client.ts";
import { setLive } from "./connection.ts";

export interface LiveOptions {
  /** A realtime filter: "swarm_id=eq.…". By default, all rows that the user may see. */
  readonly filter?: string | undefined;
  readonly isOn?: boolean;
  /** Called for each change, after the cache is updated. */
  onChange?(change: RowEvent): void;
  /** Called when changes may have been missed: after the first join and after each reconnect. */
  onMissed?(): void;
}

export interface RowEvent {
  readonly kind: "INSERT" | "UPDATE" | "DELETE";
  /** The new row; for a deleted row, its id. */
  readonly row: KeyedRow;
}

type Listener = Pick<LiveOptions, "onChange" | "onMissed">;

interface Shared {
  readonly channel: RealtimeChannel;
  readonly listeners: Set<Listener>;
}

const shared = new Map<string, Shared>();
/** Changes within this time cause one reload. */
const BATCH_MS = 400;
const waiting = new Map<TableName, ReturnType<typeof setTimeout>>();

/**
 * Keeps the cached rows of a table current: replaces updated rows, removes deleted ones, and reloads the lists after an insert
 * or delete. Hooks with the same arguments share a channel.
 */
export function useLiveTable(table: TableName, { filter, isOn = true, onChange, onMissed }: LiveOptions = {}): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isOn) return;
    const listener = { ...(onChange !== undefined && { onChange }), ...(onMissed !== undefined && { onMissed }) };
    return listen({ table, filter, queries, listener });
  }, [table, filter, isOn, onChange, onMissed, queries]);
}

function listen(options: {
  readonly table: TableName;
  readonly filter: string | undefined;
  readonly queries: QueryClient;
  readonly listener: Listener;
}): () => void {
  const { table, filter, queries, listener } = options;
  const name = `${table}:${filter ?? "*"}`;
  const found = shared.get(name) ?? open({ table, filter, queries, name });
  found.listeners.add(listener);
  return () => {
    found.listeners.delete(listener);
    if (found.listeners.size > 0) return;
    shared.delete(name);
    void getClient().removeChannel(found.channel);
  };
}

function open(options: {
  readonly table: TableName;
  readonly filter: string | undefined;
  readonly queries: QueryClient;
  readonly name: string;
}): Shared {
  const { table, filter, queries, name } = options;
  const listeners: Shared["listeners"] = new Set();
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
        apply(queries, table, change);
        for (const { onChange } of listeners) onChange?.(change);
      },
    )
    .subscribe((status) => {
      const isJoined = status === "SUBSCRIBED";
      if (status === "CLOSED") return;
      setLive(isJoined);
      // Changes during the interruption are not sent again.
      if (isJoined && wasLost) {
        reloadSoon(queries, table);
        for (const { onMissed } of listeners) onMissed?.();
      }
      wasLost = !isJoined;
    });
  const opened: Shared = { channel, listeners };
  shared.set(name, opened);
  return opened;
}

function apply(queries: QueryClient, table: TableName, { kind, row }: RowEvent): void {
  switch (kind) {
    case "UPDATE":
      applyReportedChange(queries, table, replaceRow(row));
      return;
    case "DELETE":
      applyReportedChange(queries, table, dropRow(row.id));
      // A page that has lost a row looks like the last page until it is reloaded.
      reloadSoon(queries, table);
      return;
    case "INSERT":
      reloadSoon(queries, table);
  }
}

function reloadSoon(queries: QueryClient, table: TableName): void {
  if (waiting.has(table)) return;
  const reload = (): void => {
    waiting.delete(table);
    void reloadRows(queries, table);
  };
  waiting.set(table, setTimeout(reload, BATCH_MS));
}
