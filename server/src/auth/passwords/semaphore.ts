import { AppError } from "../../errors/index.ts";

const RETRY_AFTER_SECONDS = 2;

export interface SemaphoreOptions {
  readonly places: number;
  readonly maxWaiting: number;
  /** Whoever waited so long is sent away: a client hardly waits longer, and work for one that has gone keeps all others waiting. */
  readonly maxWaitMs: number;
}

/** Lets so many through at a time and has so many wait in order; whoever comes on top of that is told to come back later. */
export function createSemaphore({ places, maxWaiting, maxWaitMs }: SemaphoreOptions) {
  const waiting = new Set<() => void>();
  let free = places;

  const enter = (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    if (waiting.size >= maxWaiting) throw tooManyError();
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(tooManyError());
      }, maxWaitMs);
      waiting.add(begin);
    });
  };
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    async pass<T>(work: () => Promise<T>): Promise<T> {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function tooManyError(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "Too many passwords are being checked at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
