import { type MailTest, type ServiceMail, useTestMail } from "../../../data/operator-operations.ts";
import { Badge } from "../../../components/badge.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { formatCount, formatDuration } from "../../../components/formats.ts";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { useState } from "react";
import { Facts } from "../../../components/facts.tsx";

const TRANSPORTS = {
  smtp: ["SMTP", "Over the mail server of SMTP_URL."],
  hook: ["Hook", "Over the hook of AUTH_HOOK_SEND_EMAIL_URI."],
  files: ["Files", "No mail server is set, so mails are files."],
} as const;

export function MailCard({ mail: { transport, outbox } }: { readonly mail: ServiceMail }) {
  const [test, setTest] = useState<MailTest | null>(null);
  const send = useTestMail();
  const run = async () => {
    setTest(null);
    const sent = await send.run();
    if (sent !== null) setTest(sent.test);
  };
  const [label, description] = TRANSPORTS[transport.via];
  return (
    <CardSection
      title="Mail"
      description={description}
      action={<Badge tone={outbox.failed > 0 ? "bad" : "good"}>{label}</Badge>}
    >
      <div className="grid gap-4">
        <Facts
          rows={[
            ["Sender", transport.from],
            ...(transport.folder === null ? [] : ([["Folder", transport.folder]] as const)),
            ["Waiting", formatCount(outbox.pending)],
            ["Retries", formatCount(outbox.retrying)],
            ["Failed", formatCount(outbox.failed)],
            ...(outbox.oldest_pending_at === null
              ? []
              : ([["Oldest", <RelativeTime key="oldest" at={outbox.oldest_pending_at} />]] as const)),
          ]}
        />
        <div>
          <Button isBusy={send.isBusy} onClick={() => void run()}>
            Send test mail
          </Button>
        </div>
        <p className="text-sm text-pretty text-ink-soft">The test mail goes to your own confirmed address.</p>
        {send.failure !== null && <Banner tone="bad">{send.failure.message}</Banner>}
        {test !== null && <Outcome test={test} isFile={transport.via === "files"} />}
      </div>
    </CardSection>
  );
}

function Outcome({ test, isFile }: { readonly test: MailTest; readonly isFile: boolean }) {
  const took = formatDuration(test.duration_ms);
  const status = test.smtp_status === null ? "" : ` (status ${test.smtp_status})`;
  return test.is_ok ? (
    <Banner tone="note">
      <span className="wrap-anywhere">
        {isFile
          ? `The mail to ${test.to} was written to the folder.`
          : `The mail server took the mail to ${test.to} in ${took}.`}
      </span>
    </Banner>
  ) : (
    <Banner tone="bad">
      <span className="wrap-anywhere">
        The mail to {test.to} failed after {took}: {test.message}
        {status}.
      </span>
    </Banner>
  );
}
