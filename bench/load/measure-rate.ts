/** How often `work` completes per second, with this concurrency. Each call gets its own number, from 0. */
export async function measureRate(
  work: (worker: number) => Promise<void>,
  { concurrency, durationMs }: { readonly concurrency: number; readonly durationMs: number },
): Promise<number> {
  const startedAt = performance.now();
  const endAt = startedAt + durationMs;
  let count = 0;
  const run = async (worker: number): Promise<void> => {
    while (performance.now() < endAt) {
      await work(worker);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, worker) => run(worker)));
  return count / ((performance.now() - startedAt) / 1000);
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
