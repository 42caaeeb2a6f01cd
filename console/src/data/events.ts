import { useCallback, useEffect, useRef, useState } from "react";
import { getClient } from "./client.ts";
import { noteLive } from "./connection.ts";
import { type Change, readChange, type TailTable, TAIL_TABLES } from "./change.ts";
import { askForAttempts, askForRecent } from "./recent-changes.ts";
import { addToTail, EMPTY_TAIL, releaseTail, type Tail } from "./tail.ts";

export interface EventTail extends Tail {
  /** Undefined until it is known. */
  readonly isLive: boolean | undefined;
  /** Forgets all that is shown. */
  clear(): void;
}

/** Many changes at once are one change of the page. */
const GATHER_MS = 150;
/** Realtime does not tell of deliveries, so that their attempts are asked for. */
const ATTEMPTS_MS = 5_000;

/**
 * What is happening, as far as the person may see it: changes of rows as realtime tells them, and attempts of deliveries. While it is
 * held, what is shown stays as it is and new things wait.
 */
export function useEventTail(isHeld: boolean): EventTail {
  const [tail, setTail] = useState(EMPTY_TAIL);
  const [isLive, setLive] = useState<boolean>();
  const held = useRef(isHeld);
  const gathered = useRef<Change[]>([]);
  const flush = useRef<ReturnType<typeof setTimeout>>(undefined);

  const add = useCallback((changes: readonly Change[]) => {
    if (changes.length === 0) return;
    gathered.current.push(...changes);
    flush.current ??= setTimeout(() => {
      flush.current = undefined;
      const batch = gathered.current;
      gathered.current = [];
      setTail((now) => addToTail(now, batch, held.current));
    }, GATHER_MS);
  }, []);

  useEffect(() => {
    held.current = isHeld;
    if (!isHeld) setTail(releaseTail);
  }, [isHeld]);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const ignore = (): void => {};
    let wasLost = false;
    const leave = follow({
      onChange: (table, payload) => add([readChange(table, payload)]),
      onStatus: (isJoined) => {
        setLive(isJoined);
        if (isJoined && wasLost) add([{ kind: "gap", key: crypto.randomUUID(), at: new Date().toISOString() }]);
        // What was before, and what happened while nobody listened.
        if (isJoined) void askForRecent(signal).then(add, ignore);
        wasLost = !isJoined;
      },
    });
    let askedAt = Date.now();
    const timer = setInterval(() => {
      if (document.visibilityState !== "visible") return;
      const now = Date.now();
      void askForAttempts(askedAt, signal).then((found) => {
        askedAt = now;
        add(found);
      }, ignore);
    }, ATTEMPTS_MS);
    return () => {
      controller.abort();
      clearInterval(timer);
      clearTimeout(flush.current);
      flush.current = undefined;
      leave();
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

function follow({ onChange, onStatus }: Subscriber): () => void {
  let channel = getClient().channel("console:events");
  for (const table of TAIL_TABLES)
    channel = channel.on("postgres_changes", { event: "*", schema: "public", table }, (payload) =>
      onChange(table, payload),
    );
  channel.subscribe((status) => {
    if (status === "CLOSED") return;
    noteLive(status === "SUBSCRIBED");
    onStatus(status === "SUBSCRIBED");
  });
  return () => void getClient().removeChannel(channel);
}
