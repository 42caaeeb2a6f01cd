/** Stops everything that was started, in reverse order and once: at the end, after a failure, or on a signal. */
export interface Closers {
  /** Returns a function that stops this one earlier. */
  add(stop: () => Promise<void>): () => Promise<void>;
  closeAll(): Promise<void>;
  /** After a signal, measurements fail because their processes were stopped; these errors are ignored. */
  isClosing(): boolean;
}

export function openClosers(): Closers {
  const stops: (() => Promise<void>)[] = [];
  let closing: Promise<void> | null = null;
  const closeAll = (): Promise<void> => {
    closing ??= (async () => {
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
    })();
    return closing;
  };
  const onSignal = (): void => void closeAll().finally(() => process.exit(130));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  const add: Closers["add"] = (stop) => {
    stops.push(stop);
    return async () => {
      const at = stops.indexOf(stop);
      if (at === -1) return;
      stops.splice(at, 1);
      await stop();
    };
  };
  return { add, closeAll, isClosing: () => closing !== null };
}
