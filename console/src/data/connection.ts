import { noteRateLimitState } from "./limits.ts";
import { createStore, useStore } from "./store.ts";

export interface Connection {
  /** Requests are answered. */
  readonly isAnswered: boolean;
  /** Changes arrive by themselves; false only when they were asked for and do not come. */
  readonly isLive: boolean;
  /** Until when (ms since 1970) the service wants to be left alone; 0 when it does not. */
  readonly limitedUntil: number;
}

const connection = createStore<Connection>({ isAnswered: true, isLive: true, limitedUntil: 0 });
const PROBE_MS = 2_000;
const DEFAULT_WAIT_SECONDS = 60;
const TOO_MANY = 429;
let probing: ReturnType<typeof setInterval> | undefined;
let lostAt = 0;
let onBack: () => void = () => {};

export function useConnection(): Connection {
  return useStore(connection);
}

/** Called when requests are answered again after they were not. */
export function whenBack(listener: () => void): void {
  onBack = listener;
}

export function noteLive(isLive: boolean): void {
  if (connection.get().isLive !== isLive) connection.set({ ...connection.get(), isLive });
}

/** The browser's fetch, which is also how we notice that the service is away or has had enough. */
export const watchedFetch: typeof fetch = async (input, init) => {
  const startedAt = performance.now();
  try {
    const response = await fetch(input, init);
    noteAnswered(startedAt);
    noteRateLimitState(response);
    if (response.status === TOO_MANY) noteLimited(response.headers.get("retry-after"));
    return response;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) noteUnanswered();
    throw error;
  }
};

/** The browser knows before any request does. */
addEventListener("offline", noteUnanswered);

function noteLimited(retryAfter: string | null): void {
  const seconds = Number(retryAfter ?? DEFAULT_WAIT_SECONDS) || DEFAULT_WAIT_SECONDS;
  connection.set({ ...connection.get(), limitedUntil: Date.now() + seconds * 1_000 });
}

/** A request that was sent before the connection was lost may be answered late, which says nothing about now. */
function noteAnswered(startedAt: number): void {
  if (connection.get().isAnswered || startedAt < lostAt) return;
  clearInterval(probing);
  probing = undefined;
  connection.set({ ...connection.get(), isAnswered: true });
  onBack();
}

function noteUnanswered(): void {
  if (connection.get().isAnswered) {
    lostAt = performance.now();
    connection.set({ ...connection.get(), isAnswered: false });
  }
  probing ??= setInterval(() => void watchedFetch("/health", { cache: "no-store" }).catch(() => {}), PROBE_MS);
}
