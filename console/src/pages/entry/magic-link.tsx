import { useState } from "react";
import { useLocation } from "react-router";
import { sendMagicLink, signInWithCode } from "../../data/entry.ts";
import { CodeInput } from "../../components/code-input.tsx";
import { Field } from "../../components/field.tsx";
import { AccountForm } from "./account-form.tsx";
import { EntryForm } from "./entry-form.tsx";
import { EntryLink } from "./entry-link.tsx";
import { MailSent } from "./mail-sent.tsx";
import { useEntry } from "./use-entry.ts";

export function MagicLink() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { state } = useLocation() as { state: unknown };
  if (sentTo !== null) return <CodeForm email={sentTo} />;
  return (
    <AccountForm
      title="Sign in by e-mail"
      description="We send you a link and a code. Use either one to sign in."
      action="Send e-mail"
      fields={["email"]}
      onSubmit={async ({ email }) => {
        await sendMagicLink(email);
        setSentTo(email);
      }}
    >
      <p className="text-ink-soft">
        <EntryLink to="/sign-in" state={state}>
          Sign in with a password
        </EntryLink>
      </p>
    </AccountForm>
  );
}

function CodeForm({ email }: { readonly email: string }) {
  const [code, setCode] = useState("");
  const entry = useEntry();
  return (
    <>
      <MailSent title="Check your mailbox" email={email} again={() => sendMagicLink(email)}>
        Open its link in this browser, or type its code here.
      </MailSent>
      <EntryForm entry={entry} action="Sign in" onSubmit={() => void entry.attempt(() => signInWithCode(email, code))}>
        <Field label="Code from the mail">
          <CodeInput value={code} onChange={setCode} />
        </Field>
      </EntryForm>
    </>
  );
}
