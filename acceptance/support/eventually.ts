import { setTimeout as wait } from "node:timers/promises";

/** Only a test that fails waits so long: the limit covers a loaded machine that is several times slower. */
export const WAIT_MS = 180_000;
const POLL_MS = 20;

/** Polls `read` until its result is `expected`, and returns the result. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  isWanted: (value: T) => boolean,
  what: string,
): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}; at last: ${JSON.stringify(value)}`);
    await wait(POLL_MS);
  }
}
