import { setTimeout as sleep } from "node:timers/promises";
import type { Observer } from "../../observe/index.ts";
import type { Postmaster } from "./launch-postmaster.ts";

export interface PostmasterSupervisor {
  /** Ends the supervision; PostgreSQL itself may still run. */
  cease(): Promise<void>;
}

const RESTART_DELAYS_MS = [0, 200, 500, 1_000, 2_000, 5_000, 10_000];
const LONG_LIFE_MS = 30_000;

/** The first restart is immediate; later ones are delayed more and more, without an end. */
export function decideRestartDelayMs(failuresInRow: number): number {
  return RESTART_DELAYS_MS[Math.min(failuresInRow, RESTART_DELAYS_MS.length - 1)] ?? 0;
}

export function supervisePostmaster(o: {
  readonly first: Postmaster;
  /** Removes the remains of the old process and starts PostgreSQL again. */
  relaunch(signal: AbortSignal): Promise<Postmaster>;
  readonly observer: Observer;
}): PostmasterSupervisor {
  const ceasing = new AbortController();
  const { signal } = ceasing;

  async function keepRunning(): Promise<void> {
    let current = o.first;
    let failuresInRow = 0;
    for (;;) {
      const exit = await Promise.race([current.exited, aborted(signal)]);
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
          await sleep(decideRestartDelayMs(failuresInRow), undefined, { signal, ref: false });
          failuresInRow += 1;
          const next = await o.relaunch(signal);
          o.observer.note("embedded.restarted", { pid: next.pid });
          return next;
        } catch (err) {
          if (signal.aborted) return null;
          o.observer.note("embedded.restart_failed", { err, delayMs: decideRestartDelayMs(failuresInRow) });
        }
      }
      return null;
    }
  }

  const running = keepRunning();
  return {
    async cease() {
      ceasing.abort();
      await running;
    },
  };
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}
