import type { Schedule, ScheduleDraft } from "../../../data/schedules.ts";
import type { RenderedForm } from "../targeted/targeted-form.ts";

/** The fields of the form. Those of the other kind of time keep what was typed while the kind changes. */
export interface ScheduleForm {
  readonly name: string;
  readonly message: string;
  readonly conversation: Schedule["conversation"];
  readonly repeats: "cron" | "once";
  readonly cron: string;
  readonly timeZone: string;
  /** In the time zone of the browser, as a field of a date and time has it. */
  readonly runAt: string;
  readonly whenRunning: Schedule["when_running"];
  readonly whenMissed: Schedule["when_missed"];
  /** Empty: no limit of its own. */
  readonly maxTokens: string;
  readonly maxCostUsd: string;
  readonly jitterSeconds: string;
  readonly pauseAfterFailures: string;
}

export const EMPTY_SCHEDULE: ScheduleForm = {
  name: "",
  message: "",
  conversation: "own",
  repeats: "cron",
  cron: "0 9 * * 1-5",
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  runAt: "",
  whenRunning: "skip",
  whenMissed: "last",
  maxTokens: "",
  maxCostUsd: "",
  jitterSeconds: "0",
  pauseAfterFailures: "5",
};

export function formOf(row: Schedule | null): ScheduleForm {
  if (row === null) return EMPTY_SCHEDULE;
  return {
    name: row.name,
    message: row.message,
    conversation: row.conversation,
    repeats: row.cron === null ? "once" : "cron",
    cron: row.cron ?? EMPTY_SCHEDULE.cron,
    timeZone: row.time_zone,
    runAt: row.run_at === null ? "" : toLocal(row.run_at),
    whenRunning: row.when_running,
    whenMissed: row.when_missed,
    maxTokens: row.max_tokens === null ? "" : String(row.max_tokens),
    maxCostUsd: row.max_cost_usd === null ? "" : String(row.max_cost_usd),
    jitterSeconds: String(row.jitter_seconds),
    pauseAfterFailures: String(row.pause_after_failures),
  };
}

/** The service checks the rest. A time that is not changed stays as it is in `base`, to the microsecond. */
export function renderSchedule(form: ScheduleForm, base: Schedule | null = null): RenderedForm<ScheduleDraft> {
  const { name, message, conversation, repeats, cron, timeZone, whenRunning, whenMissed } = form;
  const runAtMs = Date.parse(form.runAt);
  const isSameTime = base !== null && formOf(base).runAt === form.runAt;
  const numbers = {
    max_tokens: toNumber(form.maxTokens),
    max_cost_usd: toNumber(form.maxCostUsd),
    jitter_seconds: toNumber(form.jitterSeconds) ?? 0,
    pause_after_failures: toNumber(form.pauseAfterFailures) ?? 0,
  };
  const faults = {
    ...Object.fromEntries(
      Object.entries(numbers).flatMap(([column, value]) =>
        Number.isNaN(value) ? [[column, "Must be a number."]] : [],
      ),
    ),
    ...(repeats === "once" && Number.isNaN(runAtMs) && { run_at: "Choose a date and a time." }),
  };
  if (Object.keys(faults).length > 0) return { faults };
  return {
    draft: {
      name,
      message,
      conversation,
      cron: repeats === "cron" ? cron.trim().replace(/\s+/gu, " ") : null,
      time_zone: timeZone,
      run_at: repeats === "cron" ? null : isSameTime ? base.run_at : new Date(runAtMs).toISOString(),
      when_running: whenRunning,
      when_missed: whenMissed,
      ...numbers,
    },
  };
}

function toNumber(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

/** The inverse of `Date.parse` for a text without a zone, to the second. */
function toLocal(at: string): string {
  const date = new Date(at);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, "2030-01-01T00:00:00".length);
}
