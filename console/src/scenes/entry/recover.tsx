import { useState } from "react";
import { sendRecovery } from "../../data/entry.ts";
import { Field } from "../../parts/field.tsx";
import { Link } from "../../parts/link.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { EntryForm } from "./entry-form.tsx";
import { EntryHead } from "./entry-head.tsx";
import { MailSent } from "./mail-sent.tsx";
import { useEntry } from "./use-entry.ts";

export function Recover() {
  const [email, setEmail] = useState("");
  const [isSent, setSent] = useState(false);
  const entry = useEntry();
  if (isSent)
    return (
      <MailSent title="Look into your mailbox" email={email} again={() => sendRecovery(email)}>
        Its link lets you set a new password. It works in this browser.
      </MailSent>
    );
  const submit = async () => setSent(await entry.attempt(() => sendRecovery(email)));
  return (
    <>
      <EntryHead title="Forgotten password">We send you a link with which you set a new one.</EntryHead>
      <EntryForm entry={entry} action="Send the link" onSubmit={() => void submit()}>
        <Field label="E-mail" error={entry.failure?.fields["email"]}>
          <TextInput
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
      </EntryForm>
      <p className="text-ink-soft">
        <Link to="/sign-in">Back to sign-in</Link>
      </p>
    </>
  );
}
