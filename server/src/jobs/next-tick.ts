import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until the next multiple of the interval since the start of the process, or until the signal aborts: a process whose loops all wait
 * this way wakes up once for all of them.
 */
export async function nextTick(intervalMs: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.ceil(intervalMs - (performance.now() % intervalMs)), undefined, { signal }).catch(() => {});
}
