import { AppError, type ExtensionContext, poll, settleEndedRuns, WakeUp } from "swarmbase/extension";
import { lockDueCall } from "../sql/call-row.ts";
import { type DueCall, findDue, findWait, holdCalls, pruneCalls } from "../sql/find-due.ts";
import { lockTrigger } from "../sql/trigger-row.ts";
import { startCall } from "../start-call.ts";

export type WorkerPorts = Pick<ExtensionContext, "database" | "startRun" | "onWake" | "fail">;

/** Calls of triggers that were switched on otherwise than through the service are found within this time. */
const MAX_WAIT_MS = 60_000;
/** While another transaction holds calls. */
const BUSY_WAIT_MS = 250;
/** The calls of a user are tried again after this time when a start fails. */
const RETRY_SECONDS = 30;
/** A budget lasts until the end of its day, and may be that of one agent; the rate limit is that of all runs of the user. */
const MAX_WINDOW_SECONDS = 60;
const BATCH = 200;
const PRUNE_MS = 3_600_000;
const KEPT_OF_TRIGGER = 10_000;
const PRUNE_BATCH = 1_000;

/**
 * Starts the accepted calls that have waited for a limit, writes the outcomes of runs that have ended, and deletes old calls, on each node
 * that runs it: the nodes share the work through locks on the rows.
 */
export async function runWaiting(signal: AbortSignal, ports: WorkerPorts): Promise<void> {
  const wakeUp = new WakeUp();
  const pausedUntilMs = new Map<string, number>();
  let prunedAtMs = Number.NEGATIVE_INFINITY;
  const stopListening = ports.onWake(() => wakeUp.trigger());
  const work = async (): Promise<number> => {
    if (performance.now() - prunedAtMs >= PRUNE_MS) {
      await prune(ports, signal);
      prunedAtMs = performance.now();
    }
    return startAllDue(ports, pausedUntilMs, signal);
  };
  try {
    await poll(work, {
      signal,
      random: Math.random,
      wakeUp,
      onFailure: (error) => ports.fail("calls of triggers that wait are not started", error),
    });
  } finally {
    stopListening();
  }
}

/** Resolves to the time until there is more to do. */
async function startAllDue(ports: WorkerPorts, paused: Map<string, number>, signal: AbortSignal): Promise<number> {
  const { database } = ports;
  const isSettled = await settleEndedRuns(database, "triggers", signal);
  for (;;) {
    if (signal.aborted) return 0;
    const leftOut = listPaused(paused);
    const due = await database.asService((query) => findDue(query, leftOut, BATCH));
    if (due.length === 0) break;
    if (!(await startBatch(ports, due, paused, signal))) return BUSY_WAIT_MS;
  }
  const waitMs = await database.asService((query) => findWait(query, listPaused(paused)));
  const ends = [...paused.values()].map((endsAtMs) => endsAtMs - performance.now());
  return Math.max(1, Math.min(isSettled ? MAX_WAIT_MS : BUSY_WAIT_MS, waitMs ?? MAX_WAIT_MS, ...ends));
}

/** Returns false when other transactions hold all of them. */
async function startBatch(
  ports: WorkerPorts,
  due: readonly DueCall[],
  paused: Map<string, number>,
  signal: AbortSignal,
): Promise<boolean> {
  let isAnyDone = false;
  for (const call of due) {
    if (signal.aborted) break;
    const started = await startDueCall(ports, call);
    if (started === null) continue;
    isAnyDone = true;
    const { userId, pauseSeconds } = started;
    if (pauseSeconds === null) continue;
    paused.set(userId, performance.now() + pauseSeconds * 1_000);
    await ports.database.asService((query) => holdCalls(query, userId, pauseSeconds));
    // The rest of the batch may be calls of the same user.
    break;
  }
  return isAnyDone;
}

interface Started {
  readonly userId: string;
  /** Not null: nothing else of the user can start for this time. */
  readonly pauseSeconds: number | null;
}

/** Returns null when another transaction holds the call, or it does not wait any more. */
async function startDueCall(ports: WorkerPorts, { id, trigger_id, user_id: userId }: DueCall): Promise<Started | null> {
  try {
    return await ports.database.asService(async (query): Promise<Started | null> => {
      const trigger = await lockTrigger(query, trigger_id);
      const call = trigger?.enabled === true ? await lockDueCall(query, id) : null;
      if (trigger === null || call === null) return null;
      const answer = await startCall(ports, query, trigger, call);
      const isLimited = answer.outcome === "limited" && answer.code === "RATE_LIMITED";
      const isShort = isLimited && answer.retryAfterSeconds <= MAX_WINDOW_SECONDS;
      return { userId, pauseSeconds: isShort ? answer.retryAfterSeconds : null };
    });
  } catch (error) {
    // Nothing is wrong with the call.
    if (error instanceof AppError && error.code === "SERVICE_UNAVAILABLE") throw error;
    ports.fail(`the call ${id} of a trigger is not started, and tried again in ${RETRY_SECONDS} s`, error);
    return { userId, pauseSeconds: RETRY_SECONDS };
  }
}

async function prune({ database }: WorkerPorts, signal: AbortSignal): Promise<void> {
  for (let count = PRUNE_BATCH; count === PRUNE_BATCH && !signal.aborted; )
    count = await database.asService((query) => pruneCalls(query, KEPT_OF_TRIGGER, PRUNE_BATCH));
}

function listPaused(paused: Map<string, number>): readonly string[] {
  for (const [id, endsAtMs] of paused) if (endsAtMs <= performance.now()) paused.delete(id);
  return [...paused.keys()];
}
