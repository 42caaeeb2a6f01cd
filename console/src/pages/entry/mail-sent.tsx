import type { ReactNode } from "react";
import { getConfig } from "../../data/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Illustration } from "../../components/illustration.tsx";
import { Link } from "../../components/link.tsx";
import { MAIL_IS_FILE } from "../../components/mail-is-file.ts";
import { useToast } from "../../components/toast.tsx";
import { EntryHead } from "./entry-head.tsx";
import { useEntry } from "./use-entry.ts";

interface MailSentProps {
  readonly title: string;
  readonly email: string;
  readonly children: ReactNode;
  /** Sends the mail again. */
  again(): Promise<void>;
}

/** Does not reveal whether the address has an account. */
export function MailSent({ title, email, children, again }: MailSentProps) {
  const entry = useEntry();
  const toast = useToast();
  const resend = async () => {
    if (await entry.attempt(again)) toast({ text: "Sent again." });
  };
  return (
    <>
      <Illustration name="mail" />
      <EntryHead title={title}>
        If <strong className="font-medium wrap-anywhere text-ink">{email}</strong> can receive it, a mail is on its way.{" "}
        {children}
      </EntryHead>
      {getConfig().mail === "file" && <Banner tone="note">{MAIL_IS_FILE}</Banner>}
      {entry.failure !== null && (
        <p role="alert" className="text-sm text-bad">
          {entry.failure.message}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-4">
        <Button isBusy={entry.isBusy} onClick={() => void resend()}>
          Send again
        </Button>
        <Link to="/sign-in">Back to sign-in</Link>
      </div>
    </>
  );
}
