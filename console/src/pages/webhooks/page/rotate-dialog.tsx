import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { isPortal } from "../../../data/portal.ts";
import { type NewSecret, useRegenerateSecret, type Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { Code, CodeBlock } from "../../../components/code-block.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { formatExact } from "../../../components/formats.ts";
import { RadioGroup } from "../../../components/radio-group.tsx";

interface RotateDialogProps {
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  onClose(): void;
  onRotated(): void;
}

type Grace = "3600" | "86400" | "604800" | "0";
const GRACES: readonly { readonly value: Grace; readonly label: string; readonly hint: string }[] = [
  { value: "3600", label: "An hour", hint: "If you can update the receiver at once." },
  { value: "86400", label: "A day", hint: "For most receivers." },
  { value: "604800", label: "A week", hint: "If others must update the receiver." },
  {
    value: "0",
    label: "None",
    hint: "The previous secret is invalid at once. Use this if it was leaked.",
  },
];

/** Replaces the secret; during the grace period both secrets sign. */
export function RotateDialog({ webhook, isOpen, onClose, onRotated }: RotateDialogProps) {
  const [grace, setGrace] = useState<Grace>("86400");
  const [made, setMade] = useState<NewSecret | null>(null);
  const regenerate = useRegenerateSecret();
  const rotate = async () => {
    const fresh = await regenerate.run({ id: webhook.id, graceSeconds: Number(grace) });
    if (fresh === null) return;
    setMade(fresh);
    onRotated();
  };
  const close = () => {
    setMade(null);
    regenerate.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={made === null ? `Rotate the secret of ${webhook.name}` : "The new secret"}
      description={
        made === null
          ? "Generates a new secret. The previous one can also sign for a grace period."
          : isPortal()
            ? "Configure it in your receiver. It is not shown again."
            : "Configure it in your receiver. You can also reveal it on this page later."
      }
      footer={
        made === null ? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" icon={<RefreshCw />} isBusy={regenerate.isBusy} onClick={() => void rotate()}>
              Rotate
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        )
      }
    >
      {made === null ? (
        <div className="grid grid-cols-1 gap-4">
          <Banner tone="warning">
            <AffectedReceivers url={webhook.url} isAtOnce={grace === "0"} />
          </Banner>
          <RadioGroup<Grace>
            label="Grace period of the previous secret"
            value={grace}
            choices={GRACES}
            onChange={setGrace}
          />
          {regenerate.failure !== null && <Banner tone="bad">{regenerate.failure.message}</Banner>}
        </div>
      ) : (
        <div className="grid gap-4">
          <CodeBlock label="WEBHOOK_SECRET" code={made.new_secret} isWrapped />
          <p className="text-pretty text-ink-soft">
            {made.previous_secret_expires_at === null
              ? "The previous secret no longer signs."
              : `The previous secret also signs until ${formatExact(made.previous_secret_expires_at)}.${isPortal() ? "" : " You can end it earlier on this page."}`}
          </p>
          {made.previous_secret_expires_at !== null && (
            <p className="text-pretty text-ink-soft">
              A receiver that checks only X-Service-Signature needs the new secret now.
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** X-Service-Signature has only the signature of the new secret; webhook-signature has one for each secret. */
function AffectedReceivers({ url, isAtOnce }: { readonly url: string; readonly isAtOnce: boolean }) {
  const where = <span className="font-mono text-sm break-all">{url}</span>;
  if (isAtOnce) return <>The receiver at {where} rejects all deliveries until it has the new secret.</>;
  return (
    <>
      The receiver at {where} rejects all deliveries until it has the new secret if it checks only{" "}
      <Code>X-Service-Signature</Code>. With <Code>verifyWebhook</Code> or a Standard Webhooks library it accepts both
      secrets until the previous one ends.
    </>
  );
}
