import { Eye, EyeOff, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useRevealSecret, type Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { PreviousSecret } from "./previous-secret.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

const HIDDEN = "whsec_••••••••••••••••••••••••";

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
        <div className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
          <code data-secret className="min-w-0 flex-1 font-mono text-sm break-all">
            {secret ?? HIDDEN}
          </code>
          {secret !== null && <CopyButton text={secret} label="Copy the secret" />}
        </div>
        <PreviousSecret webhook={webhook} />
        {reveal.failure !== null && <Banner tone="bad">{reveal.failure.message}</Banner>}
        <div className="flex flex-wrap gap-2">
          {secret === null ? (
            <Button
              icon={<Eye />}
              isBusy={reveal.isBusy}
              onClick={() => void reveal.run(webhook.id).then((found) => setSecret(found))}
            >
              Reveal
            </Button>
          ) : (
            <Button icon={<EyeOff />} onClick={() => setSecret(null)}>
              Hide
            </Button>
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
