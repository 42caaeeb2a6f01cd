import { useState } from "react";
import { usePreviousSecrets, useRevokePreviousSecrets, type Webhook } from "../../../data/webhooks.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { useToast } from "../../../components/toast.tsx";
import { Countdown } from "../countdown.tsx";

/** Shows until when previous secrets sign, with a button to end them now; renders nothing if there are none. */
export function PreviousSecret({ webhook }: { readonly webhook: Webhook }) {
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
