import { RotateCcw, Send } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { canRetryNow, type Delivery, useReplayEvent } from "../../../data/deliveries.ts";
import { useWebhookNames, type Webhook } from "../../../data/webhooks.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { useCommands } from "../../../components/commands.tsx";
import { Field } from "../../../components/field.tsx";
import { Picker } from "../../../components/picker.tsx";
import { useToast } from "../../../components/toast.tsx";
import { useRetry } from "../use-retry.ts";
import { DeliveryCode } from "../webhook-code.tsx";

interface DeliveryActionsProps {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  onChanged(): void;
}

export function DeliveryActions({ delivery, webhook, onChanged }: DeliveryActionsProps) {
  const [isReplaying, setReplaying] = useState(false);
  const retry = useRetry(delivery, onChanged);
  useCommands([
    {
      id: "delivery.replay",
      label: "Replay event",
      group: "This delivery",
      icon: <Send />,
      run: () => setReplaying(true),
    },
  ]);
  return (
    <>
      <DeliveryCode delivery={delivery} />
      <Button icon={<Send />} onClick={() => setReplaying(true)}>
        Replay
      </Button>
      {canRetryNow(delivery) && (
        <Button
          variant="primary"
          icon={<RotateCcw />}
          isBusy={retry.isBusy}
          disabled={!webhook.is_active}
          onClick={retry.run}
        >
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
    toast({ text: "The event is sent again." });
    if (first !== undefined) await navigate(`/webhooks/${first.webhook_id}/deliveries/${first.delivery_id}`);
  };
  return (
    <ActionDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Replay event"
      description="Sends the event again as a new delivery with the same event id and body and a new signature. Receivers can recognise the id."
      action="Replay"
      icon={<Send />}
      isBusy={replay.isBusy}
      onAction={() => void send()}
    >
      <div className="grid gap-4">
        <Field label="To" error={replay.errors["webhook_id"]}>
          <Picker
            label="To"
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
    </ActionDialog>
  );
}
