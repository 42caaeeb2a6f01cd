import type { RunStatus, ScheduleOutcome } from "@swarmbase/sdk";
import type { Schedule } from "../../../data/schedules.ts";
import { formatExact } from "../../../components/formats.ts";
import type { Status } from "../../../components/status-dot.tsx";

interface OutcomeLabel {
  readonly status: Status;
  readonly word?: string;
}

const OUTCOMES: Readonly<Record<Exclude<ScheduleOutcome["outcome"], RunStatus>, OutcomeLabel>> = {
  started: { status: "running", word: "Started" },
  skipped: { status: "inactive", word: "Skipped" },
  missed: { status: "inactive", word: "Missed" },
  rejected: { status: "failed", word: "Rejected" },
  deleted: { status: "inactive", word: "Run deleted" },
};

export function describeOutcome({ outcome }: ScheduleOutcome): OutcomeLabel {
  return Object.hasOwn(OUTCOMES, outcome)
    ? OUTCOMES[outcome as keyof typeof OUTCOMES]
    : { status: outcome as RunStatus };
}

/** "0 9 * * 1-5, Europe/Berlin", "3 May 2030, 10:00" */
export function describeTimes({ cron, time_zone: zone, run_at: at }: Schedule): string {
  return cron === null ? formatExact(at ?? "") : `${cron}, ${zone}`;
}

const PAUSED: Readonly<Record<string, string>> = {
  failures: "It was paused after failures in a row.",
  UNAUTHORIZED: "It was stopped, because your account or its API key may not start runs any more.",
  PERMISSION_DENIED: "It was stopped, because you may not ask its agent any more.",
  FORBIDDEN: "It was stopped, because you may not write in its swarm any more.",
};

/** Why a schedule does not simply wait for its next time; null when it does. */
export function describeHold({ enabled, paused_reason: reason, waiting, retry_at: retryAt }: Schedule): string | null {
  if (reason !== null) return PAUSED[reason] ?? `It was stopped: ${reason}.`;
  if (!enabled) return "It is off.";
  if (waiting === "run") return "A start waits until the run in progress has ended.";
  if (waiting === "limit") return `A start waits for a limit until ${formatExact(retryAt ?? "")}.`;
  return null;
}
