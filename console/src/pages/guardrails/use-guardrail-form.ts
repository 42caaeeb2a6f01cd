import { useState } from "react";
import type { Write } from "../../data/write.ts";
import type { FormFailure } from "../../components/form-frame.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { type GuardrailForm, renderGuardrail } from "./guardrail-draft.ts";

/** The service names columns, and members of the configuration with a dot. */
const FIELDS: Partial<Record<keyof GuardrailForm, string>> = {
  kind: "config",
  isActive: "is_active",
  replacement: "config.replacement",
  pattern: "config.pattern",
  schema: "config.schema",
  policy: "config.policy",
  framework: "config.framework",
  model: "config.model",
  url: "config.url",
  headers: "config.headers",
  timeoutMs: "config.timeout_ms",
  onError: "config.on_error",
};

/** The state of a form that makes or changes a guardrail. */
export function useGuardrailForm(
  initial: GuardrailForm,
  write: Pick<Write<never, unknown>, "errors" | "isBusy"> & { readonly failure: FormFailure | null },
) {
  const [form, setForm] = useState(initial);
  const [isDirty, setDirty] = useState(false);
  // One object for each submission: with a new one, the frame moves the focus.
  const [found, setFound] = useState<FormFailure | null>(null);
  const { errors, touch } = useFreshErrors(found?.fields ?? write.errors);
  const change = (changed: Partial<GuardrailForm>): void => {
    for (const field of Object.keys(changed) as (keyof GuardrailForm)[]) touch(FIELDS[field] ?? field);
    setForm({ ...form, ...changed });
    setDirty(true);
  };
  return {
    form,
    change,
    reset: (next: GuardrailForm): void => {
      setForm(next);
      setDirty(false);
      setFound(null);
    },
    /** Null when a field has an error. */
    render: () => {
      const rendered = renderGuardrail(form);
      setFound("faults" in rendered ? { message: "", fields: rendered.faults } : null);
      return "faults" in rendered ? null : rendered.draft;
    },
    frame: {
      isDirty,
      errors,
      isBusy: write.isBusy,
      failure: found ?? write.failure,
    },
  };
}
