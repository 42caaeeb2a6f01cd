import type { JsonObject } from "@swarmbase/sdk";
import type { Trigger, TriggerDraft } from "../../../data/triggers.ts";
import type { RenderedForm, RowForm } from "../../../components/row-form.tsx";
import { parseNumbers, typeNumbers } from "../targeted/numbers.ts";
import { NO_FILTER_ERROR, parseFilter, toFilterText } from "../../../components/filter-text.ts";

/** The columns of the form. Numbers and lists are as they are typed. */
export type TriggerForm = Readonly<
  Omit<TriggerDraft, keyof typeof NUMBERS | "allowed_tools" | "event_id_path" | "filter">
> &
  Readonly<Record<keyof typeof NUMBERS | "allowed_tools" | "event_id_path" | "filter", string>>;

/** What an empty field stands for. */
const NUMBERS = { calls_per_minute: 60, max_tokens: null, max_cost_usd: null, pause_after_failures: 5 } as const;

const EMPTY: TriggerForm = {
  name: "",
  message: "",
  verification: "stripe",
  conversation: "own",
  signature_header: "X-Signature",
  signature_encoding: "hex",
  signature_prefix: "",
  event_id_path: "",
  filter: "",
  calls_per_minute: "60",
  max_tokens: "",
  max_cost_usd: "",
  allowed_tools: "",
  pause_after_failures: "5",
};

function formOf(row: Trigger | null): TriggerForm {
  if (row === null) return EMPTY;
  return {
    ...row,
    event_id_path: row.event_id_path ?? "",
    filter: toFilterText(row.filter as JsonObject | null),
    allowed_tools: row.allowed_tools.join(", "),
    ...typeNumbers(row, NUMBERS),
  };
}

/** The service checks the rest. */
export function renderTrigger(form: TriggerForm): RenderedForm<TriggerDraft> {
  const { numbers, faults } = parseNumbers(form, NUMBERS);
  if (Object.keys(faults).length > 0) return { faults };
  const filter = parseFilter(form.filter);
  if (filter === undefined) return { faults: { filter: NO_FILTER_ERROR } };
  const { name, message, verification, conversation, signature_header, signature_encoding, signature_prefix } = form;
  return {
    draft: {
      name,
      message,
      verification,
      conversation,
      signature_header,
      signature_encoding,
      signature_prefix,
      ...numbers,
      event_id_path: form.event_id_path.trim() === "" ? null : form.event_id_path.trim(),
      filter,
      allowed_tools: form.allowed_tools.split(/[\s,]+/u).filter((word) => word !== ""),
    },
  };
}

export const TRIGGER_FORM: RowForm<Trigger, TriggerForm, TriggerDraft> = { formOf, render: renderTrigger };
