/** So many at a time, in the order they came. Resolves with what gives the slot back. */
export function createSlots(count: number): (signal: AbortSignal) => Promise<() => void> {
  let free = count;
  const waiting = new Set<() => void>();
  const giveBack = (): void => {
    free += 1;
    const [next] = waiting;
    next?.();
  };
  return (signal) =>
    new Promise((resolve, reject) => {
      const take = (): void => {
        waiting.delete(take);
        signal.removeEventListener("abort", leave);
        free -= 1;
        resolve(giveBack);
      };
      const leave = (): void => {
        waiting.delete(take);
        reject(signal.reason as Error);
      };
      if (signal.aborted) leave();
      else if (free > 0) take();
      else {
        waiting.add(take);
        signal.addEventListener("abort", leave, { once: true });
      }
    });
}
