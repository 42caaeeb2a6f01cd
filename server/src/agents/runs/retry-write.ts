import { setTimeout as sleep } from "node:timers/promises";

/** A deadlock, a row that went away in between, a connection that could not be had. */
const RETRYABLE_STATES = new Set(["40P01", "40001", "23503", "55P03"]);
const RETRIES = 4;
const RETRY_AFTER_MS = 50;

/** Sending the same events twice is safe: their seqs can be stored once only. */
export async function retryWrite<T>(write: () => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await write();
    } catch (error) {
      if (retry >= RETRIES || !isRetryable(error)) throw error;
      await sleep(RETRY_AFTER_MS * 2 ** retry);
    }
  }
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return true;
  return RETRYABLE_STATES.has(error.code) || !/^[0-9A-Z]{5}$/.test(error.code) || /^(?:08|57P|53)/.test(error.code);
}
