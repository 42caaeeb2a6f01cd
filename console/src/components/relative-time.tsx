import { useSyncExternalStore } from "react";
import { formatExact, formatRelative } from "./formats.ts";
import { Tooltip } from "./tooltip.tsx";

const TICK_MS = 10_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** One timer updates all times of the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Set once for all listeners; updating it for each new one would render every other time again.
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
        // The tooltip with the exact time must be reachable by keyboard.
        tabIndex={0}
        className="rounded-sm whitespace-nowrap tabular-nums"
      >
        {formatRelative(at, current)}
      </time>
    </Tooltip>
  );
}
