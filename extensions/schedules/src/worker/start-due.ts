import type { ExtensionContext, RunStart, RunStartAnswer } from "swarmbase/extension";
import { changeSchedule, type LockedSchedule, lockSchedule, type ScheduleChange } from "../sql/schedule-row.ts";
import { decideDue, MAX_LATE_MS } from "../timing/decide-due.ts";
import { findNext } from "../timing/due-times.ts";
import { changeAfterStart, changeWithoutStart, note, timingOf, toDueSchedule, withTime } from "./change-of.ts";

type Ports = Pick<ExtensionContext, "database" | "startRun">;

/** The user of a schedule has reached the rate limit, which all schedules of the user share. */
interface ReachedLimit {
  readonly userId: string;
  readonly retryAfterSeconds: number;
}

/** The longest window of a rate limit of the service. Limits of a grant last until the end of the day, and are those of one agent. */
const MAX_WINDOW_SECONDS = 60;

interface Handled {
  /** False means that another transaction holds the schedule, or it is no longer due. */
  readonly isDone: boolean;
  readonly limit: ReachedLimit | null;
}

/**
 * Does what is due for one schedule in one transaction: the run, its message and the next time are stored together or not at all. The
 * key of the run is its due time, so a time that is decided about twice starts one run.
 */
export function startDue({ database, startRun }: Ports, id: string): Promise<Handled> {
  return database.asService(async (query): Promise<Handled> => {
    const row = await lockSchedule(query, id);
    if (row === null || !isReady(row)) return { isDone: false, limit: null };
    const schedule = toDueSchedule(row);
    if (schedule === null) {
      await changeSchedule(query, id, planFirst(row));
      return { isDone: true, limit: null };
    }
    const decision = decideDue(schedule, row.now);
    if (decision.action !== "start") {
      await changeSchedule(query, id, changeWithoutStart(row, decision));
      return { isDone: true, limit: null };
    }
    const answer = await startRun(row.user_id, toRunStart(row), `${id} ${decision.dueAt.toISOString()}`, query);
    await changeSchedule(query, id, changeAfterStart(row, decision, answer));
    return { isDone: true, limit: findLimit(row, answer) };
  });
}

function isReady({ enabled, retry_at, next_run_at, now }: LockedSchedule): boolean {
  const wakesAt = retry_at ?? next_run_at;
  return enabled && (wakesAt === null || Number(wakesAt) <= now.getTime());
}

/** A single time that is over is missed already when the schedule is written. */
function planFirst(row: LockedSchedule): ScheduleChange {
  const timing = timingOf(row);
  const { runAt } = timing;
  const isOver = runAt !== null && row.now.getTime() - runAt.getTime() > MAX_LATE_MS;
  if (!isOver) return withTime(row, runAt ?? findNext(timing, row.now));
  return note(withTime(row, null), { due_at: runAt.toISOString(), at: row.now.toISOString(), outcome: "missed" });
}

export function toRunStart(row: LockedSchedule): RunStart {
  const { id, agent_id: agentId, swarm_id: swarmId, message, conversation, api_key_id: apiKeyId } = row;
  const maxTokens = row.max_tokens === null ? null : Number(row.max_tokens);
  const maxCostUsd = row.max_cost_usd === null ? null : Number(row.max_cost_usd);
  return {
    agentId,
    swarmId,
    message,
    conversation,
    apiKeyId,
    cause: { type: "schedule", id },
    budget: maxTokens === null && maxCostUsd === null ? null : { maxTokens, maxCostUsd },
  };
}

function findLimit({ user_id: userId }: LockedSchedule, answer: RunStartAnswer): ReachedLimit | null {
  if (answer.outcome !== "limited" || answer.code !== "RATE_LIMITED") return null;
  const { retryAfterSeconds } = answer;
  return retryAfterSeconds > MAX_WINDOW_SECONDS ? null : { userId, retryAfterSeconds };
}
