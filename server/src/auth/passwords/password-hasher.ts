import { availableParallelism } from "node:os";
import { Semaphore } from "@swarmbase/concurrency";
import { AppError } from "../../errors/index.ts";
import { runHashTask } from "./run-hash-task.ts";
import { isTooLong, passwordTooLong } from "./rules.ts";
import { createUnmatchedHash, type HashParameters, shouldRehash } from "./stored-hash.ts";

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** A null hash takes as long as a real one, so that the response time does not reveal whether an account exists. */
  verify(hash: string | null, password: string): Promise<Verification>;
}

interface Verification {
  readonly isMatch: boolean;
  /** The password matches, but its hash uses other parameters than new hashes. */
  readonly shouldRehash: boolean;
}

interface HasherOptions extends HashParameters {
  /** Hashes that are computed at a time. */
  readonly concurrency?: number;
  /** Further calls that can wait. */
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
}

// Each hash needs its memory cost, and each thread some more.
const MAX_CONCURRENCY = 3;
// Low priority does not end the time slice of a hash that runs when a request arrives, so one core has no hashes.
const OTHER_CORES = 1;
const WAITING_PER_PERMIT = 128;
// A client hardly waits longer, and hashing for one that has gone keeps the others waiting.
const MAX_WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 2;

/** Hashes passwords with argon2id, on threads of low priority. */
export function createPasswordHasher(options: HasherOptions): PasswordHasher {
  const { memoryKib, iterations, parallelism } = options;
  const permits = options.concurrency ?? Math.max(1, Math.min(availableParallelism() - OTHER_CORES, MAX_CONCURRENCY));
  const { maxWaiting = permits * WAITING_PER_PERMIT, maxWaitMs = MAX_WAIT_MS } = options;
  const semaphore = new Semaphore({ permits, maxWaiting, maxWaitMs, overloadError });
  const costs = { memoryCost: memoryKib, timeCost: iterations, parallelism };
  const unmatchedHash = createUnmatchedHash(options);

  return {
    async hash(password) {
      if (isTooLong(password)) throw passwordTooLong();
      return semaphore.run(() => runHashTask({ kind: "hash", password, costs }));
    },
    async verify(hash, password) {
      if (isTooLong(password)) return { isMatch: false, shouldRehash: false };
      const compared = hash ?? unmatchedHash;
      const isEqual = await semaphore.run(() => runHashTask({ kind: "verify", hash: compared, password }));
      const isMatch = hash !== null && isEqual;
      return { isMatch, shouldRehash: isMatch && shouldRehash(compared, options) };
    },
  };
}

function overloadError(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "Too many passwords are being checked at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
