import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "@swarmbase/postgres";

/** Deadlock, serialization failure, foreign key violation by a concurrent deletion, lock not available. */
const CONFLICT_STATES = new Set(["40P01", "40001", "23503", "55P03"]);
const MAX_CONFLICTS = 4;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

/**
 * Runs a statement of a run. Retries conflicts a few times. Retries an unreachable database until it answers or `isHeld` returns
 * false. Retrying a little too long is safe: the fence rejects late writes.
 *
 * `isInDoubt` is true when an earlier attempt got no answer and may have been committed.
 */
export async function retryWhileHeld<T>(
  statement: (isInDoubt: boolean) => Promise<T>,
  isHeld: () => boolean,
): Promise<T> {
  let isInDoubt = false;
  let conflicts = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
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
