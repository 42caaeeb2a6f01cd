import { useState } from "react";
import { Badge } from "../../../components/badge.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Facts } from "../../../components/facts.tsx";
import { formatCount, formatDuration } from "../../../components/formats.ts";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import {
  type MailTest,
  type ServiceMail,
  useServiceMail,
  useServiceProviders,
  useTestMail,
} from "../../../data/operator-operations.ts";
import {
  type ServiceHook,
  type ServiceSignInProvider,
  type SignInCheck,
  useCheckSignInProvider,
  useServiceHooks,
  useServiceSignInProviders,
} from "../../../data/operator-sign-in.ts";
import { ProviderCard } from "./provider-card.tsx";

const TRANSPORTS = {
  smtp: ["SMTP", "Over the mail server of SMTP_URL."],
  hook: ["Hook", "Over the hook of AUTH_HOOK_SEND_EMAIL_URI."],
  files: ["Files", "No mail server is set, so mails are files."],
} as const;

const KINDS: Readonly<Record<ServiceHook["kind"], string>> = { sql: "SQL function", http: "HTTPS call" };

const POLICIES: Readonly<Record<ServiceHook["policy"], string>> = {
  deny: "the call is refused",
  continue: "the call goes on",
};

/** What the service calls: the providers of models, the mail server, the providers of sign-in, and hooks. */
export function ServicesPage() {
  const providers = useServiceProviders();
  const mail = useServiceMail();
  const signIn = useServiceSignInProviders();
  const hooks = useServiceHooks();
  const reads = [providers, mail, signIn, hooks];
  const read = {
    failure: reads.find(({ failure }) => failure !== null)?.failure ?? null,
    reload: () => {
      for (const { reload } of reads) reload();
    },
  };
  const isLoading =
    providers.rows === undefined || mail.rows === undefined || signIn.rows === undefined || hooks.rows === undefined;
  return (
    <>
      <PageHeader
        title="Services"
        description="The providers, mail server and hooks that the service calls, and whether they answer. A test is one real call."
      />
      {isLoading ? (
        <NotLoaded title="The page could not be loaded" read={read} skeleton={<CardsSkeleton />} />
      ) : (
        <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
          {providers.rows.providers.map((provider) => (
            <ProviderCard key={provider.framework} provider={provider} />
          ))}
          <MailCard mail={mail.rows} />
          {signIn.rows.providers.map((provider) => (
            <SignInProviderCard key={provider.name} provider={provider} />
          ))}
          {hooks.rows.hooks.map((hook) => (
            <HookCard key={hook.name} hook={hook} />
          ))}
        </div>
      )}
    </>
  );
}

function HookCard({ hook }: { readonly hook: ServiceHook }) {
  const { name, kind, target, policy, timeout_ms: timeoutMs, failures } = hook;
  return (
    <CardSection
      title={`Hook ${name}`}
      description={KINDS[kind]}
      action={
        <Badge tone={failures.length > 0 ? "bad" : "good"}>{failures.length > 0 ? "Has failed" : "No failures"}</Badge>
      }
    >
      <div className="grid gap-4">
        <Facts
          rows={[
            ["Target", target],
            ["If it fails", POLICIES[policy]],
            ["Time limit", formatDuration(timeoutMs)],
          ]}
        />
        {failures.length > 0 && (
          <ul aria-label={`Failures of ${name}`} className="divide-y divide-line rounded-md border border-line">
            {failures.map(({ at, reason, count }) => (
              <li key={`${at} ${reason}`} className="grid gap-0.5 px-3 py-2 text-sm">
                <span className="wrap-anywhere">{reason}</span>
                <span className="text-ink-faint">
                  {count > 1 && `${formatCount(count)} times, the latest `}
                  <RelativeTime at={at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </CardSection>
  );
}

/** A provider that users sign in with. The client id is no secret. */
function SignInProviderCard({ provider }: { readonly provider: ServiceSignInProvider }) {
  const { name, label, kind, issuer, client_id: clientId, callback_url: callbackUrl } = provider;
  const [latest, setLatest] = useState<SignInCheck | null>(provider.check);
  const check = useCheckSignInProvider(name);
  const run = async () => {
    const made = await check.run();
    if (made !== null) setLatest(made);
  };
  return (
    <CardSection
      title={`Sign-in with ${label}`}
      description={name}
      action={
        latest !== null && <Badge tone={latest.ok ? "good" : "bad"}>{latest.ok ? "Answers" : "Does not work"}</Badge>
      }
    >
      <div className="grid gap-4">
        <Facts
          rows={[
            ["Kind", kind],
            ...(issuer === null ? [] : ([["Issuer", issuer]] as const)),
            ["Client id", clientId],
            ["Callback URL", callbackUrl],
            ...(latest === null
              ? []
              : ([
                  ["Result", latest.message],
                  ["Checked", <RelativeTime key="at" at={latest.checked_at} />],
                ] as const)),
          ]}
        />
        <div>
          <Button isBusy={check.isBusy} aria-label={`Check ${label}`} onClick={() => void run()}>
            Check
          </Button>
        </div>
        {check.failure !== null && <Banner tone="bad">{check.failure.message}</Banner>}
      </div>
    </CardSection>
  );
}

function MailCard({ mail: { transport, outbox } }: { readonly mail: ServiceMail }) {
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
