import type { Trigger, TriggerDraft } from "../../../data/triggers.ts";
import type { TargetedForm } from "../targeted/targeted-form.ts";
import { formOf, renderTrigger, type TriggerForm } from "./trigger-draft.ts";
import { TriggerFields } from "./trigger-fields.tsx";

export const TRIGGER_FORM: TargetedForm<Trigger, TriggerForm, TriggerDraft> = {
  noun: "trigger",
  listPath: "/triggers",
  Fields: TriggerFields,
  formOf,
  render: renderTrigger,
};
