import { GUARDRAIL_DEFAULTS, type JsonObject } from "@swarmbase/sdk";
import { listProviderChoices } from "../../data/providers.ts";
import { Field } from "../../components/field.tsx";
import { formatCount } from "../../components/formats.ts";
import { OptionalHeaders } from "../../components/headers-editor.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { Select } from "../../components/select.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import type { GuardrailForm } from "./guardrail-draft.ts";

export interface KindFieldsProps {
  readonly form: GuardrailForm;
  readonly errors: Readonly<Record<string, string>>;
  onChange(change: Partial<GuardrailForm>): void;
}

const ERROR_CHOICES = [
  { value: "block", label: "The turn ends with an error" },
  { value: "pass", label: "The text passes" },
] as const;

/** What the chosen kind needs. */
export function KindFields(props: KindFieldsProps) {
  const { form, errors, onChange } = props;
  switch (form.kind) {
    case "pattern":
      return (
        <Field
          label="Regular expression"
          hint="RE2 syntax, without look-around and back-references. (?i) at its start ignores case."
          error={errors["config.pattern"]}
        >
          <TextInput
            {...typed(form.pattern, (pattern) => onChange({ pattern }))}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-sm"
          />
        </Field>
      );
    case "schema":
      return (
        <JsonEditor
          label="Schema"
          hint="The text has to be JSON that satisfies it."
          value={form.schema}
          mustBeObject
          error={errors["config.schema"]}
          onChange={(value) => onChange({ schema: value === null ? null : (value.parsed as JsonObject) })}
        />
      );
    case "model":
      return <ModelFields {...props} />;
    case "webhook":
      return <WebhookFields {...props} />;
  }
}

function ModelFields(props: KindFieldsProps) {
  const { form, errors, onChange } = props;
  return (
    <>
      <Field
        label="Policy"
        hint="What a text must not contain, in your own words. The call of the model counts in budgets."
        error={errors["config.policy"]}
      >
        <TextArea {...typed(form.policy, (policy) => onChange({ policy }))} />
      </Field>
      <Field label="Provider" error={errors["config.framework"]}>
        <Select
          value={form.framework}
          choices={[{ value: "", label: "That of the agent" }, ...listProviderChoices()] as const}
          onChange={(framework) => onChange({ framework, model: "" })}
        />
      </Field>
      <Field label="Model id" isOptional hint="By default that of the agent." error={errors["config.model"]}>
        <TextInput {...typed(form.model, (model) => onChange({ model }))} autoComplete="off" spellCheck={false} />
      </Field>
      <OnError {...props} />
    </>
  );
}

function WebhookFields(props: KindFieldsProps) {
  const { form, errors, onChange } = props;
  const headerErrors = Object.fromEntries(
    Object.entries(errors).map(([field, message]) => [field.replace(/^config\./, ""), message]),
  );
  return (
    <>
      <Field
        label="URL"
        hint="Gets the text as a signed POST request, and answers {&quot;allowed&quot;: true} or why not."
        error={errors["config.url"]}
      >
        <TextInput
          type="url"
          {...typed(form.url, (url) => onChange({ url }))}
          placeholder="https://example.com/check"
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <Field label="Timeout in milliseconds" isOptional error={errors["config.timeout_ms"]}>
        <TextInput
          type="number"
          inputMode="numeric"
          placeholder={formatCount(GUARDRAIL_DEFAULTS.timeoutMs)}
          {...typed(form.timeoutMs, (timeoutMs) => onChange({ timeoutMs }))}
        />
      </Field>
      <OptionalHeaders lines={form.headers} errors={headerErrors} onChange={(headers) => onChange({ headers })} />
      <OnError {...props} />
    </>
  );
}

function OnError({ form, errors, onChange }: KindFieldsProps) {
  return (
    <Field label="When the check fails to run" error={errors["config.on_error"]}>
      <Select value={form.onError} choices={ERROR_CHOICES} onChange={(onError) => onChange({ onError })} />
    </Field>
  );
}
