import type { RunStatus, ScheduleOutcome } from "@swarmbase/sdk";
import type { Schedule } from "../../../data/schedules.ts";
import { formatExact } from "../../../components/formats.ts";
import { describePause, labelOf, type StatusLabel } from "../targeted/labels.ts";

const OUTCOMES: Readonly<Record<Exclude<ScheduleOutcome["outcome"], RunStatus>, StatusLabel>> = {
  started: { status: "running", word: "Started" },
  skipped: { status: "inactive", word: "Skipped" },
  missed: { status: "inactive", word: "Missed" },
  rejected: { status: "failed", word: "Rejected" },
  deleted: { status: "inactive", word: "Run deleted" },
};

export const describeOutcome = ({ outcome }: ScheduleOutcome): StatusLabel => labelOf(outcome, OUTCOMES);

/** "0 9 * * 1-5, Europe/Berlin", "3 May 2030, 10:00" */
export function describeTimes({ cron, time_zone: zone, run_at: at }: Schedule): string {
  return cron === null ? formatExact(at ?? "") : `${cron}, ${zone}`;
}

/** Why a schedule does not simply wait for its next time; null when it does. */
export function describeHold(row: Schedule): string | null {
  const pause = describePause(row);
  if (pause !== null) return pause;
  if (row.waiting === "run") return "A start waits until the run in progress has ended.";
  return row.waiting === "limit" ? `A start waits for a limit until ${formatExact(row.retry_at ?? "")}.` : null;
}
