import { RotateCcw, Send } from "lucide-react";
import { useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { type Delivery, useReplayEvent, useRetryDelivery } from "../../../data/deliveries.ts";
import { useWebhookNames, type Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { type Command, useCommands } from "../../../components/commands.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Field } from "../../../components/field.tsx";
import { Select } from "../../../components/select.tsx";
import { useToast } from "../../../components/toast.tsx";
import { DeliveryCode } from "../webhook-code.tsx";

export interface DeliveryActionsProps {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  onChanged(): void;
}

export function DeliveryActions({ delivery, webhook, onChanged }: DeliveryActionsProps) {
  const [isReplaying, setReplaying] = useState(false);
  const retry = useRetry(delivery, onChanged);
  const canRetry = delivery.status === "failed" && webhook.is_active;
  const { run } = retry;
  useCommands(
    useMemo<readonly Command[]>(
      () => [
        {
          id: "delivery.replay",
          label: "Replay the event",
          group: "This delivery",
          icon: <Send />,
          run: () => setReplaying(true),
        },
      ],
      [],
    ),
  );
  return (
    <>
      <DeliveryCode delivery={delivery} />
      <Button icon={<Send />} onClick={() => setReplaying(true)}>
        Replay
      </Button>
      {delivery.status === "failed" && (
        <Button variant="primary" icon={<RotateCcw />} isBusy={retry.isBusy} disabled={!canRetry} onClick={run}>
          Retry now
        </Button>
      )}
      <ReplayDialog
        key={String(isReplaying)}
        delivery={delivery}
        webhook={webhook}
        isOpen={isReplaying}
        onClose={() => setReplaying(false)}
      />
    </>
  );
}

/** That it failed again is an answer too: the attempt is there to be looked at. */
function useRetry({ id }: Delivery, onChanged: () => void): { readonly isBusy: boolean; run(): void } {
  const retry = useRetryDelivery();
  const toast = useToast();
  const run = async () => {
    const outcome = await retry.run(id);
    onChanged();
    if (outcome?.isDelivered === true) toast({ text: "It arrived." });
    else toast({ text: outcome?.reason ?? "It could not be tried again now.", tone: "bad" });
  };
  return { isBusy: retry.isBusy, run: () => void run() };
}

interface ReplayDialogProps {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  onClose(): void;
}

function ReplayDialog({ delivery, webhook, isOpen, onClose }: ReplayDialogProps) {
  const [target, setTarget] = useState(webhook.id);
  const { rows: names = [webhook] } = useWebhookNames();
  const replay = useReplayEvent();
  const navigate = useNavigate();
  const toast = useToast();
  const send = async () => {
    const made = await replay.run({ eventId: delivery.event_id, webhookId: target });
    if (made === null) return;
    onClose();
    const [first] = made;
    toast({ text: "The event is on its way again." });
    if (first !== undefined) await navigate(`/webhooks/${first.webhook_id}/deliveries/${first.delivery_id}`);
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Replay the event"
      description="It is sent once more as a new delivery: the same id, the same bytes, a fresh signature. A receiver that has seen the id knows it."
      size="small"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" icon={<Send />} isBusy={replay.isBusy} onClick={() => void send()}>
            Replay
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field label="To" error={replay.errors["webhook_id"]}>
          <Select
            value={target}
            choices={names.map(({ id, name, is_active }) => ({
              value: id,
              label: is_active ? name : `${name} (off)`,
              isDisabled: !is_active,
            }))}
            onChange={setTarget}
          />
        </Field>
        {replay.failure !== null && <Banner tone="bad">{replay.failure.message}</Banner>}
      </div>
    </Dialog>
  );
}
