import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "../../db/index.ts";

/** A deadlock, a row that went away in between, a lock that could not be had. */
const CONFLICT_STATES = new Set(["40P01", "40001", "23503", "55P03"]);
const MAX_CONFLICTS = 4;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/**
 * Runs a statement of a run. A conflict is tried again a few times. While the database is away the statement is tried until it
 * is answered or `isHeld` says that the lease is over. Trying a little too long is safe: the fence refuses what comes too late.
 *
 * `isInDoubt` is true when an earlier try got no answer and may have been committed all the same.
 */
export async function retryWhileHeld<T>(
  statement: (isInDoubt: boolean) => Promise<T>,
  isHeld: () => boolean,
): Promise<T> {
  let isInDoubt = false;
  let conflicts = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await statement(isInDoubt);
    } catch (error) {
      if (isUnavailable(error)) isInDoubt = true;
      else if (isConflict(error)) conflicts += 1;
      else throw error;
      if (conflicts > MAX_CONFLICTS || (isInDoubt && !isHeld())) throw error;
      await sleep(pauseMs);
    }
  }
}

function isConflict(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return true;
  return CONFLICT_STATES.has(error.code) || !/^[0-9A-Z]{5}$/.test(error.code);
}
