import { FIELD_BOUNDS, GUARDRAIL_ACTIONS, GUARDRAIL_DEFAULTS, GUARDRAIL_KINDS, GUARDRAIL_STAGES } from "@swarmbase/sdk";
import { CardSection } from "../../components/card.tsx";
import { Field } from "../../components/field.tsx";
import { RadioGroup } from "../../components/radio-group.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { KindFields, type KindFieldsProps } from "./kind-fields.tsx";
import { ACTION_LABELS, KIND_LABELS, STAGE_LABELS, toChoices } from "./labels.ts";

const KINDS = toChoices(GUARDRAIL_KINDS, KIND_LABELS);
const STAGES = toChoices(GUARDRAIL_STAGES, STAGE_LABELS);
const ACTIONS = toChoices(GUARDRAIL_ACTIONS, ACTION_LABELS);

export interface GuardrailFieldsProps extends KindFieldsProps {
  /** The kind of a stored guardrail cannot change. */
  readonly hasFixedKind: boolean;
}

export function GuardrailFields(props: GuardrailFieldsProps) {
  const { form, errors, onChange, hasFixedKind } = props;
  return (
    <>
      <CardSection title="Check">
        <div className="grid grid-cols-1 gap-4">
          <Field label="Name" hint="Shown in errors and flags." error={errors["name"]}>
            <TextInput
              {...typed(form.name, (name) => onChange({ name }))}
              maxLength={FIELD_BOUNDS["guardrails.name"].max}
              autoComplete="off"
            />
          </Field>
          <RadioGroup
            label="What is checked"
            value={form.stage}
            choices={STAGES}
            onChange={(stage) => onChange({ stage })}
          />
          <Field label="Kind" hint={KIND_LABELS[form.kind].hint} error={errors["kind"] ?? errors["config"]}>
            <Select value={form.kind} choices={KINDS} disabled={hasFixedKind} onChange={(kind) => onChange({ kind })} />
          </Field>
          <KindFields form={form} errors={errors} onChange={onChange} />
        </div>
      </CardSection>
      <CardSection title="When it trips">
        <div className="grid grid-cols-1 gap-4">
          <RadioGroup
            label="When it trips"
            value={form.action}
            choices={ACTIONS}
            onChange={(action) => onChange({ action })}
          />
          {form.action === "rewrite" && (
            <Field label="Replacement" isOptional error={errors["config.replacement"]}>
              <TextArea
                rows={2}
                placeholder={GUARDRAIL_DEFAULTS.replacement}
                {...typed(form.replacement, (replacement) => onChange({ replacement }))}
              />
            </Field>
          )}
        </div>
      </CardSection>
      <CardSection title="Order">
        <div className="grid grid-cols-1 gap-4">
          <Field
            label="Position"
            hint="Guardrails of the swarm come first, then those of the agent; each by position."
            error={errors["position"]}
          >
            <TextInput
              type="number"
              inputMode="numeric"
              min={FIELD_BOUNDS["guardrails.position"].min}
              max={FIELD_BOUNDS["guardrails.position"].max}
              {...typed(form.position, (position) => onChange({ position }))}
            />
          </Field>
          <Field label="On">
            <Switch isOn={form.isActive} onChange={(isActive) => onChange({ isActive })} />
          </Field>
        </div>
      </CardSection>
    </>
  );
}
