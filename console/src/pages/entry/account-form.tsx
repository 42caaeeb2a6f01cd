import { AUTH_BOUNDS } from "@swarmbase/sdk";
import { type ComponentProps, type ReactNode, useState } from "react";
import { Field } from "../../components/field.tsx";
import { Link } from "../../components/link.tsx";
import { PasswordInput } from "../../components/password-input.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { EntryForm } from "./entry-form.tsx";
import { EntryHead } from "./entry-head.tsx";
import { useEntry } from "./use-entry.ts";

const HINT = `At least ${AUTH_BOUNDS.passwordMinCharacters} characters.`;

/** `about` has the props of the Field; `error` is the name of the field in errors of the service. */
const FIELDS = {
  name: {
    about: { label: "Name", isOptional: true },
    error: "name",
    render: (props: ComponentProps<"input">) => <TextInput autoComplete="name" maxLength={100} {...props} />,
  },
  email: {
    about: { label: "E-mail" },
    error: "email",
    render: (props: ComponentProps<"input">) => <TextInput type="email" autoComplete="username" required {...props} />,
  },
  password: {
    about: { label: "Password", trailing: <Link to="/recover">Forgotten?</Link> },
    error: "password",
    render: (props: ComponentProps<"input">) => <PasswordInput autoComplete="current-password" required {...props} />,
  },
  chosenPassword: {
    about: { label: "Password", hint: HINT },
    error: "password",
    render: (props: ComponentProps<"input">) => <PasswordInput autoComplete="new-password" required {...props} />,
  },
  newPassword: {
    about: { label: "New password", hint: HINT },
    error: "password",
    render: (props: ComponentProps<"input">) => <PasswordInput autoComplete="new-password" required {...props} />,
  },
} as const;

type FieldName = keyof typeof FIELDS;

interface AccountFormProps<Name extends FieldName> {
  readonly title: string;
  readonly description: ReactNode;
  /** Label of the button that submits the form. */
  readonly action: string;
  readonly fields: readonly Name[];
  /** Errors that it throws are shown at their field, or above the form. */
  onSubmit(values: Readonly<Record<Name, string>>): Promise<unknown>;
  /** Links to other pages, below the form. */
  readonly children?: ReactNode;
}

/** The form of sign-in, sign-up, recovery, magic link and new password. */
export function AccountForm<Name extends FieldName>(props: AccountFormProps<Name>) {
  const { title, description, action, fields, onSubmit, children } = props;
  const [values, setValues] = useState<Partial<Record<FieldName, string>>>({});
  const entry = useEntry();
  const submit = () => {
    const filled = Object.fromEntries(fields.map((name) => [name, values[name] ?? ""]));
    void entry.attempt(() => onSubmit(filled as Record<Name, string>));
  };
  return (
    <>
      <EntryHead title={title}>{description}</EntryHead>
      <EntryForm entry={entry} action={action} onSubmit={submit}>
        {fields.map((name) => {
          const { about, error, render } = FIELDS[name];
          return (
            <Field key={name} {...about} error={entry.failure?.fields[error]}>
              {render({
                value: values[name] ?? "",
                onChange: ({ target }) => setValues((old) => ({ ...old, [name]: target.value })),
              })}
            </Field>
          );
        })}
      </EntryForm>
      {children}
    </>
  );
}
