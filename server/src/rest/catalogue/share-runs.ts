/**
 * Lets any number of callers share runs of some work, one at a time. Each gets a run that began after they asked: one that
 * is under way may have read what they want to know about before it changed.
 */
export function shareRuns<T>(run: () => Promise<T>, waitTurn: () => Promise<void> = async () => {}): () => Promise<T> {
  let waiting: Promise<T> | null = null;
  let underWay: Promise<unknown> = Promise.resolve();

  const runInTurn = async (): Promise<T> => {
    await underWay;
    await waitTurn();
    waiting = null;
    const running = run();
    underWay = running.catch(() => {});
    return running;
  };

  return () => {
    waiting ??= runInTurn();
    return waiting;
  };
}
