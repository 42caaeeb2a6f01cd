import { AUTH_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import { useLocation } from "react-router";
import { resendConfirmation, signUp } from "../../data/entry.ts";
import { Field } from "../../parts/field.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { EntryForm } from "./entry-form.tsx";
import { EntryHead } from "./entry-head.tsx";
import { EntryLink } from "./entry-link.tsx";
import { MailSent } from "./mail-sent.tsx";
import { useEntry } from "./use-entry.ts";

export function SignUp() {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isWaiting, setWaiting] = useState(false);
  const entry = useEntry();
  const { state } = useLocation() as { state: unknown };
  if (isWaiting)
    return (
      <MailSent title="Confirm your address" email={email} again={() => resendConfirmation(email)}>
        A link in it brings you in. It works in this browser.
      </MailSent>
    );
  const submit = () => entry.attempt(async () => setWaiting(!(await signUp({ email, password, name: name.trim() }))));
  return (
    <>
      <EntryHead title="Make an account">Two minutes from here to the first answer of your own agents.</EntryHead>
      <EntryForm entry={entry} action="Make an account" onSubmit={() => void submit()}>
        <Field label="Name" isOptional>
          <TextInput
            autoComplete="name"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="E-mail" error={entry.failure?.fields["email"]}>
          <TextInput
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field
          label="Password"
          hint={`At least ${AUTH_BOUNDS.passwordMinCharacters} characters.`}
          error={entry.failure?.fields["password"]}
        >
          <PasswordInput
            autoComplete="new-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      </EntryForm>
      <p className="text-ink-soft">
        Been here before?{" "}
        <EntryLink to="/sign-in" state={state}>
          Sign in
        </EntryLink>
      </p>
    </>
  );
}
