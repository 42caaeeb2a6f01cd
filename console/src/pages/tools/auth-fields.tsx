import { Field } from "../../components/field.tsx";
import { bindForm, SelectField, TextField } from "../../components/form-fields.tsx";
import { PasswordInput } from "../../components/password-input.tsx";
import { typed } from "../../components/typed.ts";
import { AUTH_TYPES, type AuthDraft, type AuthType, hasSecret } from "./auth-draft.ts";

interface AuthFieldsProps {
  readonly auth: AuthDraft;
  onChange(auth: AuthDraft): void;
  /** Whether a secret with this name is stored. */
  readonly isStored: boolean;
  /** MCP servers take no query parameters, and they alone take an account of the owner. */
  readonly kind: "http" | "mcp";
  readonly errors: Readonly<Record<string, string>>;
}

const LABELS: Readonly<Record<AuthType, string>> = {
  none: "None",
  bearer: "Bearer token",
  basic: "User name and password",
  header: "Custom header",
  query: "Query parameter",
  oauth: "Sign-in at the server (OAuth)",
  asker: "Account of the person who asks",
};

export function AuthFields({ auth, onChange, isStored, kind, errors }: AuthFieldsProps) {
  const bind = bindForm(
    { form: auth, errors, onChange: (part) => onChange({ ...auth, ...part }) },
    { username: "auth.username", header: "auth.header", parameter: "auth.parameter" },
  );
  const types = AUTH_TYPES.filter((type) => type !== (kind === "http" ? "oauth" : "query"));
  const secretError = errors["secrets"] ?? errors[`secrets.${auth.secretName}`] ?? errors["auth.secret"];
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <SelectField
        label="Credentials"
        choices={types.map((value) => ({ value, label: LABELS[value] }))}
        {...(auth.type === "asker" && {
          hint: "Each person signs in at the server, is asked to at the first call, and can disconnect at any time.",
        })}
        {...bind("type")}
        error={errors["auth"] ?? errors["auth.type"] ?? errors["auth.account"]}
      />
      {auth.type === "basic" && <TextField label="User name" autoComplete="off" {...bind("username")} />}
      {auth.type === "header" && <TextField label="Header" autoComplete="off" spellCheck={false} {...bind("header")} />}
      {auth.type === "query" && (
        <TextField label="Parameter" autoComplete="off" spellCheck={false} {...bind("parameter")} />
      )}
      {hasSecret(auth) && (
        <Field
          label={auth.type === "basic" ? "Password" : "Secret"}
          error={secretError}
          hint={
            isStored
              ? "A secret is stored and cannot be read. Leave the field empty to keep it."
              : "Stored encrypted. It can be replaced, but neither users nor models can read it."
          }
        >
          <PasswordInput
            autoComplete="new-password"
            placeholder={isStored ? "Stored" : ""}
            {...typed(auth.value, bind("value").onChange)}
          />
        </Field>
      )}
    </div>
  );
}
