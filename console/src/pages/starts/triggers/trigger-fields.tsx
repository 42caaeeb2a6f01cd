import { CardSection } from "../../../components/card.tsx";
import { FilterField } from "../../../components/filter-field.tsx";
import { bindForm, type FieldsProps, SelectField, TextField } from "../../../components/form-fields.tsx";
import { LimitFields, MessageFields, type TargetedFieldsProps } from "../targeted/targeted-fields.tsx";
import { VERIFICATIONS } from "./labels.ts";
import type { TriggerForm } from "./trigger-draft.ts";

const ENCODINGS = [
  { value: "hex", label: "Hexadecimal" },
  { value: "base64", label: "Base64" },
] as const;

export function TriggerFields(props: TargetedFieldsProps<TriggerForm>) {
  const bind = bindForm(props);
  return (
    <>
      <MessageFields
        {...props}
        hint="Each call sends it in your name. {{data.object.id}} is a value of the payload, {{.}} all of it."
      />
      <SenderFields {...props} />
      <LimitFields {...props}>
        <TextField label="Calls in a minute, at most" inputMode="numeric" {...bind("calls_per_minute")} />
        <TextField
          label="Tools that need no approval"
          hint="Names of tools that act for you and can write. Others wait for you, because strangers write parts of the message."
          isOptional
          {...bind("allowed_tools")}
        />
      </LimitFields>
    </>
  );
}

function SenderFields(props: FieldsProps<TriggerForm>) {
  const { form, errors, onChange } = props;
  const { verification } = form;
  const bind = bindForm(props);
  const isPlain = verification === "hmac" || verification === "bearer";
  return (
    <CardSection title="Sender">
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        <SelectField
          label="What proves the sender"
          hint="A change deletes the stored secret."
          choices={VERIFICATIONS}
          {...bind("verification")}
        />
        {verification === "hmac" && (
          <>
            <TextField label="Header of the signature" {...bind("signature_header")} />
            <SelectField label="Encoding of the signature" choices={ENCODINGS} {...bind("signature_encoding")} />
            <TextField label="Before the signature" isOptional {...bind("signature_prefix")} />
          </>
        )}
        {isPlain && (
          <TextField
            label="Where the payload has the id of the event"
            hint="Two calls with the same id are one."
            isOptional
            {...bind("event_id_path")}
          />
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
