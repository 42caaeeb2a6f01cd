import type { RealtimeChannel } from "@supabase/supabase-js";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { changeCachedRows, dropRow, isRemovedHere, type KeyedRow, replaceRow } from "./cached-rows.ts";
import { getClient, type TableName } from "./client.ts";
import { noteLive } from "./connection.ts";

export interface LiveOptions {
  /** As realtime takes it: "swarm_id=eq.…". Without one, every row that the user may see. */
  readonly filter?: string | undefined;
  readonly isOn?: boolean;
  /** Called for each change, beside what is done with the cache. */
  onChange?(change: RowEvent): void;
  /** Called when there may have been changes that nobody was told of: once it is listened for, and after every loss. */
  onMissed?(): void;
}

export interface RowEvent {
  readonly kind: "INSERT" | "UPDATE" | "DELETE";
  /** The row as it is now; of a row that is gone, its id. */
  readonly row: KeyedRow;
}

type Listener = Pick<LiveOptions, "onChange" | "onMissed">;

interface Shared {
  readonly channel: RealtimeChannel;
  readonly listeners: Set<Listener>;
}

const shared = new Map<string, Shared>();
/** Many changes at once are one question. */
const GATHER_MS = 400;
const waiting = new Map<TableName, ReturnType<typeof setTimeout>>();

/**
 * Keeps what is cached about a table true: a changed row is replaced where it stands, a removed one is taken out, and for both a
 * new and a removed one the lists are asked for again. Hooks that ask for the same share one channel.
 */
export function useLiveTable(table: TableName, { filter, isOn = true, onChange, onMissed }: LiveOptions = {}): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isOn) return;
    const listener = { ...(onChange !== undefined && { onChange }), ...(onMissed !== undefined && { onMissed }) };
    return listen({ table, filter, queries, listener });
  }, [table, filter, isOn, onChange, onMissed, queries]);
}

function listen(wanted: {
  readonly table: TableName;
  readonly filter: string | undefined;
  readonly queries: QueryClient;
  readonly listener: Listener;
}): () => void {
  const { table, filter, queries, listener } = wanted;
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

function open(wanted: {
  readonly table: TableName;
  readonly filter: string | undefined;
  readonly queries: QueryClient;
  readonly name: string;
}): Shared {
  const { table, filter, queries, name } = wanted;
  const listeners: Shared["listeners"] = new Set();
  // Also before the first join: rows that were read meanwhile may have changed since.
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
      noteLive(isJoined);
      // What happened while nobody listened is only known by asking.
      if (isJoined && wasLost) {
        reloadSoon(queries, table);
        for (const { onMissed } of listeners) onMissed?.();
      }
      wasLost = !isJoined;
    });
  const made: Shared = { channel, listeners };
  shared.set(name, made);
  return made;
}

function apply(queries: QueryClient, table: TableName, { kind, row }: RowEvent): void {
  switch (kind) {
    case "UPDATE":
      changeCachedRows(queries, table, replaceRow(row));
      return;
    case "DELETE":
      changeCachedRows(queries, table, dropRow(row.id));
      // A page that has lost a row looks like the end of its list until it is asked for again.
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
    void queries.invalidateQueries({ queryKey: [table], predicate: ({ state }) => !isRemovedHere(state.data) });
  };
  waiting.set(table, setTimeout(reload, GATHER_MS));
}
