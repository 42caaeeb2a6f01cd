import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { BulkOutcome } from "./bulk.ts";
import { changeCachedRows, type KeyedRow } from "./cached-rows.ts";
import { getClient, type Row } from "./client.ts";
import { toFailure, unwrap } from "./failure.ts";
import { type RowEvent, useLiveTable } from "./live.ts";

export type ReadPosition = Pick<Row<"read_positions">, "last_read_seq">;

/** A swarm with what is needed to count its unread messages. */
interface Counted {
  readonly messages: readonly { readonly seq: number }[];
  readonly read_positions: readonly ReadPosition[];
}

/** The messages of a swarm are numbered without gaps, so nothing has to be counted. */
export function countUnread({ messages, read_positions: positions }: Counted): number {
  return Math.max(0, (messages[0]?.seq ?? 0) - (positions[0]?.last_read_seq ?? 0));
}

/** Shows in the cached swarms what this user reads on other devices. */
export function useLiveReadPositions(): void {
  const queries = useQueryClient();
  const onChange = useCallback(
    ({ kind, row }: RowEvent) => {
      const { swarm_id: swarmId, last_read_seq: seq } = row as KeyedRow & Row<"read_positions">;
      if (kind !== "DELETE") showReadPosition(queries, swarmId, seq);
    },
    [queries],
  );
  useLiveTable("read_positions", { isQuiet: true, onChange });
}

function showReadPosition(queries: QueryClient, swarmId: string, seq: number): void {
  changeCachedRows(queries, "swarms", (swarms) =>
    swarms.map((swarm) =>
      swarm.id === swarmId && "read_positions" in swarm
        ? { ...swarm, read_positions: [{ last_read_seq: seq }] }
        : swarm,
    ),
  );
}

/** Long enough that a glance at a swarm, on the way to another one, is no reading. */
const FIRST_MS = 1_000;
/** A conversation in which agents write all the time costs six requests a minute. */
const INTERVAL_MS = 10_000;

/** Stores that the user has read a swarm up to a message, while the page is visible. */
export function useMarkRead(swarmId: string, seq: number | undefined, readUpTo: number): void {
  const queries = useQueryClient();
  const reporter = useRef<ReadReporter>(null);
  const first = useRef(readUpTo);
  useEffect(() => {
    const opened = reportReading(first.current, (read) => {
      showReadPosition(queries, swarmId, read);
      // Not told: the next message, or the next visit, stores it again.
      storeReadPositions([{ swarm_id: swarmId, last_read_seq: read }]).catch(() => {});
    });
    reporter.current = opened;
    return () => opened.stop();
  }, [swarmId, queries]);
  useEffect(() => {
    reporter.current?.see(seq ?? 0);
  }, [seq]);
}

interface ReadReporter {
  see(seq: number): void;
  stop(): void;
}

function reportReading(readUpTo: number, onRead: (seq: number) => void): ReadReporter {
  const openedAt = performance.now();
  let storedAt = Number.NEGATIVE_INFINITY;
  let stored = readUpTo;
  let seen = readUpTo;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const store = (): void => {
    clearTimeout(timer);
    timer = undefined;
    stored = seen;
    storedAt = performance.now();
    onRead(seen);
  };
  const schedule = (): void => {
    if (document.hidden || seen <= stored) return;
    timer ??= setTimeout(store, Math.max(FIRST_MS, storedAt + INTERVAL_MS - performance.now()));
  };
  const onVisibility = (): void => {
    if (document.hidden && timer !== undefined) store();
    else schedule();
  };
  document.addEventListener("visibilitychange", onVisibility);
  return {
    see: (seq) => {
      seen = Math.max(seen, seq);
      schedule();
    },
    stop: () => {
      document.removeEventListener("visibilitychange", onVisibility);
      if (timer !== undefined && performance.now() - openedAt > FIRST_MS) store();
      clearTimeout(timer);
    },
  };
}

async function storeReadPositions(
  positions: readonly { readonly swarm_id: string; readonly last_read_seq: number }[],
): Promise<void> {
  await unwrap(
    getClient()
      .from("read_positions")
      .upsert([...positions], { onConflict: "swarm_id,user_id" }),
  );
}

/** Stores that the user has read swarms up to their newest message, in one request. */
export async function markAllRead(swarms: readonly (Counted & KeyedRow)[]): Promise<BulkOutcome> {
  const unread = swarms.filter((swarm) => countUnread(swarm) > 0);
  try {
    if (unread.length > 0)
      await storeReadPositions(
        unread.map(({ id, messages }) => ({ swarm_id: id, last_read_seq: messages[0]?.seq ?? 0 })),
      );
  } catch (error) {
    return { done: [], reason: (await toFailure(error)).message };
  }
  return { done: swarms.map(({ id }) => id), reason: null };
}
