import { WEBHOOK_DEFAULTS } from "@swarmbase/sdk";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useCreateWebhook, type WebhookDraft } from "../../../data/webhooks.ts";
import { isPortal } from "../../../data/portal.ts";
import { Button } from "../../../components/button.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { useToast } from "../../../components/toast.tsx";
import { WebhookForm } from "./webhook-form.tsx";

const EMPTY: WebhookDraft = {
  name: "",
  url: "",
  events: [],
  headers: {},
  filter: null,
  is_active: WEBHOOK_DEFAULTS.isActive,
  retry_count: WEBHOOK_DEFAULTS.retryCount,
  timeout_ms: WEBHOOK_DEFAULTS.timeoutMs,
};

export function NewWebhook() {
  const create = useCreateWebhook();
  const navigate = useNavigate();
  const toast = useToast();
  const [shown, setShown] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const open = (id: string) => void navigate(`/webhooks/${id}`, { state: SAVED });
  const submit = async (draft: WebhookDraft) => {
    const made = await create.run(draft);
    if (made === null) return;
    toast({ text: `${made.name} is ready.` });
    const { id, secret } = made;
    if (secret === undefined) open(id);
    else setShown({ id, secret });
  };
  return (
    <>
      <PageHeader
        title="New webhook"
        description={`The service generates the signing secret and shows it ${isPortal() ? "once, when the webhook is created" : "on the next page"}.`}
        crumbs={[{ label: "Webhooks", to: "/webhooks" }]}
      />
      <WebhookForm
        initial={EMPTY}
        write={{ ...create, isBusy: create.isBusy || create.isDone }}
        action="Create webhook"
        onSubmit={(draft) => void submit(draft)}
        onCancel={() => void navigate("/webhooks")}
      />
      {shown !== null && <MadeSecret secret={shown.secret} onClose={() => open(shown.id)} />}
    </>
  );
}

function MadeSecret({ secret, onClose }: { readonly secret: string; onClose(): void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="The signing secret"
      description="Configure it in your receiver, which verifies deliveries with it. It is not shown again."
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <CodeBlock label="WEBHOOK_SECRET" code={secret} isWrapped />
    </Dialog>
  );
}
