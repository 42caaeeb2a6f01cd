import type { GuardrailAction, GuardrailKind, GuardrailStage } from "@swarmbase/sdk";

export const KIND_LABELS: Readonly<Record<GuardrailKind, { readonly label: string; readonly hint: string }>> = {
  pattern: { label: "Pattern", hint: "Trips when the pattern occurs in the text." },
  schema: { label: "JSON Schema", hint: "Trips when the text is not JSON that satisfies the schema." },
  model: { label: "Model", hint: "Trips when a model finds that the text violates your policy." },
  webhook: { label: "Webhook", hint: "Trips unless your server answers that the text is allowed." },
};

export const STAGE_LABELS: Readonly<Record<GuardrailStage, { readonly label: string; readonly hint: string }>> = {
  input: { label: "What the agent reads", hint: "Every message in its context that is not its own." },
  output: { label: "What the agent answers", hint: "The text is sent to readers at once, after the check." },
};

export const ACTION_LABELS: Readonly<Record<GuardrailAction, { readonly label: string; readonly hint: string }>> = {
  block: { label: "Block", hint: "Ends the turn with the error GUARDRAIL_BLOCKED." },
  rewrite: { label: "Rewrite", hint: "Replaces each match of a pattern; otherwise the whole text." },
};

export function toChoices<Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<Value, { readonly label: string; readonly hint: string }>>,
): readonly { readonly value: Value; readonly label: string; readonly hint: string }[] {
  return values.map((value) => ({ value, ...labels[value] }));
}
