import { useCallback, useEffect, useRef, useState } from "react";
import { getClient } from "./client.ts";
import { setLive } from "./connection.ts";
import { type Change, readChange, type TailTable, TAIL_TABLES } from "./change.ts";
import { readAttemptsSince, readRecentChanges } from "./recent-changes.ts";
import { addToTail, EMPTY_TAIL, resumeTail, type Tail } from "./tail.ts";

export interface EventTail extends Tail {
  /** Undefined until the channel has joined. */
  readonly isLive: boolean | undefined;
  /** Empties the list. */
  clear(): void;
}

/** Changes within this time are rendered together. */
const BATCH_MS = 150;
/** Realtime does not publish deliveries, so their attempts are polled. */
const ATTEMPTS_MS = 5_000;

/**
 * The changes that the user may see: row changes from realtime, and polled delivery attempts. While the list is paused, new
 * changes wait and the shown ones stay.
 */
export function useEventTail(isPaused: boolean): EventTail {
  const [tail, setTail] = useState(EMPTY_TAIL);
  const [isLive, setLive] = useState<boolean>();
  const paused = useRef(isPaused);
  const batched = useRef<Change[]>([]);
  const flush = useRef<ReturnType<typeof setTimeout>>(undefined);

  const add = useCallback((changes: readonly Change[]) => {
    if (changes.length === 0) return;
    batched.current.push(...changes);
    flush.current ??= setTimeout(() => {
      flush.current = undefined;
      const batch = batched.current;
      batched.current = [];
      setTail((now) => addToTail(now, batch, paused.current));
    }, BATCH_MS);
  }, []);

  useEffect(() => {
    paused.current = isPaused;
    if (!isPaused) setTail(resumeTail);
  }, [isPaused]);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const ignore = (): void => {};
    let wasLost = false;
    const unsubscribe = subscribe({
      onChange: (table, payload) => add([readChange(table, payload)]),
      onStatus: (isJoined) => {
        setLive(isJoined);
        if (isJoined && wasLost) add([{ kind: "gap", key: crypto.randomUUID(), at: new Date().toISOString() }]);
        // Changes from before the join, or missed while disconnected.
        if (isJoined) void readRecentChanges(signal).then(add, ignore);
        wasLost = !isJoined;
      },
    });
    let polledAt = Date.now();
    const timer = setInterval(() => {
      if (document.visibilityState !== "visible") return;
      const now = Date.now();
      void readAttemptsSince(polledAt, signal).then((found) => {
        polledAt = now;
        add(found);
      }, ignore);
    }, ATTEMPTS_MS);
    return () => {
      controller.abort();
      clearInterval(timer);
      clearTimeout(flush.current);
      flush.current = undefined;
      unsubscribe();
    };
  }, [add]);

  const clear = useCallback(() => setTail((now) => ({ ...EMPTY_TAIL, seen: now.seen })), []);
  return { ...tail, isLive, clear };
}

interface Subscriber {
  onChange(table: TailTable, payload: ChangePayload): void;
  onStatus(isJoined: boolean): void;
}

type ChangePayload = Parameters<typeof readChange>[1];

function subscribe({ onChange, onStatus }: Subscriber): () => void {
  let channel = getClient().channel("console:events");
  for (const table of TAIL_TABLES)
    channel = channel.on("postgres_changes", { event: "*", schema: "public", table }, (payload) =>
      onChange(table, payload),
    );
  channel.subscribe((status) => {
    if (status === "CLOSED") return;
    setLive(status === "SUBSCRIBED");
    onStatus(status === "SUBSCRIBED");
  });
  return () => void getClient().removeChannel(channel);
}
