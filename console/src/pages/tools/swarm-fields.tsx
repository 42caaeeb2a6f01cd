import { useChoices } from "../../data/choices.ts";
import { useUser } from "../../data/session.ts";
import { Field } from "../../components/field.tsx";
import { Picker } from "../../components/picker.tsx";
import { TextInput } from "../../components/text-input.tsx";
import type { RequestFieldsProps } from "./request-fields.tsx";

/** The swarm whose agents work on each call, and what a call may use. */
export function SwarmFields({ form, onChange, errors }: Pick<RequestFieldsProps, "form" | "onChange" | "errors">) {
  const { rows: swarms = [], search } = useChoices("swarms", {
    where: [["owner_id", "eq", useUser().id]],
    ids: [form.swarmId],
  });
  const isKnown = swarms.some(({ id }) => id === form.swarmId);
  return (
    <div className="grid gap-5">
      <Field
        label="Swarm"
        error={errors["swarm_id"] ?? errors["config"]}
        hint="Its agents get the input in a conversation of its own, without its members and messages, and return the last answer."
      >
        <Picker
          label="Swarm"
          value={form.swarmId}
          choices={[
            ...(isKnown
              ? []
              : [{ value: form.swarmId, label: form.swarmId === "" ? "Choose a swarm" : "Another one" }]),
            ...swarms.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(swarmId) => onChange({ swarmId })}
          onSearch={search}
        />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Tokens of a call, at most" isOptional error={errors["budget.max_tokens"]}>
          <Amount step={1} value={form.maxTokens} onChange={(maxTokens) => onChange({ maxTokens })} />
        </Field>
        <Field label="USD of a call, at most" isOptional error={errors["budget.max_cost_usd"]}>
          <Amount step="any" value={form.maxCostUsd} onChange={(maxCostUsd) => onChange({ maxCostUsd })} />
        </Field>
      </div>
    </div>
  );
}

interface AmountProps {
  readonly step: number | "any";
  readonly value: number | null;
  onChange(value: number | null): void;
}

function Amount({ step, value, onChange }: AmountProps) {
  return (
    <TextInput
      type="number"
      min={0}
      step={step}
      value={value === null || Number.isNaN(value) ? "" : value}
      onChange={({ target }) => onChange(target.value === "" ? null : target.valueAsNumber)}
    />
  );
}
