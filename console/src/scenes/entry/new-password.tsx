import { AUTH_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import { useNavigate } from "react-router";
import { setPassword as savePassword } from "../../data/entry.ts";
import { endRecovery, useStanding } from "../../data/session.ts";
import { Field } from "../../parts/field.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { useToast } from "../../parts/toast.tsx";
import { EntryForm } from "./entry-form.tsx";
import { EntryHead } from "./entry-head.tsx";
import { LinkFailed } from "./link-failed.tsx";
import { useEntry } from "./use-entry.ts";

/** Where a recovery link leads. */
export function NewPassword() {
  const { session } = useStanding();
  const [password, setPassword] = useState("");
  const entry = useEntry();
  const toast = useToast();
  const navigate = useNavigate();
  if (session === null) return <LinkFailed again="/recover" />;
  const submit = async () => {
    if (!(await entry.attempt(() => savePassword(password)))) return;
    endRecovery();
    toast({ text: "The new password is set." });
    await navigate("/", { replace: true });
  };
  return (
    <>
      <EntryHead title="Set a new password">
        For {session.user.email ?? "your account"}. All other sessions end.
      </EntryHead>
      <EntryForm entry={entry} action="Set the password" onSubmit={() => void submit()}>
        <Field
          label="New password"
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
    </>
  );
}
