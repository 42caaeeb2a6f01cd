import { SelectField, SwitchField, TextAreaField } from "../../../components/form-fields.tsx";
import type { SettingsFieldsProps } from "./limits-fields.tsx";
import type { SettingsDraft } from "./settings-draft.ts";

const CONFLICT_CHOICES = [
  { value: "enqueue", label: "The new question is queued" },
  { value: "reject", label: "The new question is rejected" },
  { value: "interrupt", label: "The new question interrupts it" },
] as const;
const AGENT_ERROR_CHOICES = [
  { value: "continue", label: "The others go on" },
  { value: "stop", label: "The run ends" },
] as const;

const COLUMNS = {
  onConflict: "settings.on_conflict",
  onAgentError: "settings.on_agent_error",
  autoRespond: "settings.auto_respond",
  isModerated: "settings.moderation",
  blocklist: "settings.moderation",
  moderationAction: "settings.moderation",
} as const;

function bindSettings({ draft, errors, onChange }: SettingsFieldsProps) {
  return <Name extends keyof typeof COLUMNS>(name: Name) => ({
    value: draft[name],
    error: errors[COLUMNS[name]],
    onChange: (value: SettingsDraft[Name]) => onChange({ ...draft, [name]: value }, COLUMNS[name]),
  });
}

export function ConductFields(props: SettingsFieldsProps) {
  const bind = bindSettings(props);
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <SelectField label="When a run is under way" choices={CONFLICT_CHOICES} {...bind("onConflict")} />
      <SelectField label="When an agent fails" choices={AGENT_ERROR_CHOICES} {...bind("onAgentError")} />
      <div className="sm:col-span-2">
        <SwitchField
          label="Answer everything"
          hint="Agents also answer messages that are sent without a question to them."
          {...bind("autoRespond")}
        />
      </div>
    </div>
  );
}

const ACTION_CHOICES = [
  { value: "flag", label: "Flag it" },
  { value: "block", label: "Reject it" },
] as const;

export function ModerationFields(props: SettingsFieldsProps) {
  const { draft, errors } = props;
  const bind = bindSettings(props);
  return (
    <div className="grid gap-4">
      <SwitchField
        label="Check messages"
        hint="Compares messages of people and agents with the terms."
        {...bind("isModerated")}
        error={undefined}
      />
      {draft.isModerated && (
        <>
          <TextAreaField
            label="Terms"
            hint="One per line, up to 1000. They match whole words, ignoring case."
            spellCheck={false}
            {...bind("blocklist")}
            error={errors["settings.moderation.blocklist"] ?? errors["settings.moderation"]}
          />
          <SelectField
            label="What happens to a matching message"
            hint="Messages of agents are flagged in either case."
            choices={ACTION_CHOICES}
            className="sm:max-w-64"
            {...bind("moderationAction")}
            error={errors["settings.moderation.action"]}
          />
        </>
      )}
    </div>
  );
}
