import { Field } from "../../../components/field.tsx";
import { Select } from "../../../components/select.tsx";
import { Switch } from "../../../components/switch.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { typed } from "../../../components/typed.ts";
import type { SettingsFieldsProps } from "./limits-fields.tsx";

const CONFLICT_CHOICES = [
  { value: "enqueue", label: "The new question is queued" },
  { value: "reject", label: "The new question is rejected" },
  { value: "interrupt", label: "The new question interrupts it" },
] as const;
const AGENT_ERROR_CHOICES = [
  { value: "continue", label: "The others go on" },
  { value: "stop", label: "The run ends" },
] as const;

export function ConductFields({ draft, onChange, errors }: SettingsFieldsProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field label="When a run is under way" error={errors["settings.on_conflict"]}>
        <Select
          value={draft.onConflict}
          choices={CONFLICT_CHOICES}
          onChange={(onConflict) => onChange({ ...draft, onConflict }, "settings.on_conflict")}
        />
      </Field>
      <Field label="When an agent fails" error={errors["settings.on_agent_error"]}>
        <Select
          value={draft.onAgentError}
          choices={AGENT_ERROR_CHOICES}
          onChange={(onAgentError) => onChange({ ...draft, onAgentError }, "settings.on_agent_error")}
        />
      </Field>
      <div className="sm:col-span-2">
        <Field
          label="Answer everything"
          hint="Agents also answer messages that are sent without a question to them."
          error={errors["settings.auto_respond"]}
        >
          <Switch
            isOn={draft.autoRespond}
            onChange={(autoRespond) => onChange({ ...draft, autoRespond }, "settings.auto_respond")}
          />
        </Field>
      </div>
    </div>
  );
}

const ACTION_CHOICES = [
  { value: "flag", label: "Flag it" },
  { value: "block", label: "Reject it" },
] as const;

export function ModerationFields({ draft, onChange, errors }: SettingsFieldsProps) {
  return (
    <div className="grid gap-4">
      <Field label="Check messages" hint="Compares messages of people and agents with the terms.">
        <Switch
          isOn={draft.isModerated}
          onChange={(isModerated) => onChange({ ...draft, isModerated }, "settings.moderation")}
        />
      </Field>
      {draft.isModerated && (
        <>
          <Field
            label="Terms"
            hint="One per line, up to 1000. They match whole words, ignoring case."
            error={errors["settings.moderation.blocklist"] ?? errors["settings.moderation"]}
          >
            <TextArea
              {...typed(draft.blocklist, (blocklist) => onChange({ ...draft, blocklist }, "settings.moderation"))}
              spellCheck={false}
            />
          </Field>
          <Field
            label="What happens to a matching message"
            hint="Messages of agents are flagged in either case."
            error={errors["settings.moderation.action"]}
          >
            <Select
              value={draft.moderationAction}
              choices={ACTION_CHOICES}
              onChange={(moderationAction) => onChange({ ...draft, moderationAction }, "settings.moderation")}
              className="sm:max-w-64"
            />
          </Field>
        </>
      )}
    </div>
  );
}
