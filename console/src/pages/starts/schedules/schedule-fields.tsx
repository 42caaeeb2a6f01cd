import { CardSection } from "../../../components/card.tsx";
import { Combobox } from "../../../components/combobox.tsx";
import { Field } from "../../../components/field.tsx";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import type { TargetedFieldsProps } from "../targeted/targeted-form.ts";
import { TextArea } from "../../../components/text-area.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import type { ScheduleForm } from "./schedule-draft.ts";

const REPEATS = [
  { value: "cron", label: "Repeatedly" },
  { value: "once", label: "Once" },
] as const;
const CONVERSATIONS = [
  { value: "own", label: "One for all runs", hint: "The agent remembers what it said in earlier runs." },
  { value: "new", label: "A new one for each run" },
] as const;
const WHEN_RUNNING = [
  { value: "skip", label: "Leave the time out" },
  { value: "queue", label: "Start when the run has ended", hint: "At most ten times wait." },
] as const;
const WHEN_MISSED = [
  { value: "last", label: "Start the last one" },
  { value: "skip", label: "Leave them out" },
] as const;
const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone")];

export function ScheduleFields(props: TargetedFieldsProps<ScheduleForm>) {
  const { form, errors, isOfAgent, onChange } = props;
  return (
    <>
      <CardSection title="Message">
        <div className="grid grid-cols-1 gap-4">
          <Field label="Name" error={errors["name"]}>
            <TextInput {...typed(form.name, (name) => onChange({ name }))} autoComplete="off" />
          </Field>
          <Field label="Message" hint="Each run sends it in your name." error={errors["message"]}>
            <TextArea {...typed(form.message, (message) => onChange({ message }))} />
          </Field>
          {isOfAgent && (
            <Choice
              label="Conversation"
              value={form.conversation}
              choices={CONVERSATIONS}
              onChange={(conversation) => onChange({ conversation })}
            />
          )}
        </div>
      </CardSection>
      <TimeFields {...props} />
      <CardSection title="When it cannot start">
        <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
          <Choice
            label="While a run of the schedule is in progress"
            value={form.whenRunning}
            choices={WHEN_RUNNING}
            onChange={(whenRunning) => onChange({ whenRunning })}
          />
          <Choice
            label="When the service was down"
            value={form.whenMissed}
            choices={WHEN_MISSED}
            onChange={(whenMissed) => onChange({ whenMissed })}
          />
        </div>
      </CardSection>
      <CardSection title="Limits">
        <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
          <Field label="Tokens of a run, at most" isOptional error={errors["max_tokens"]}>
            <TextInput inputMode="numeric" {...typed(form.maxTokens, (maxTokens) => onChange({ maxTokens }))} />
          </Field>
          <Field label="USD of a run, at most" isOptional error={errors["max_cost_usd"]}>
            <TextInput inputMode="decimal" {...typed(form.maxCostUsd, (maxCostUsd) => onChange({ maxCostUsd }))} />
          </Field>
          <Field label="Failures in a row until it is paused" hint="0: never." error={errors["pause_after_failures"]}>
            <TextInput
              inputMode="numeric"
              {...typed(form.pauseAfterFailures, (pauseAfterFailures) => onChange({ pauseAfterFailures }))}
            />
          </Field>
          <Field label="Random delay in seconds, at most" error={errors["jitter_seconds"]}>
            <TextInput
              inputMode="numeric"
              {...typed(form.jitterSeconds, (jitterSeconds) => onChange({ jitterSeconds }))}
            />
          </Field>
        </div>
      </CardSection>
    </>
  );
}

function TimeFields({ form, errors, onChange }: TargetedFieldsProps<ScheduleForm>) {
  const zones = ZONES.includes(form.timeZone) ? ZONES : [form.timeZone, ...ZONES];
  return (
    <CardSection
      title="When"
      action={
        <SegmentedControl
          label="How often"
          value={form.repeats}
          choices={REPEATS}
          onChange={(repeats) => onChange({ repeats })}
        />
      }
    >
      {form.repeats === "once" ? (
        <Field label="Time" hint="In the time zone of this browser." error={errors["run_at"]}>
          <TextInput type="datetime-local" step={1} {...typed(form.runAt, (runAt) => onChange({ runAt }))} />
        </Field>
      ) : (
        <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
          <Field
            label="Cron expression"
            hint="Minute, hour, day of the month, month, day of the week: 0 9 * * 1-5 is at 9:00 from Monday to Friday."
            error={errors["cron"]}
          >
            <TextInput
              className="font-mono"
              spellCheck={false}
              autoComplete="off"
              {...typed(form.cron, (cron) => onChange({ cron }))}
            />
          </Field>
          <Field label="Time zone" error={errors["time_zone"]}>
            <Combobox
              label="Time zone"
              value={form.timeZone}
              choices={zones.map((zone) => ({ value: zone, label: zone }))}
              onChange={(timeZone) => onChange({ timeZone })}
            />
          </Field>
        </div>
      )}
    </CardSection>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
  onChange(value: Value): void;
}

/** Radio buttons below their label. */
function Choice<Value extends string>(props: ChoiceProps<Value>) {
  return (
    <div className="grid content-start gap-1.5">
      <p className="text-sm font-medium">{props.label}</p>
      <RadioGroup {...props} />
    </div>
  );
}
