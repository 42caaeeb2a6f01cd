import { recordRateLimitState } from "./limits.ts";
import { createStore, useStore } from "./store.ts";

interface Connection {
  /** The service responds to requests. */
  readonly isReachable: boolean;
  /** False while a realtime channel is disconnected. */
  readonly isLive: boolean;
  /** Until when (ms since 1970) the rate limit rejects requests; 0 when it does not. */
  readonly limitedUntil: number;
}

const connection = createStore<Connection>({ isReachable: true, isLive: true, limitedUntil: 0 });
const PROBE_MS = 2_000;
const DEFAULT_WAIT_SECONDS = 60;
const TOO_MANY = 429;
let probing: ReturnType<typeof setInterval> | undefined;
let lostAt = 0;
let reconnectListener: () => void = () => {};

export function useConnection(): Connection {
  return useStore(connection);
}

/** Sets the function that is called when the service responds again after an interruption. */
export function onReconnect(listener: () => void): void {
  reconnectListener = listener;
}

export function setLive(isLive: boolean): void {
  if (connection.get().isLive !== isLive) connection.set({ ...connection.get(), isLive });
}

/** `fetch` that records whether the service responds and whether a rate limit is exceeded. */
export const watchedFetch: typeof fetch = async (input, init) => {
  const startedAt = performance.now();
  try {
    const response = await fetch(input, init);
    setReachable(startedAt);
    recordRateLimitState(response);
    if (response.status === TOO_MANY) setLimited(response.headers.get("retry-after"));
    return response;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) setUnreachable();
    throw error;
  }
};

/** The browser reports a lost network before any request fails. */
addEventListener("offline", setUnreachable);

/** If the service does not respond now, calls once when it does. Returns a function that ends the wait. */
export function whenReachableAgain(onReachable: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const probe = async (isFirst: boolean): Promise<void> => {
    const isThere = await watchedFetch("/health", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isOver) return;
    if (!isThere) timer = setTimeout(() => void probe(false), PROBE_MS);
    else if (!isFirst) onReachable();
  };
  void probe(true);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function setLimited(retryAfter: string | null): void {
  const seconds = Number(retryAfter ?? DEFAULT_WAIT_SECONDS) || DEFAULT_WAIT_SECONDS;
  connection.set({ ...connection.get(), limitedUntil: Date.now() + seconds * 1_000 });
}

/** Ignores late responses to requests that were sent before the connection was lost. */
function setReachable(startedAt: number): void {
  if (connection.get().isReachable || startedAt < lostAt) return;
  clearInterval(probing);
  probing = undefined;
  connection.set({ ...connection.get(), isReachable: true });
  reconnectListener();
}

function setUnreachable(): void {
  if (connection.get().isReachable) {
    lostAt = performance.now();
    connection.set({ ...connection.get(), isReachable: false });
  }
  probing ??= setInterval(() => void watchedFetch("/health", { cache: "no-store" }).catch(() => {}), PROBE_MS);
}
