import type pg from "pg";

/** Ends the connections when the signal aborts, in the middle of their statements. Returns a function that stops waiting for it. */
export function closeOnAbort(clients: readonly pg.ClientBase[], signal: AbortSignal): () => void {
  const close = (): void => {
    for (const client of clients)
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  };
  for (const client of clients) client.on("error", () => {});
  signal.addEventListener("abort", close, { once: true });
  return () => signal.removeEventListener("abort", close);
}
