import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { isPortal } from "../../../data/portal.ts";
import { useRevealSecret, type Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { RevealButton, SigningSecret } from "../../../components/signing-secret.tsx";
import { PreviousSecret } from "./previous-secret.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

/** The signing secret, which is shown on request and never cached. */
export function SecretCard({ webhook }: { readonly webhook: Webhook }) {
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
