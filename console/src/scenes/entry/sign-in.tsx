import { useState } from "react";
import { useLocation } from "react-router";
import { signIn } from "../../data/entry.ts";
import { Field } from "../../parts/field.tsx";
import { Link } from "../../parts/link.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { EntryForm } from "./entry-form.tsx";
import { EntryHead } from "./entry-head.tsx";
import { EntryLink } from "./entry-link.tsx";
import { useEntry } from "./use-entry.ts";

export function SignIn() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const entry = useEntry();
  const { state } = useLocation() as { state: unknown };
  return (
    <>
      <EntryHead title="Sign in">Your agents are where you left them.</EntryHead>
      <EntryForm entry={entry} action="Sign in" onSubmit={() => void entry.attempt(() => signIn({ email, password }))}>
        <Field label="E-mail" error={entry.failure?.fields["email"]}>
          <TextInput
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field label="Password" error={entry.failure?.fields["password"]} aside={<Link to="/recover">Forgotten?</Link>}>
          <PasswordInput
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      </EntryForm>
      <div className="grid gap-2 text-ink-soft">
        <p>
          Rather no password?{" "}
          <EntryLink to="/magic-link" state={state}>
            Get a link by e-mail
          </EntryLink>
        </p>
        <p>
          New here?{" "}
          <EntryLink to="/sign-up" state={state}>
            Make an account
          </EntryLink>
        </p>
      </div>
    </>
  );
}
