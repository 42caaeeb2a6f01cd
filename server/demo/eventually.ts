import { setTimeout as wait } from "node:timers/promises";

/** A delivery that was in progress when the service was killed is sent again after its lease. */
const WAIT_MS = 120_000;
const POLL_MS = 25;

/** Polls `read` until its result is wanted, and returns the result. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  isWanted: (value: T) => boolean,
  what: string,
): Promise<T> {
  for (const deadline = Date.now() + WAIT_MS; ; await wait(POLL_MS)) {
    const value = await read();
    if (isWanted(value)) return value;
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
  }
}
