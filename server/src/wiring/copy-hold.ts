import type { RestoredCopy } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import { type Worker, WorkerPause } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";

const RETRY_AFTER_SECONDS = 60;

/**
 * Holds webhook deliveries, agent runs and mails in a restored copy, because the original may still do the same work.
 * The mark is in the database, so every node sees it; `swarmbase resume` removes it.
 */
export interface CopyHold {
  readonly isHeld: boolean;
  /** Called with the current mark of the database. */
  update(copy: RestoredCopy | null): void;
  over(workers: readonly Worker[]): readonly Worker[];
  /** Throws 503 while the copy is held. */
  requireReleased(): void;
}

export function createCopyHold(copy: RestoredCopy | null, observer: Observer): CopyHold {
  const pause = new WorkerPause(copy !== null);
  const noteHeld = ({ restoredAt, backupOf }: RestoredCopy): void =>
    observer.note("service.held", { restoredAt, backupOf, command: "swarmbase resume" });
  if (copy !== null) noteHeld(copy);
  return {
    get isHeld() {
      return pause.isPaused;
    },
    update(found) {
      if ((found !== null) === pause.isPaused) return;
      if (found === null) observer.note("service.resumed");
      else noteHeld(found);
      pause.set(found !== null);
    },
    over: (workers) => workers.map((worker) => pause.over(worker)),
    requireReleased() {
      if (!pause.isPaused) return;
      throw new AppError(
        "SERVICE_UNAVAILABLE",
        "This is a restored copy: deliveries, agent runs and mails are held until its operator runs: swarmbase resume",
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    },
  };
}

/** The same module, in which the named calls first run the check, which may throw. */
export function guardCalls<Module extends object, Name extends keyof Module>(
  module: Module,
  names: readonly Name[],
  check: () => void,
): Module {
  const guarded = { ...module };
  for (const name of names) {
    const call = module[name];
    if (typeof call !== "function") throw new TypeError(`${String(name)} is not a call`);
    guarded[name] = (async (...args: unknown[]): Promise<unknown> => {
      check();
      return Reflect.apply(call, module, args);
    }) as Module[Name];
  }
  return guarded;
}
