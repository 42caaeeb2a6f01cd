import type { RunStartAnswer } from "swarmbase/extension";
import type { LockedSchedule, ScheduleChange, ScheduleOutcome } from "../sql/schedule-row.ts";
import type { Decision, DueSchedule } from "../timing/decide-due.ts";
import { addJitter, type Timing } from "../timing/due-times.ts";

const MAX_OUTCOMES = 10;
/** The time of the row is that at which its transaction began. The answer came later: by less than this, unless a lock was waited for. */
const BEGUN_BEFORE_MS = 1_000;
/** What the schedule cannot get over by itself: whoever it belongs to may not start this run any more. */
const ENDS: ReadonlySet<string> = new Set([
  "UNAUTHORIZED",
  "FORBIDDEN",
  "PERMISSION_DENIED",
  "INSUFFICIENT_SCOPE",
  "API_KEY_NOT_ALLOWED",
  "AGENT_NOT_FOUND",
  "SWARM_NOT_FOUND",
]);

export function timingOf({ cron, time_zone, run_at, jitter_seconds }: LockedSchedule): Timing {
  return { cron, timeZone: time_zone, runAt: run_at, jitterSeconds: jitter_seconds };
}

/** Returns null when the schedule has not been planned. */
export function toDueSchedule(row: LockedSchedule): DueSchedule | null {
  const { id, due_at: dueAt, when_running: whenRunning, when_missed: whenMissed, waiting, open_run_id } = row;
  if (dueAt === null) return null;
  return { ...timingOf(row), id, dueAt, whenRunning, whenMissed, waiting, hasOpenRun: open_run_id !== null };
}

/** The schedule with another time; null means that it has had its last one. */
export function withTime<Row extends LockedSchedule>(row: Row, due: Date | null): Row {
  const kept = { ...row, waiting: null, retry_at: null };
  if (due === null) return { ...kept, enabled: false, next_run_at: null, due_at: null };
  return { ...kept, next_run_at: addJitter(row.id, timingOf(row), due), due_at: due };
}

/** What comes of a decision that starts nothing. */
export function changeWithoutStart(
  row: LockedSchedule,
  decision: Exclude<Decision, { readonly action: "start" }>,
): ScheduleChange {
  const { dueAt } = decision;
  if (decision.action === "wait") return waitFor(row, dueAt, { waiting: "run", retry_at: Number.POSITIVE_INFINITY });
  return note(withTime(row, decision.next), { ...outcomeOf(row, dueAt), outcome: decision.outcome });
}

/** What comes of the answer to a start. */
export function changeAfterStart(
  row: LockedSchedule,
  { dueAt, next, missed }: Extract<Decision, { readonly action: "start" }>,
  answer: RunStartAnswer,
): ScheduleChange {
  const known = missed === null ? row : note(row, { ...outcomeOf(row, missed), outcome: "missed" });
  const about = outcomeOf(row, dueAt);
  if (answer.outcome === "started") {
    const { runId, swarmId, isRepeated } = answer;
    // A time that was started before is over: its outcome is noted, and nothing would clear its run as the one in progress.
    if (isRepeated) return withTime(known, next);
    const outcome = { ...about, outcome: "started", run_id: runId, swarm_id: swarmId };
    const started = note({ ...withTime(known, next), open_run_id: runId }, outcome);
    // The next one has waited with this one.
    const isBehind = row.when_running === "queue" && next !== null && next <= row.now;
    return isBehind ? { ...started, waiting: "run", retry_at: Number.POSITIVE_INFINITY } : started;
  }
  const { code, message } = answer;
  if (answer.outcome === "limited") {
    const retryAt = new Date(row.now.getTime() + answer.retryAfterSeconds * 1_000 + BEGUN_BEFORE_MS);
    const waiting = waitFor(known, dueAt, { waiting: "limit", retry_at: retryAt });
    return note(waiting, { ...about, outcome: "waiting", code, message });
  }
  return afterFailure(note(withTime(known, next), { ...about, outcome: "rejected", code, message }), code);
}

function afterFailure(row: LockedSchedule, code: string): ScheduleChange {
  const failures = row.failures + 1;
  const isPaused = row.pause_after_failures > 0 && failures >= row.pause_after_failures;
  if (!isPaused && !ENDS.has(code)) return { ...row, failures };
  const reason = ENDS.has(code) ? code : "failures";
  return { ...row, failures, enabled: false, next_run_at: null, due_at: null, paused_reason: reason };
}

function waitFor(
  row: LockedSchedule,
  dueAt: Date,
  waiting: Pick<ScheduleChange, "waiting" | "retry_at">,
): LockedSchedule {
  return { ...row, due_at: dueAt, ...waiting };
}

function outcomeOf({ now }: LockedSchedule, dueAt: Date | null): Pick<ScheduleOutcome, "due_at" | "at"> {
  return { due_at: dueAt?.toISOString() ?? null, at: now.toISOString() };
}

/** The last ten, the latest first. A start that has waited takes the place of its wait. */
export function note<Row extends ScheduleChange>(change: Row, outcome: ScheduleOutcome): Row {
  const others = change.last_outcomes.filter(
    ({ due_at, outcome: word }) => word !== "waiting" || due_at !== outcome.due_at,
  );
  return { ...change, last_outcomes: [outcome, ...others].slice(0, MAX_OUTCOMES) };
}
