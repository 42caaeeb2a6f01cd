import type { Schedule, ScheduleDraft } from "../../../data/schedules.ts";
import type { TargetedForm } from "../targeted/targeted-form.ts";
import { formOf, renderSchedule, type ScheduleForm } from "./schedule-draft.ts";
import { ScheduleFields } from "./schedule-fields.tsx";

/** The columns whose names differ from those of the fields. */
const COLUMNS: Readonly<Record<string, string>> = {
  timeZone: "time_zone",
  runAt: "run_at",
  repeats: "run_at",
  whenRunning: "when_running",
  whenMissed: "when_missed",
  maxTokens: "max_tokens",
  maxCostUsd: "max_cost_usd",
  jitterSeconds: "jitter_seconds",
  pauseAfterFailures: "pause_after_failures",
};

export const SCHEDULE_FORM: TargetedForm<Schedule, ScheduleForm, ScheduleDraft> = {
  noun: "schedule",
  listPath: "/schedules",
  Fields: ScheduleFields,
  formOf,
  render: renderSchedule,
  columnOf: (field) => COLUMNS[field] ?? field,
};
