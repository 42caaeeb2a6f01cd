import { setTimeout as wait } from "node:timers/promises";

const WAIT_MS = 15_000;
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
