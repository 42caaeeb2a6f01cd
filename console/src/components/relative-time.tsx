import { useSyncExternalStore } from "react";
import { formatExact, formatRelative } from "./formats.ts";
import { Tooltip } from "./tooltip.tsx";

const TICK_MS = 10_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** All times on the page tick by one timer. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Once for all of them: a clock that moved with each would have every other time rendered again.
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const notify of listeners) notify();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** "3 minutes ago", with the exact time on hover and focus. */
export function RelativeTime({ at }: { readonly at: string }) {
  const current = useSyncExternalStore(subscribe, () => now);
  return (
    <Tooltip text={formatExact(at)}>
      <time
        dateTime={at}
        // the exact time must be reachable by keyboard
        tabIndex={0}
        className="rounded-sm whitespace-nowrap tabular-nums"
      >
        {formatRelative(at, current)}
      </time>
    </Tooltip>
  );
}
