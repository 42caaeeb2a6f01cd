/** Work that goes on as long as the service, such as the dispatcher. A process that serves is a worker process (`processes/`). */
export interface Worker {
  readonly name: string;
  /** The service cannot run without it: when it ends or fails on its own, the service stops instead of restarting it. */
  readonly isCritical?: boolean;
  /** Resolves soon after the signal aborts, and not before. */
  run(signal: AbortSignal): Promise<void>;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
