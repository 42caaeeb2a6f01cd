import { setTimeout as sleep } from "node:timers/promises";
import type { Observer } from "../../observe/index.ts";
import type { Postmaster } from "./launch-postmaster.ts";

const RESTART_DELAYS_MS = [0, 200, 500, 1_000, 2_000, 5_000, 10_000];
const LONG_LIFE_MS = 30_000;

/** The first restart is immediate; later ones are delayed more and more, without an end. */
export function decidePostmasterDelayMs(failuresInRow: number): number {
  return RESTART_DELAYS_MS[Math.min(failuresInRow, RESTART_DELAYS_MS.length - 1)] ?? 0;
}

/** Returns a function that ends the supervision; PostgreSQL itself may still run. */
export function supervisePostmaster(o: {
  readonly first: Postmaster;
  /** Removes the remains of the old process and starts PostgreSQL again. */
  relaunch(signal: AbortSignal): Promise<Postmaster>;
  readonly observer: Observer;
}): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;

  async function keepRunning(): Promise<void> {
    let current = o.first;
    let failuresInRow = 0;
    const aborted = Promise.withResolvers<null>();
    signal.addEventListener("abort", () => aborted.resolve(null), { once: true });
    for (;;) {
      const exit = await Promise.race([current.exited, aborted.promise]);
      if (exit === null || signal.aborted) return;
      if (performance.now() - current.startedAtMs > LONG_LIFE_MS) failuresInRow = 0;
      o.observer.note("embedded.ended", { pid: current.pid, exitCode: exit.code, exitSignal: exit.signal });
      const next = await restart();
      if (next === null) return;
      current = next;
    }

    async function restart(): Promise<Postmaster | null> {
      while (!signal.aborted) {
        try {
          await sleep(decidePostmasterDelayMs(failuresInRow), undefined, { signal, ref: false });
          failuresInRow += 1;
          const next = await o.relaunch(signal);
          o.observer.note("embedded.restarted", { pid: next.pid });
          return next;
        } catch (err) {
          if (signal.aborted) return null;
          o.observer.note("embedded.restart_failed", { err, delayMs: decidePostmasterDelayMs(failuresInRow) });
        }
      }
      return null;
    }
  }

  const running = keepRunning();
  return async () => {
    ending.abort();
    await running;
  };
}
