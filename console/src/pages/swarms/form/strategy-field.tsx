import { SWARM_STRATEGIES, type SwarmStrategy } from "@swarmbase/sdk";
import { Field } from "../../../components/field.tsx";
import { Picker } from "../../../components/picker.tsx";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { STRATEGY_LABELS } from "../labels.ts";

const CHOICES = SWARM_STRATEGIES.map((value) => ({
  value,
  label: STRATEGY_LABELS[value].label,
  hint: STRATEGY_LABELS[value].text,
}));

interface StrategyFieldProps {
  readonly value: SwarmStrategy;
  onChange(value: SwarmStrategy): void;
  readonly coordinatorId: string | null;
  onCoordinator(id: string | null): void;
  /** The agents that can be the coordinator. */
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly error?: string | undefined;
}

/** Selects the strategy and its coordinator. */
export function StrategyField(props: StrategyFieldProps) {
  const { value, onChange, coordinatorId, onCoordinator, agents, error } = props;
  return (
    <div className="grid gap-4">
      <div className="@container">
        <div className="[&>[role=radiogroup]]:@xl:grid-cols-2">
          <RadioGroup label="Strategy" value={value} choices={CHOICES} onChange={onChange} />
        </div>
      </div>
      {STRATEGY_LABELS[value].hasCoordinator && (
        <Field label="Coordinator" hint="By default the first agent in speaking order." error={error}>
          <Picker
            label="Coordinator"
            value={coordinatorId ?? ""}
            choices={[
              { value: "", label: "The first agent" },
              ...agents.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(id) => onCoordinator(id === "" ? null : id)}
          />
        </Field>
      )}
    </div>
  );
}
