import { CardSection } from "../../../components/card.tsx";
import { FilterField } from "../../../components/filter-field.tsx";
import { Field } from "../../../components/field.tsx";
import { Select } from "../../../components/select.tsx";
import type { TargetedFieldsProps } from "../targeted/targeted-form.ts";
import { TextArea } from "../../../components/text-area.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { VERIFICATIONS } from "./labels.ts";
import type { TriggerForm } from "./trigger-draft.ts";

const CONVERSATIONS = [
  { value: "own", label: "One for all runs" },
  { value: "new", label: "A new one for each run" },
] as const;
const ENCODINGS = [
  { value: "hex", label: "Hexadecimal" },
  { value: "base64", label: "Base64" },
] as const;

export function TriggerFields(props: TargetedFieldsProps<TriggerForm>) {
  const { form, errors, isOfAgent, onChange } = props;
  return (
    <>
      <CardSection title="Message">
        <div className="grid grid-cols-1 gap-4">
          <Field label="Name" error={errors["name"]}>
            <TextInput {...typed(form.name, (name) => onChange({ name }))} autoComplete="off" />
          </Field>
          <Field
            label="Message"
            hint="Each call sends it in your name. {{data.object.id}} is a value of the payload, {{.}} all of it."
            error={errors["message"]}
          >
            <TextArea {...typed(form.message, (message) => onChange({ message }))} />
          </Field>
          {isOfAgent && (
            <Field label="Conversation">
              <Select
                value={form.conversation}
                choices={CONVERSATIONS}
                onChange={(conversation) => onChange({ conversation })}
              />
            </Field>
          )}
        </div>
      </CardSection>
      <SenderFields {...props} />
      <CardSection title="Limits">
        <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
          <Field label="Calls in a minute, at most" error={errors["calls_per_minute"]}>
            <TextInput
              inputMode="numeric"
              {...typed(form.calls_per_minute, (calls_per_minute) => onChange({ calls_per_minute }))}
            />
          </Field>
          <Field label="Failures in a row until it is paused" hint="0: never." error={errors["pause_after_failures"]}>
            <TextInput
              inputMode="numeric"
              {...typed(form.pause_after_failures, (pause_after_failures) => onChange({ pause_after_failures }))}
            />
          </Field>
          <Field label="Tokens of a run, at most" isOptional error={errors["max_tokens"]}>
            <TextInput inputMode="numeric" {...typed(form.max_tokens, (max_tokens) => onChange({ max_tokens }))} />
          </Field>
          <Field label="USD of a run, at most" isOptional error={errors["max_cost_usd"]}>
            <TextInput
              inputMode="decimal"
              {...typed(form.max_cost_usd, (max_cost_usd) => onChange({ max_cost_usd }))}
            />
          </Field>
          <Field
            label="Tools that need no approval"
            hint="Names of tools that act for you and can write. Others wait for you, because strangers write parts of the message."
            isOptional
            error={errors["allowed_tools"]}
          >
            <TextInput {...typed(form.allowed_tools, (allowed_tools) => onChange({ allowed_tools }))} />
          </Field>
        </div>
      </CardSection>
    </>
  );
}

function SenderFields({ form, errors, onChange }: TargetedFieldsProps<TriggerForm>) {
  const { verification } = form;
  const isPlain = verification === "hmac" || verification === "bearer";
  return (
    <CardSection title="Sender">
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        <Field label="What proves the sender" hint="A change deletes the stored secret." error={errors["verification"]}>
          <Select
            value={verification}
            choices={VERIFICATIONS}
            onChange={(chosen) => onChange({ verification: chosen })}
          />
        </Field>
        {verification === "hmac" && (
          <>
            <Field label="Header of the signature" error={errors["signature_header"]}>
              <TextInput {...typed(form.signature_header, (signature_header) => onChange({ signature_header }))} />
            </Field>
            <Field label="Encoding of the signature">
              <Select
                value={form.signature_encoding}
                choices={ENCODINGS}
                onChange={(signature_encoding) => onChange({ signature_encoding })}
              />
            </Field>
            <Field label="Before the signature" isOptional error={errors["signature_prefix"]}>
              <TextInput {...typed(form.signature_prefix, (signature_prefix) => onChange({ signature_prefix }))} />
            </Field>
          </>
        )}
        {isPlain && (
          <Field
            label="Where the payload has the id of the event"
            hint="Two calls with the same id are one."
            isOptional
            error={errors["event_id_path"]}
          >
            <TextInput {...typed(form.event_id_path, (event_id_path) => onChange({ event_id_path }))} />
          </Field>
        )}
      </div>
      <FilterField
        text={form.filter}
        onChange={(filter) => onChange({ filter })}
        hint="JSON with conditions on the payload. Empty: every call starts a run."
        placeholder={'{ "type": "charge.refunded" }'}
        errors={errors}
      />
    </CardSection>
  );
}
