import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { getClient } from "./client.ts";
import { setLive } from "./connection.ts";
import { type Change, readChange, type TailTable, TAIL_TABLES } from "./change.ts";
import { type Failure, toFailure } from "./failure.ts";
import { createHistory, type HistoryScope, WHOLE_HISTORY } from "./history.ts";
import { readAttemptsSince } from "./recent-attempts.ts";
import { addHistory, addToTail, EMPTY_TAIL, listSince, MAX_KEPT, resumeTail, type Tail } from "./tail.ts";
import { useClearOnReconnect } from "./use-clear-on-reconnect.ts";
import { useDeliverySignals } from "./webhook-signals.ts";
import { useWebhookNames } from "./webhooks.ts";

export interface EventTail extends Pick<Tail, "shown" | "waiting"> {
  /** Undefined until the channel has joined. */
  readonly isLive: boolean | undefined;
  /** The changes from before the page was opened. */
  readonly history: {
    /** The newest ones are read, or cannot be. */
    readonly isRead: boolean;
    readonly failure: Failure | null;
    readonly hasMore: boolean;
    readonly isLoading: boolean;
    /** Reads earlier ones, or the newest ones again after a failure. */
    loadMore(): void;
  };
  /** Empties the list. */
  clear(): void;
}

/** Changes within this time are rendered together. */
const BATCH_MS = 150;

/**
 * The changes that the user may see: row changes from realtime, and delivery attempts, which are read after a signal. While the
 * list is paused, new changes wait and the shown ones stay. The changes from before are read as far as the scope goes.
 */
export function useEventTail(isPaused: boolean, scope: HistoryScope): EventTail {
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
    let wasLost = false;
    const unsubscribe = subscribe({
      onChange: (table, payload) => add([readChange(table, payload)]),
      onStatus: (isJoined) => {
        setLive(isJoined);
        if (isJoined && wasLost) add([{ kind: "gap", key: crypto.randomUUID(), at: new Date().toISOString() }]);
        // Those that were missed. What cannot be read is below the line of the gap.
        if (isJoined && wasLost)
          createHistory(WHOLE_HISTORY)
            .readMore(signal)
            .then(add, () => {});
        wasLost = !isJoined;
      },
    });
    return () => {
      controller.abort();
      clearTimeout(flush.current);
      flush.current = undefined;
      unsubscribe();
    };
  }, [add]);

  useNewAttempts(add);
  const { sinceMs, ...history } = useHistory(setTail, isLive !== undefined, scope);
  const shown = useMemo(() => listSince(tail.shown, sinceMs), [tail.shown, sinceMs]);
  const waiting = useMemo(() => listSince(tail.waiting, sinceMs), [tail.waiting, sinceMs]);
  const clear = useCallback(() => setTail((now) => ({ ...EMPTY_TAIL, seen: now.seen })), []);
  const hasMore = history.hasMore && tail.shown.length < MAX_KEPT;
  return { shown, waiting, isLive, history: { ...history, hasMore }, clear };
}

/** Reads the first changes when the channel has joined, so that none is missing between them and those that it reports. */
function useHistory(
  change: (next: (tail: Tail) => Tail) => void,
  isReady: boolean,
  scope: HistoryScope,
): EventTail["history"] & { readonly sinceMs: number } {
  const history = useMemo(() => createHistory(scope), [scope]);
  const [isLoading, setLoading] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isRead, setRead] = useState(false);
  const controller = useRef<AbortController>(null);
  const loadMore = useCallback(async () => {
    controller.current?.abort();
    const { signal } = (controller.current = new AbortController());
    setLoading(true);
    setFailure(null);
    try {
      const changes = await history.readMore(signal);
      change((tail) => addHistory(tail, changes));
    } catch (error) {
      if (!signal.aborted) setFailure(await toFailure(error));
    }
    if (signal.aborted) return;
    setLoading(false);
    setRead(true);
  }, [history, change]);
  useEffect(() => {
    if (isReady) void loadMore();
    return () => controller.current?.abort();
  }, [isReady, loadMore]);
  useClearOnReconnect(failure, () => void loadMore());
  return {
    isRead,
    failure,
    hasMore: history.hasMore(),
    sinceMs: isRead ? history.readSinceMs() : Number.POSITIVE_INFINITY,
    isLoading,
    loadMore: () => void loadMore(),
  };
}

function useNewAttempts(add: (changes: readonly Change[]) => void): void {
  const { rows: webhooks = [] } = useWebhookNames();
  const readAt = useRef(Date.now());
  const read = useCallback(() => {
    const now = Date.now();
    // The next signal reads what this one could not.
    void readAttemptsSince(readAt.current).then(
      (found) => {
        readAt.current = now;
        add(found);
      },
      () => {},
    );
  }, [add]);
  useDeliverySignals(
    webhooks.map(({ id }) => id),
    read,
  );
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
