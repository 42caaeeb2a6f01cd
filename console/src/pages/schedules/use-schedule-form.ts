import { useState } from "react";
import type { Schedule } from "../../data/schedules.ts";
import type { Write } from "../../data/write.ts";
import type { FormFailure } from "../../components/form-frame.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { EMPTY_SCHEDULE, formOf, renderSchedule, type ScheduleForm } from "./schedule-draft.ts";

/** The columns whose names differ from those of the fields. */
const COLUMNS: Partial<Record<keyof ScheduleForm, string>> = {
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

/** The state of a form that makes a schedule, or changes `base`. */
export function useScheduleForm(
  base: Schedule | null,
  write: Pick<Write<never, unknown>, "errors" | "isBusy"> & { readonly failure: FormFailure | null },
) {
  const [form, setForm] = useState(base === null ? EMPTY_SCHEDULE : formOf(base));
  const [isDirty, setDirty] = useState(false);
  // One object for each submission: with a new one, the frame moves the focus.
  const [found, setFound] = useState<FormFailure | null>(null);
  const { errors, touch } = useFreshErrors(found?.fields ?? write.errors);
  return {
    form,
    change: (changed: Partial<ScheduleForm>): void => {
      for (const field of Object.keys(changed) as (keyof ScheduleForm)[]) touch(COLUMNS[field] ?? field);
      setForm({ ...form, ...changed });
      setDirty(true);
    },
    reset: (row: Schedule): void => {
      setForm(formOf(row));
      setDirty(false);
      setFound(null);
    },
    /** Null when a field has an error. */
    render: () => {
      const rendered = renderSchedule(form, base);
      setFound("faults" in rendered ? { message: "", fields: rendered.faults } : null);
      return "faults" in rendered ? null : rendered.draft;
    },
    frame: { isDirty, errors, isBusy: write.isBusy, failure: found ?? write.failure },
  };
}
