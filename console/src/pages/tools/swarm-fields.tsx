import { useChoices } from "../../data/choices.ts";
import { useUser } from "../../data/session.ts";
import { bindForm, type FieldsProps, NumberField, PickerField } from "../../components/form-fields.tsx";
import type { ToolForm } from "./tool-draft.ts";

/** The swarm whose agents work on each call, and what a call may use. */
export function SwarmFields(props: FieldsProps<ToolForm>) {
  const { form, errors } = props;
  const bind = bindForm(props, { maxTokens: "budget.max_tokens", maxCostUsd: "budget.max_cost_usd" });
  const { rows: swarms = [], search } = useChoices("swarms", {
    where: [["owner_id", "eq", useUser().id]],
    ids: [form.swarmId],
  });
  const isKnown = swarms.some(({ id }) => id === form.swarmId);
  return (
    <div className="grid gap-5">
      <PickerField
        label="Swarm"
        hint="Its agents get the input in a conversation of its own, without its members and messages, and return the last answer."
        choices={[
          ...(isKnown ? [] : [{ value: form.swarmId, label: form.swarmId === "" ? "Choose a swarm" : "Another one" }]),
          ...swarms.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onSearch={search}
        {...bind("swarmId")}
        error={errors["swarm_id"] ?? errors["config"]}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <NumberField label="Tokens of a call, at most" isOptional min={0} step={1} {...bind("maxTokens")} />
        <NumberField label="USD of a call, at most" isOptional min={0} step="any" {...bind("maxCostUsd")} />
      </div>
    </div>
  );
}
