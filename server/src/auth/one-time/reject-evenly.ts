import { setTimeout as wait } from "node:timers/promises";

/** Longer than any code path of these endpoints takes. */
const STEP_MS = 50;

/** Delays errors to multiples of a fixed time, so that the time does not reveal whether an address has an account. */
export async function rejectEvenly<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    const elapsedMs = performance.now() - startedAt;
    await wait(STEP_MS - (elapsedMs % STEP_MS));
    throw error;
  }
}
