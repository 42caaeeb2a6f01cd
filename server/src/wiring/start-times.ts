/** How long each part of the start took, in milliseconds. Some run beside each other. */
export type StartTimes = Map<string, number>;

/** Notes the duration of the work under the name of its part. */
export async function timed<T>(times: StartTimes, part: string, work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  try {
    return await work();
  } finally {
    times.set(part, Math.round(performance.now() - startedAtMs));
  }
}
