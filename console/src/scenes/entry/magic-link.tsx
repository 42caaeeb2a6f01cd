import { useState } from "react";
import { useLocation } from "react-router";
import { sendMagicLink, signInWithCode } from "../../data/entry.ts";
import { Field } from "../../parts/field.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { CodeInput } from "../../parts/code-input.tsx";
import { EntryForm } from "./entry-form.tsx";
import { EntryHead } from "./entry-head.tsx";
import { EntryLink } from "./entry-link.tsx";
import { MailSent } from "./mail-sent.tsx";
import { useEntry } from "./use-entry.ts";

export function MagicLink() {
  const [email, setEmail] = useState("");
  const [code, setCode] = useState("");
  const [isSent, setSent] = useState(false);
  const entry = useEntry();
  const { state } = useLocation() as { state: unknown };
  if (isSent)
    return (
      <>
        <MailSent title="Look into your mailbox" email={email} again={() => sendMagicLink(email)}>
          Follow its link in this browser, or type its code here.
        </MailSent>
        <EntryForm
          entry={entry}
          action="Sign in"
          onSubmit={() => void entry.attempt(() => signInWithCode(email, code))}
        >
          <Field label="Code from the mail">
            <CodeInput value={code} onChange={setCode} />
          </Field>
        </EntryForm>
      </>
    );
  const submit = async () => setSent(await entry.attempt(() => sendMagicLink(email)));
  return (
    <>
      <EntryHead title="Sign in by e-mail">We send you a link and a code. Either brings you in, once.</EntryHead>
      <EntryForm entry={entry} action="Send the mail" onSubmit={() => void submit()}>
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
        <EntryLink to="/sign-in" state={state}>
          Sign in with a password
        </EntryLink>
      </p>
    </>
  );
}
