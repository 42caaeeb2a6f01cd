import { addJitter, findLast, findLastTimes, findNext, type Timing } from "./due-times.ts";

/** A schedule whose time has come. */
export interface DueSchedule extends Timing {
  readonly id: string;
  /** The first time that is neither started nor passed over. */
  readonly dueAt: Date;
  readonly whenRunning: "skip" | "queue";
  readonly whenMissed: "skip" | "last";
  /** What the start of `dueAt` has waited for: a limit, the run before it, or a service that is late. */
  readonly waiting: "limit" | "run" | "service" | null;
  /** A run of the schedule has not ended. */
  readonly hasOpenRun: boolean;
}

/** What comes of a schedule that is due. `next`: the time after it; null means that there is none. */
export type Decision =
  | {
      readonly action: "start";
      readonly dueAt: Date;
      readonly next: Date | null;
      /** The first of earlier times that are passed over because no node was there. */
      readonly missed: Date | null;
    }
  /** The start waits until the run in progress has ended. */
  | { readonly action: "wait"; readonly dueAt: Date }
  | {
      readonly action: "pass";
      readonly outcome: "missed" | "skipped";
      readonly dueAt: Date;
      readonly next: Date | null;
    };

/** A start that is later than this was missed, unless it has waited. */
export const MAX_LATE_MS = 300_000;
/** How many times of one schedule can wait. */
const MAX_WAITING = 10;

/**
 * A time that nobody could start, because no node ran or clocks went forward, is missed: of several, only the last counts. A time that
 * waits for a limit, a run or a busy service is not missed, however long that takes; later ones are skipped meanwhile, or queued behind it.
 */
export function decideDue(schedule: DueSchedule, now: Date): Decision {
  const { dueAt, waiting, whenRunning, whenMissed, hasOpenRun } = schedule;
  if (waiting !== null) {
    if (hasOpenRun) return decideBehindRun(schedule, dueAt, now);
    const next = whenRunning === "queue" ? findQueued(schedule, now) : findNext(schedule, now);
    return { action: "start", dueAt, next, missed: null };
  }
  const last = findStartable(schedule, now);
  const next = findNext(schedule, last);
  const lateMs = now.getTime() - addJitter(schedule.id, schedule, last).getTime();
  if (lateMs > MAX_LATE_MS && whenMissed === "skip") return { action: "pass", outcome: "missed", dueAt: last, next };
  if (hasOpenRun) return decideBehindRun(schedule, last, now);
  return { action: "start", dueAt: last, next, missed: last > dueAt ? dueAt : null };
}

function decideBehindRun(schedule: DueSchedule, dueAt: Date, now: Date): Decision {
  if (schedule.whenRunning === "queue") return { action: "wait", dueAt };
  return { action: "pass", outcome: "skipped", dueAt, next: findNext(schedule, now) };
}

/** The latest time whose start, with its jitter, has come. */
function findStartable(schedule: DueSchedule, now: Date): Date {
  const following = findNext(schedule, schedule.dueAt);
  // Most schedules are due once; to look back costs more.
  if (following === null || following > now) return schedule.dueAt;
  // To look back does not find each time: croner passes over days such as 30W beside others. An earlier one is no answer.
  const found = findLast(schedule, now);
  const last = found === null || found < following ? following : found;
  if (addJitter(schedule.id, schedule, last) <= now) return last;
  const before = findLast(schedule, new Date(last.getTime() - 1_000));
  return before === null || before <= schedule.dueAt ? schedule.dueAt : before;
}

/** The time after the one that has waited; the oldest of too many is passed over. */
function findQueued(schedule: DueSchedule, now: Date): Date | null {
  const next = findNext(schedule, schedule.dueAt);
  if (schedule.cron === null || next === null || next > now) return next;
  const oldest = findLastTimes({ ...schedule, cron: schedule.cron }, now, MAX_WAITING).at(-1) ?? next;
  return oldest > next ? oldest : next;
}
