import { useState } from "react";
import { sendRecovery } from "../../data/entry.ts";
import { Link } from "../../components/link.tsx";
import { AccountForm } from "./account-form.tsx";
import { MailSent } from "./mail-sent.tsx";

export function Recover() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null)
    return (
      <MailSent title="Check your mailbox" email={sentTo} again={() => sendRecovery(sentTo)}>
        Open its link in this browser to set a new password.
      </MailSent>
    );
  return (
    <AccountForm
      title="Forgotten password"
      description="We send you a link to set a new password."
      action="Send link"
      fields={["email"]}
      onSubmit={async ({ email }) => {
        await sendRecovery(email);
        setSentTo(email);
      }}
    >
      <p className="text-ink-soft">
        <Link to="/sign-in">Back to sign-in</Link>
      </p>
    </AccountForm>
  );
}
