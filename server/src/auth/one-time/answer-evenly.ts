import { setTimeout as wait } from "node:timers/promises";

/** Longer than any of the paths takes that an answer about an address can go. */
const STEP_MS = 50;

/**
 * Settles no earlier than a fixed time after it began, and then only at whole multiples of it, so that the time does
 * not tell which path was taken: of an address with an account, or of one without.
 */
export async function answerEvenly<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    await waitForStep(startedAt);
  }
}

/** The same where only a refusal could tell something. */
export async function refuseEvenly<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    await waitForStep(startedAt);
    throw error;
  }
}

async function waitForStep(startedAt: number): Promise<void> {
  const elapsedMs = performance.now() - startedAt;
  await wait(STEP_MS - (elapsedMs % STEP_MS));
}
