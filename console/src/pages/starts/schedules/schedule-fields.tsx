import { CardSection } from "../../../components/card.tsx";
import { Combobox } from "../../../components/combobox.tsx";
import { Field } from "../../../components/field.tsx";
import { bindForm, type FieldsProps, RadioField, TextField } from "../../../components/form-fields.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { LimitFields, MessageFields, type TargetedFieldsProps } from "../targeted/targeted-fields.tsx";
import type { ScheduleForm } from "./schedule-draft.ts";

const REPEATS = [
  { value: "cron", label: "Repeatedly" },
  { value: "once", label: "Once" },
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
  const bind = bindForm(props);
  return (
    <>
      <MessageFields {...props} hint="Each run sends it in your name." />
      <TimeFields {...props} />
      <CardSection title="When it cannot start">
        <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
          <RadioField
            label="While a run of the schedule is in progress"
            choices={WHEN_RUNNING}
            {...bind("when_running")}
          />
          <RadioField label="When the service was down" choices={WHEN_MISSED} {...bind("when_missed")} />
        </div>
      </CardSection>
      <LimitFields {...props}>
        <TextField label="Random delay in seconds, at most" inputMode="numeric" {...bind("jitter_seconds")} />
      </LimitFields>
    </>
  );
}

function TimeFields(props: FieldsProps<ScheduleForm>) {
  const { form, errors } = props;
  const bind = bindForm(props);
  const zones = ZONES.includes(form.time_zone) ? ZONES : [form.time_zone, ...ZONES];
  return (
    <CardSection title="When" action={<SegmentedControl label="How often" choices={REPEATS} {...bind("repeats")} />}>
      {form.repeats === "once" ? (
        <TextField
          label="Time"
          hint="In the time zone of this browser."
          type="datetime-local"
          step={1}
          {...bind("run_at")}
        />
      ) : (
        <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
          <TextField
            label="Cron expression"
            hint="Minute, hour, day of the month, month, day of the week: 0 9 * * 1-5 is at 9:00 from Monday to Friday."
            className="font-mono"
            spellCheck={false}
            autoComplete="off"
            {...bind("cron")}
          />
          <Field label="Time zone" error={errors["time_zone"]}>
            <Combobox
              label="Time zone"
              choices={zones.map((zone) => ({ value: zone, label: zone }))}
              {...bind("time_zone")}
            />
          </Field>
        </div>
      )}
    </CardSection>
  );
}
