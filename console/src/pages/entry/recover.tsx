import { useState } from "react";
import { sendRecovery } from "../../data/entry.ts";
import { Link } from "../../components/link.tsx";
import { AccountForm } from "./account-form.tsx";
import { MailSent } from "./mail-sent.tsx";

export function Recover() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null)
    return (
      <MailSent title="Look into your mailbox" email={sentTo} again={() => sendRecovery(sentTo)}>
        Its link lets you set a new password. It works in this browser.
      </MailSent>
    );
  return (
    <AccountForm
      title="Forgotten password"
      description="We send you a link with which you set a new one."
      action="Send the link"
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
