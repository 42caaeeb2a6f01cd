import { clsx } from "clsx";
import { Field } from "./field.tsx";
import { JsonEditor } from "./json-editor.tsx";
import { decideKind, humanize, type JsonSchema, listChoices } from "./json-schema.ts";
import { Select } from "./select.tsx";
import { Switch } from "./switch.tsx";
import { TextArea } from "./text-area.tsx";
import { TextInput } from "./text-input.tsx";

export type FormValue = Readonly<Record<string, unknown>>;

interface SchemaFormProps {
  /** The schema of an object; each property becomes a field. */
  readonly schema: JsonSchema;
  readonly value: FormValue;
  onChange(value: FormValue): void;
  /** Error messages of the service, by property. */
  readonly errors?: Readonly<Record<string, string>>;
  /** All fields are optional: the form sets only the arguments that are fixed in advance. */
  readonly isPartial?: boolean;
  readonly className?: string;
}

/** A form generated from a JSON Schema: the input of a tool, the configuration of an assignment, a grant. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, value, onChange, errors = {}, isPartial = false, className } = props;
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return <p className="text-base text-ink-soft">This tool has no arguments.</p>;
  const set = (name: string, next: unknown) => {
    const { [name]: _old, ...others } = value;
    onChange(next === undefined ? others : { ...others, [name]: next });
  };
  return (
    <div className={clsx("grid gap-4", className)}>
      {properties.map(([name, property]) => (
        <SchemaField
          key={name}
          name={name}
          schema={property}
          value={value[name]}
          error={errors[name]}
          isOptional={isPartial || schema.required?.includes(name) !== true}
          isPartial={isPartial}
          onChange={(next) => set(name, next)}
        />
      ))}
    </div>
  );
}

interface SchemaFieldProps {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly isOptional: boolean;
  readonly isPartial: boolean;
  onChange(value: unknown): void;
}

function SchemaField({ name, schema, value, error, isOptional, isPartial, onChange }: SchemaFieldProps) {
  const label = schema.title ?? humanize(name);
  const kind = decideKind(schema);
  if (kind === "json")
    return (
      <JsonEditor
        label={label}
        value={value ?? schema.default ?? (schema.type === "array" ? [] : {})}
        onChange={(next) => next !== null && onChange(next.parsed)}
        error={error}
        {...(schema.description !== undefined && { hint: schema.description })}
      />
    );
  return (
    <Field
      label={label}
      isOptional={isOptional}
      error={error}
      {...(schema.description !== undefined && { hint: schema.description })}
    >
      <Control
        kind={kind}
        schema={schema}
        value={value}
        isOptional={isOptional}
        isPartial={isPartial}
        onChange={onChange}
      />
    </Field>
  );
}

interface ControlProps {
  readonly kind: Exclude<ReturnType<typeof decideKind>, "json">;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly isOptional: boolean;
  readonly isPartial: boolean;
  onChange(value: unknown): void;
}

const MINUTE_MS = 60_000;
const BOOLEAN_CHOICES = [
  { value: "", label: "Not set" },
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
] as const;

function Control({ kind, schema, value, isOptional, isPartial, onChange }: ControlProps) {
  const placeholder = schema.default === undefined ? "" : JSON.stringify(schema.default).replace(/^"|"$/g, "");
  switch (kind) {
    case "boolean":
      // False differs from not set.
      if (isPartial)
        return (
          <Select
            value={typeof value === "boolean" ? String(value) : ""}
            choices={BOOLEAN_CHOICES}
            onChange={(next) => onChange(next === "" ? undefined : next === "true")}
          />
        );
      return <Switch isOn={(value ?? schema.default) === true} onChange={onChange} />;
    case "choice": {
      const choices = listChoices(schema) ?? [];
      const unset = { value: "", label: placeholder === "" ? "Not set" : `Default (${placeholder})` };
      return (
        <Select
          value={typeof value === "string" ? value : ""}
          choices={isOptional || typeof value !== "string" ? [unset, ...choices] : choices}
          onChange={(next) => onChange(next === "" ? undefined : next)}
        />
      );
    }
    case "number":
    case "integer":
      return (
        <TextInput
          type="number"
          inputMode={kind === "integer" ? "numeric" : "decimal"}
          step={kind === "integer" ? 1 : "any"}
          min={schema.minimum}
          max={schema.maximum}
          placeholder={placeholder}
          value={typeof value === "number" ? value : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.valueAsNumber)}
        />
      );
    case "time":
      return (
        <TextInput
          type="datetime-local"
          value={typeof value === "string" ? toLocalTime(value) : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : new Date(target.value).toISOString())}
        />
      );
    case "texts":
      return (
        <TextArea
          rows={2}
          placeholder="One per line"
          value={Array.isArray(value) ? value.join("\n") : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value.split("\n"))}
        />
      );
    case "text":
      return (
        <TextInput
          placeholder={placeholder}
          maxLength={schema.maxLength}
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
        />
      );
  }
}

/** As a field for a time in the user's time zone has it. */
function toLocalTime(at: string): string {
  const time = new Date(at);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, "2026-11-15T12:00".length);
}
