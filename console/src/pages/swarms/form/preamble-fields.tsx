import { Field } from "../../../components/field.tsx";
import { Switch } from "../../../components/switch.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { typed } from "../../../components/typed.ts";
import type { SettingsFieldsProps } from "./limits-fields.tsx";

const PLACEHOLDERS =
  "{agent_name}, {agent_role}, {swarm_name}, {swarm_description}, {participants} and, for a coordinator that asks the others, {leads}";

/** What the owner's agents read about the conversation. Only the owner can change it. */
export function PreambleFields({
  draft,
  onChange,
  errors,
  isOwner,
}: SettingsFieldsProps & { readonly isOwner: boolean }) {
  const change = (preamble: string | null) => onChange({ ...draft, preamble }, "settings.preamble");
  return (
    <div className="grid gap-4">
      <Field
        label="Own preamble"
        hint={`Replaces the lines after the system prompt that tell your agents who takes part in a shared conversation.${
          isOwner ? " Agents of other people keep those lines." : " Only the owner of the swarm can change it."
        }`}
      >
        <Switch isOn={draft.preamble !== null} isDisabled={!isOwner} onChange={(isOn) => change(isOn ? "" : null)} />
      </Field>
      {draft.preamble !== null && (
        <Field
          label="Preamble"
          hint={`Placeholders: ${PLACEHOLDERS}. A line whose placeholders are all empty is left out. An empty text leaves out the preamble.`}
          trailing="up to 4,000 characters"
          error={errors["settings.preamble"]}
        >
          <TextArea rows={5} disabled={!isOwner} {...typed(draft.preamble, change)} />
        </Field>
      )}
    </div>
  );
}
