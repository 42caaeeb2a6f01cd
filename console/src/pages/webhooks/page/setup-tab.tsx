import { Pencil, RefreshCw } from "lucide-react";
import { useState } from "react";
import { usePreviousSecrets, useRevealSecret, useRevokePreviousSecrets, type Webhook } from "../../../data/webhooks.ts";
import { isPortal } from "../../../data/portal.ts";
import { Badge } from "../../../components/badge.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Code } from "../../../components/code-block.tsx";
import { Facts } from "../../../components/facts.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { ButtonLink } from "../../../components/link.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { RevealButton, SigningSecret } from "../../../components/signing-secret.tsx";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { useToast } from "../../../components/toast.tsx";
import { ReceiverSnippets } from "../receiver-snippets.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { Countdown } from "../countdown.tsx";

export function SetupTab({ webhook }: { readonly webhook: Webhook }) {
  const { id, events, header_names: names, filter, retry_count, timeout_ms, api_version } = webhook;
  const { created_at, updated_at } = webhook;
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <SecretCard webhook={webhook} />
      <CardSection
        title="Settings"
        action={
          <ButtonLink to={`/webhooks/${id}/edit`} size="small" icon={<Pencil />}>
            Edit
          </ButtonLink>
        }
      >
        <Facts
          rows={[
            [
              "Events",
              <span className="flex flex-wrap gap-1.5">
                {events.map((type) => (
                  <Badge key={type}>{type}</Badge>
                ))}
              </span>,
            ],
            ["Filter", filter === null ? "None" : <Code>{JSON.stringify(filter)}</Code>],
            ["Retries", retry_count],
            ["Timeout", formatDuration(timeout_ms)],
            ["Custom headers", names.length === 0 ? "None" : names.join(", ")],
            ["API version", api_version],
            ["Created", <RelativeTime at={created_at} />],
            ["Changed", <RelativeTime at={updated_at} />],
          ]}
        />
      </CardSection>
      <div className="min-w-0 xl:col-span-2">
        <ReceiverSnippets />
      </div>
    </div>
  );
}

/** The signing secret, which is shown on request and never cached. */
function SecretCard({ webhook }: { readonly webhook: Webhook }) {
  const reveal = useRevealSecret();
  const [secret, setSecret] = useState<string | null>(null);
  const [isRotating, setRotating] = useState(false);
  return (
    <CardSection
      title="Signing secret"
      description="Your receiver uses it to verify deliveries. Store it like a password."
    >
      <div className="grid gap-4">
        <SigningSecret secret={secret} />
        {isPortal() ? (
          <p className="text-ink-soft">It was shown when it was created. Rotate it to get another.</p>
        ) : (
          <PreviousSecret webhook={webhook} />
        )}
        {reveal.failure !== null && <Banner tone="bad">{reveal.failure.message}</Banner>}
        <div className="flex flex-wrap gap-2">
          {!isPortal() && (
            <RevealButton
              isRevealed={secret !== null}
              isBusy={reveal.isBusy}
              onReveal={() => void reveal.run(webhook.id).then(setSecret)}
              onHide={() => setSecret(null)}
            />
          )}
          <Button icon={<RefreshCw />} onClick={() => setRotating(true)}>
            Rotate …
          </Button>
        </div>
      </div>
      <RotateDialog
        webhook={webhook}
        isOpen={isRotating}
        onClose={() => setRotating(false)}
        onRotated={() => setSecret(null)}
      />
    </CardSection>
  );
}

/** Shows until when previous secrets sign, with a button to end them now; renders nothing if there are none. */
function PreviousSecret({ webhook }: { readonly webhook: Webhook }) {
  const { rows = [] } = usePreviousSecrets(webhook.id);
  const [isEnding, setEnding] = useState(false);
  const [last] = rows;
  if (last === undefined) return null;
  return (
    <>
      <Banner
        tone="warning"
        action={
          <Button size="small" onClick={() => setEnding(true)}>
            End it now …
          </Button>
        }
      >
        {rows.length === 1 ? "The previous secret still signs" : `${rows.length} previous secrets still sign`} together
        with the new one. This ends <Countdown to={last.expires_at} />.
      </Banner>
      {isEnding && <EndDialog webhook={webhook} onClose={() => setEnding(false)} />}
    </>
  );
}

function EndDialog({ webhook, onClose }: { readonly webhook: Webhook; onClose(): void }) {
  const revoke = useRevokePreviousSecrets();
  const show = useToast();
  const run = async () => {
    if ((await revoke.run(webhook.id)) === null) return;
    show({ text: "The previous secret no longer signs." });
    onClose();
  };
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title={`End the previous secret of ${webhook.name}`}
      description="Receivers that use the previous secret will reject all deliveries. This cannot be undone."
      action="End it now"
      isDangerous
      isBusy={revoke.isBusy}
      onAction={() => void run()}
    >
      {revoke.failure !== null && <Banner tone="bad">{revoke.failure.message}</Banner>}
    </ActionDialog>
  );
}
