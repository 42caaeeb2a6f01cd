import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { type NewSecret, useRegenerateSecret, type Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { Code, CodeBlock } from "../../../components/code-block.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { formatExact } from "../../../components/formats.ts";
import { RadioGroup } from "../../../components/radio-group.tsx";

export interface RotateDialogProps {
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  onClose(): void;
  onRotated(): void;
}

type Grace = "3600" | "86400" | "604800" | "0";
const GRACES: readonly { readonly value: Grace; readonly label: string; readonly hint: string }[] = [
  { value: "3600", label: "An hour", hint: "For a receiver that takes the new secret at once." },
  { value: "86400", label: "A day", hint: "For most." },
  { value: "604800", label: "A week", hint: "For a receiver that others have to change." },
  {
    value: "0",
    label: "None",
    hint: "The old secret is worthless at once: when somebody has it who should not.",
  },
];

/** Replaces the secret without a gap: for a while both sign. */
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
          ? "A new secret is made. The old one can go on signing beside it for a while."
          : "Put it into your receiver. It stands on this page too, whenever you reveal it."
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
            <WhoBreaks url={webhook.url} isAtOnce={grace === "0"} />
          </Banner>
          <RadioGroup<Grace>
            label="How long the old secret goes on"
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
              ? "The old secret signs no more."
              : `The old secret signs along until ${formatExact(made.previous_secret_expires_at)}. This page counts down to it, and ends it earlier when you ask for that.`}
          </p>
          {made.previous_secret_expires_at !== null && (
            <p className="text-pretty text-ink-soft">
              A receiver that looks at X-Service-Signature alone needs the new one now.
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** X-Service-Signature has one value, that of the new secret; webhook-signature has one for each secret. */
function WhoBreaks({ url, isAtOnce }: { readonly url: string; readonly isAtOnce: boolean }) {
  const where = <span className="font-mono text-sm break-all">{url}</span>;
  if (isAtOnce) return <>The receiver at {where} refuses every delivery until it has the new secret.</>;
  return (
    <>
      The receiver at {where} refuses every delivery until it has the new secret if it checks{" "}
      <Code>X-Service-Signature</Code> alone. With <Code>verifyWebhook</Code> or a Standard Webhooks library it takes
      either secret until the old one ends.
    </>
  );
}
