import { AppError } from "../../errors/index.ts";

const RETRY_AFTER_SECONDS = 2;

/** Lets so many through at a time and has so many wait in order; whoever comes on top of that is told to come back later. */
export function createTurnstile({ places, maxWaiting }: { places: number; maxWaiting: number }) {
  const waiting: (() => void)[] = [];
  let free = places;

  const enter = (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    if (waiting.length >= maxWaiting) {
      throw new AppError(
        "SERVICE_UNAVAILABLE",
        "Too many passwords are being checked at the moment. Try again shortly.",
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
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
