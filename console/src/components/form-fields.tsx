import type { ComponentProps } from "react";
import type { ComboboxProps } from "./combobox.tsx";
import { Field, type FieldProps } from "./field.tsx";
import { Picker } from "./picker.tsx";
import { RadioGroup, type RadioGroupProps } from "./radio-group.tsx";
import { Select, type SelectProps } from "./select.tsx";
import { Switch } from "./switch.tsx";
import { TextArea, type TextAreaProps } from "./text-area.tsx";
import { TextInput } from "./text-input.tsx";
import { typed } from "./typed.ts";

/** What the fields of a form get: the values, and field → error message. */
export interface FieldsProps<Form> {
  readonly form: Form;
  readonly errors: Readonly<Record<string, string>>;
  onChange(change: Partial<Form>): void;
}

interface Bound<Value, Chosen = Value> {
  readonly value: Value;
  readonly error?: string | undefined;
  onChange(value: Chosen): void;
}

/** Value, error and change of a member of a form: `<TextField label="Name" {...bind("name")} />`. `columns`: names in errors that differ. */
export function bindForm<Form extends object>(
  { form, errors, onChange }: FieldsProps<Form>,
  columns: { readonly [Name in keyof Form]?: string } = {},
) {
  return <Name extends keyof Form & string>(name: Name) => ({
    value: form[name],
    error: errors[columns[name] ?? name],
    onChange: (value: Form[Name]) => onChange({ [name]: value } as unknown as Partial<Form>),
  });
}

type Labelled<Value, Chosen = Value> = Omit<FieldProps, "children" | "error"> & Bound<Value, Chosen>;

/** The properties of a field, apart from those of its control. */
function split<Props extends Labelled<unknown>>({ label, hint, error, isOptional, trailing, ...control }: Props) {
  return [{ label, hint, error, isOptional: isOptional === true, trailing }, control] as const;
}

export function TextField(
  props: Labelled<string | null, string> & Omit<ComponentProps<"input">, keyof Labelled<string>>,
) {
  const [field, { value, onChange, ...control }] = split(props);
  return (
    <Field {...field}>
      <TextInput {...control} {...typed(value, onChange)} />
    </Field>
  );
}

export function TextAreaField(props: Labelled<string | null, string> & Omit<TextAreaProps, keyof Labelled<string>>) {
  const [field, { value, onChange, ...control }] = split(props);
  return (
    <Field {...field}>
      <TextArea {...control} {...typed(value, onChange)} />
    </Field>
  );
}

/** The value is null when the field is empty. */
export function NumberField(props: Labelled<number | null> & Omit<ComponentProps<"input">, keyof Labelled<string>>) {
  const [field, { value, onChange, ...control }] = split(props);
  return (
    <Field {...field}>
      <TextInput
        type="number"
        {...control}
        value={value === null || Number.isNaN(value) ? "" : value}
        onChange={({ target }) => onChange(target.value === "" ? null : target.valueAsNumber)}
      />
    </Field>
  );
}

export function SelectField<Value extends string>(
  props: Labelled<Value> & Omit<SelectProps<Value>, keyof Labelled<Value>>,
) {
  const [field, control] = split(props);
  return (
    <Field {...field}>
      <Select<Value> {...control} />
    </Field>
  );
}

/** One of some agents or swarms, which can be many. */
export function PickerField(props: Labelled<string> & Pick<ComboboxProps, "choices" | "onSearch">) {
  const [field, control] = split(props);
  return (
    <Field {...field}>
      <Picker label={props.label} {...control} />
    </Field>
  );
}

export function SwitchField(props: Labelled<boolean> & { readonly isDisabled?: boolean }) {
  const [field, { value, ...control }] = split(props);
  return (
    <Field {...field}>
      <Switch isOn={value} {...control} />
    </Field>
  );
}

/** Radio buttons below their label. */
export function RadioField<Value extends string>({ error: _none, ...group }: RadioGroupProps<Value> & Bound<Value>) {
  return (
    <div className="grid content-start gap-1.5">
      <p className="text-sm font-medium">{group.label}</p>
      <RadioGroup {...group} />
    </div>
  );
}
