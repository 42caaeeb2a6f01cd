import { AppError, type ExtensionContext, poll, settleEndedRuns, WakeUp } from "swarmbase/extension";
import { findDue, findWait, holdDue, type LeftOut, markDelayed } from "../sql/find-due.ts";
import { startDue } from "./start-due.ts";

export type SchedulerPorts = Pick<ExtensionContext, "database" | "startRun" | "onWake" | "fail">;

/** Schedules that are written on another way than through the database of the service are found within this time. */
const MAX_WAIT_MS = 60_000;
/** While another transaction holds schedules that are due, or whose runs have ended. */
const BUSY_WAIT_MS = 250;
/** A start that fails is tried again after this time. */
const RETRY_MS = 30_000;
const BATCH = 200;
/** Each takes a connection of the pool for background work. */
const CONCURRENCY = 4;

/** Until when this node leaves users and schedules alone. */
interface Pauses {
  readonly users: Map<string, number>;
  readonly schedules: Map<string, number>;
}

/**
 * Starts what is due, on each node that runs it: the nodes share the work through locks on the rows. Between two due times it sleeps:
 * it knows the next one from the database, and is woken when a schedule is written or a run of one ends.
 */
export async function runScheduler(signal: AbortSignal, ports: SchedulerPorts): Promise<void> {
  const wakeUp = new WakeUp();
  const pauses: Pauses = { users: new Map(), schedules: new Map() };
  const stopListening = ports.onWake(() => wakeUp.trigger());
  try {
    await poll(() => startAllDue(ports, pauses, signal), {
      signal,
      random: Math.random,
      wakeUp,
      onFailure: (error) => ports.fail("due schedules are not started", error),
    });
  } finally {
    stopListening();
  }
}

/** Resolves to the time until there is more to do. */
async function startAllDue(ports: SchedulerPorts, pauses: Pauses, signal: AbortSignal): Promise<number> {
  const { database } = ports;
  const isSettled = await settleEndedRuns(database, "schedules", signal);
  for (;;) {
    if (signal.aborted) return 0;
    const leftOut = listPaused(pauses);
    const ids = await database.asService(async (query) => {
      await markDelayed(query);
      return await findDue(query, leftOut, BATCH);
    });
    if (ids.length === 0) break;
    const done = await startBatch(ports, ids, pauses, signal);
    if (done === 0) return BUSY_WAIT_MS;
  }
  const waitMs = await database.asService((query) => findWait(query, listPaused(pauses)));
  const ends = [...pauses.users.values(), ...pauses.schedules.values()].map((endsAtMs) => endsAtMs - performance.now());
  return Math.max(1, Math.min(isSettled ? MAX_WAIT_MS : BUSY_WAIT_MS, waitMs ?? MAX_WAIT_MS, ...ends));
}

/** Returns for how many schedules something was done. */
async function startBatch(
  ports: SchedulerPorts,
  ids: readonly string[],
  pauses: Pauses,
  signal: AbortSignal,
): Promise<number> {
  const waiting = [...ids];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
      try {
        const { isDone, limit } = await startDue(ports, id);
        if (isDone) done += 1;
        if (limit === null) continue;
        pauses.users.set(limit.userId, performance.now() + limit.retryAfterSeconds * 1_000);
        await ports.database.asService((query) => holdDue(query, limit.userId, limit.retryAfterSeconds));
        // The rest of the batch may be schedules of the same user.
        waiting.length = 0;
      } catch (error) {
        // Nothing is wrong with the schedule.
        if (error instanceof AppError && error.code === "SERVICE_UNAVAILABLE") {
          waiting.length = 0;
          throw error;
        }
        pauses.schedules.set(id, performance.now() + RETRY_MS);
        ports.fail(`the schedule ${id} is not started, and tried again in ${RETRY_MS / 1_000} s`, error);
        done += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return done;
}

function listPaused(pauses: Pauses): LeftOut {
  const keep = (ends: Map<string, number>): string[] => {
    for (const [id, endsAtMs] of ends) if (endsAtMs <= performance.now()) ends.delete(id);
    return [...ends.keys()];
  };
  return { users: keep(pauses.users), schedules: keep(pauses.schedules) };
}
