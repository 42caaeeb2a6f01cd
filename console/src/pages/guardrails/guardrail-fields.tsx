import { FIELD_BOUNDS, GUARDRAIL_ACTIONS, GUARDRAIL_DEFAULTS, GUARDRAIL_KINDS, GUARDRAIL_STAGES } from "@swarmbase/sdk";
import { CardSection } from "../../components/card.tsx";
import {
  bindForm,
  type FieldsProps,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from "../../components/form-fields.tsx";
import { RadioGroup } from "../../components/radio-group.tsx";
import { ERROR_NAMES, type GuardrailForm } from "./guardrail-draft.ts";
import { KindFields } from "./kind-fields.tsx";
import { ACTION_LABELS, KIND_LABELS, STAGE_LABELS, toChoices } from "./labels.ts";

const KINDS = toChoices(GUARDRAIL_KINDS, KIND_LABELS);
const STAGES = toChoices(GUARDRAIL_STAGES, STAGE_LABELS);
const ACTIONS = toChoices(GUARDRAIL_ACTIONS, ACTION_LABELS);

interface GuardrailFieldsProps extends FieldsProps<GuardrailForm> {
  /** The kind of a stored guardrail cannot change. */
  readonly hasFixedKind: boolean;
}

export function GuardrailFields({ hasFixedKind, ...props }: GuardrailFieldsProps) {
  const { form, errors } = props;
  const bind = bindForm(props, ERROR_NAMES);
  return (
    <>
      <CardSection title="Check">
        <div className="grid grid-cols-1 gap-4">
          <TextField
            label="Name"
            hint="Shown in errors and flags."
            maxLength={FIELD_BOUNDS["guardrails.name"].max}
            autoComplete="off"
            {...bind("name")}
          />
          <RadioGroup label="What is checked" choices={STAGES} {...bind("stage")} />
          <SelectField
            label="Kind"
            hint={KIND_LABELS[form.kind].hint}
            choices={KINDS}
            disabled={hasFixedKind}
            {...bind("kind")}
            error={errors["kind"] ?? errors["config"]}
          />
          <KindFields {...props} />
        </div>
      </CardSection>
      <CardSection title="When it trips">
        <div className="grid grid-cols-1 gap-4">
          <RadioGroup label="When it trips" choices={ACTIONS} {...bind("action")} />
          {form.action === "rewrite" && (
            <TextAreaField
              label="Replacement"
              isOptional
              rows={2}
              placeholder={GUARDRAIL_DEFAULTS.replacement}
              {...bind("replacement")}
            />
          )}
        </div>
      </CardSection>
      <CardSection title="Order">
        <div className="grid grid-cols-1 gap-4">
          <TextField
            label="Position"
            hint="Guardrails of the swarm come first, then those of the agent; each by position."
            type="number"
            inputMode="numeric"
            min={FIELD_BOUNDS["guardrails.position"].min}
            max={FIELD_BOUNDS["guardrails.position"].max}
            {...bind("position")}
          />
          <SwitchField label="On" {...bind("isActive")} />
        </div>
      </CardSection>
    </>
  );
}
