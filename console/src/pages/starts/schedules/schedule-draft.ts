import type { Schedule, ScheduleDraft } from "../../../data/schedules.ts";
import type { RenderedForm, RowForm } from "../../../components/row-form.tsx";
import { parseNumbers, typeNumbers } from "../targeted/numbers.ts";

const NUMBERS = { max_tokens: null, max_cost_usd: null, jitter_seconds: 0, pause_after_failures: 0 } as const;

type Written = Omit<ScheduleDraft, keyof typeof NUMBERS | "cron" | "run_at">;

/** The columns of the form, numbers as they are typed. Those of the other kind of time keep what was typed while the kind changes. */
export interface ScheduleForm extends Readonly<Record<keyof typeof NUMBERS, string>>, Readonly<Written> {
  readonly repeats: "cron" | "once";
  readonly cron: string;
  /** In the time zone of the browser, as a field of a date and time has it. */
  readonly run_at: string;
}

export const EMPTY_SCHEDULE: ScheduleForm = {
  name: "",
  message: "",
  conversation: "own",
  repeats: "cron",
  cron: "0 9 * * 1-5",
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  run_at: "",
  when_running: "skip",
  when_missed: "last",
  max_tokens: "",
  max_cost_usd: "",
  jitter_seconds: "0",
  pause_after_failures: "5",
};

export function formOf(row: Schedule | null): ScheduleForm {
  if (row === null) return EMPTY_SCHEDULE;
  return {
    ...row,
    repeats: row.cron === null ? "once" : "cron",
    cron: row.cron ?? EMPTY_SCHEDULE.cron,
    run_at: row.run_at === null ? "" : toLocal(row.run_at),
    ...typeNumbers(row, NUMBERS),
  };
}

/** The service checks the rest. A time that is not changed stays as it is in `base`, to the microsecond. */
export function renderSchedule(form: ScheduleForm, base: Schedule | null = null): RenderedForm<ScheduleDraft> {
  const { name, message, conversation, repeats, cron, time_zone, when_running, when_missed } = form;
  const runAtMs = Date.parse(form.run_at);
  const isSameTime = base !== null && formOf(base).run_at === form.run_at;
  const { numbers, faults: wrong } = parseNumbers(form, NUMBERS);
  const faults = {
    ...wrong,
    ...(repeats === "once" && Number.isNaN(runAtMs) && { run_at: "Choose a date and a time." }),
  };
  if (Object.keys(faults).length > 0) return { faults };
  return {
    draft: {
      name,
      message,
      conversation,
      cron: repeats === "cron" ? cron.trim().replace(/\s+/gu, " ") : null,
      time_zone,
      run_at: repeats === "cron" ? null : isSameTime ? base.run_at : new Date(runAtMs).toISOString(),
      when_running,
      when_missed,
      ...numbers,
    },
  };
}

export const SCHEDULE_FORM: RowForm<Schedule, ScheduleForm, ScheduleDraft> = {
  formOf,
  render: renderSchedule,
  columnsOf: (field) => [field === "repeats" ? "run_at" : field],
};

/** The inverse of `Date.parse` for a text without a zone, to the second. */
function toLocal(at: string): string {
  const date = new Date(at);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, "2030-01-01T00:00:00".length);
}
