import { SWARM_STRATEGIES, type SwarmStrategy } from "@swarmbase/sdk";
import { Field } from "../../../components/field.tsx";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { Select } from "../../../components/select.tsx";
import { STRATEGY_WORDS } from "../words.ts";

const CHOICES = SWARM_STRATEGIES.map((value) => ({
  value,
  label: STRATEGY_WORDS[value].label,
  hint: STRATEGY_WORDS[value].text,
}));

export interface StrategyFieldProps {
  readonly value: SwarmStrategy;
  onChange(value: SwarmStrategy): void;
  readonly coordinatorId: string | null;
  onCoordinator(id: string | null): void;
  /** Those who are, or will be, in the room. */
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly error?: string | undefined;
}

/** Who speaks when, and who leads where somebody does. */
export function StrategyField(props: StrategyFieldProps) {
  const { value, onChange, coordinatorId, onCoordinator, agents, error } = props;
  return (
    <div className="grid gap-4">
      <div className="@container">
        <div className="[&>[role=radiogroup]]:@xl:grid-cols-2">
          <RadioGroup label="Who speaks when" value={value} choices={CHOICES} onChange={onChange} />
        </div>
      </div>
      {STRATEGY_WORDS[value].hasCoordinator && (
        <Field label="Coordinator" hint="Without one, the first in the order takes its place." error={error}>
          <Select
            value={coordinatorId ?? ""}
            choices={[
              { value: "", label: "The first in the order" },
              ...agents.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(id) => onCoordinator(id === "" ? null : id)}
          />
        </Field>
      )}
    </div>
  );
}
