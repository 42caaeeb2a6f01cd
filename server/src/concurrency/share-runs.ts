/**
 * Lets any number of callers share runs of some work, one at a time. Each caller gets a run that began after the call: one
 * that is in progress may have read its data before the change that the caller asks about.
 */
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
