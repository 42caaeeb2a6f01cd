import { GUARDRAIL_DEFAULTS, type JsonObject } from "@swarmbase/sdk";
import { listProviderChoices } from "../../data/providers.ts";
import { bindForm, type FieldsProps, SelectField, TextAreaField, TextField } from "../../components/form-fields.tsx";
import { formatCount } from "../../components/formats.ts";
import { OptionalHeaders } from "../../components/headers-editor.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { ERROR_NAMES, type GuardrailForm } from "./guardrail-draft.ts";

const ERROR_CHOICES = [
  { value: "block", label: "The turn ends with an error" },
  { value: "pass", label: "The text passes" },
] as const;

/** What the chosen kind needs. */
export function KindFields(props: FieldsProps<GuardrailForm>) {
  const { form, errors, onChange } = props;
  const bind = bindForm(props, ERROR_NAMES);
  switch (form.kind) {
    case "pattern":
      return (
        <TextField
          label="Regular expression"
          hint="RE2 syntax, without look-around and back-references. (?i) at its start ignores case."
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-sm"
          {...bind("pattern")}
        />
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

function ModelFields(props: FieldsProps<GuardrailForm>) {
  const bind = bindForm(props, ERROR_NAMES);
  return (
    <>
      <TextAreaField
        label="Policy"
        hint="What a text must not contain, in your own words. The call of the model counts in budgets."
        {...bind("policy")}
      />
      <SelectField
        label="Provider"
        choices={[{ value: "", label: "That of the agent" }, ...listProviderChoices()] as const}
        {...bind("framework")}
        onChange={(framework) => props.onChange({ framework, model: "" })}
      />
      <TextField
        label="Model id"
        isOptional
        hint="By default that of the agent."
        autoComplete="off"
        spellCheck={false}
        {...bind("model")}
      />
      <SelectField label="When the check fails to run" choices={ERROR_CHOICES} {...bind("onError")} />
    </>
  );
}

function WebhookFields(props: FieldsProps<GuardrailForm>) {
  const { form, errors, onChange } = props;
  const bind = bindForm(props, ERROR_NAMES);
  const headerErrors = Object.fromEntries(
    Object.entries(errors).map(([field, message]) => [field.replace(/^config\./, ""), message]),
  );
  return (
    <>
      <TextField
        label="URL"
        hint="Gets the text as a signed POST request, and answers {&quot;allowed&quot;: true} or why not."
        type="url"
        placeholder="https://example.com/check"
        autoComplete="off"
        spellCheck={false}
        {...bind("url")}
      />
      <TextField
        label="Timeout in milliseconds"
        isOptional
        type="number"
        inputMode="numeric"
        placeholder={formatCount(GUARDRAIL_DEFAULTS.timeoutMs)}
        {...bind("timeoutMs")}
      />
      <OptionalHeaders lines={form.headers} errors={headerErrors} onChange={(headers) => onChange({ headers })} />
      <SelectField label="When the check fails to run" choices={ERROR_CHOICES} {...bind("onError")} />
    </>
  );
}
