/** Callers share runs, one at a time. Each gets a run that began after its call, so that the run sees earlier changes. */
export function shareRuns<T>(
  run: () => Promise<T>,
  waitBeforeRun: () => Promise<void> = async () => {},
): () => Promise<T> {
  let next: Promise<T> | null = null;
  let current: Promise<unknown> = Promise.resolve();

  const runNext = async (): Promise<T> => {
    await current;
    await waitBeforeRun();
    next = null;
    const running = run();
    current = running.catch(() => {});
    return running;
  };

  return () => {
    next ??= runNext();
    return next;
  };
}
