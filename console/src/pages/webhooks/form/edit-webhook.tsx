import { useNavigate, useParams } from "react-router";
import { useUpdateWebhook, useWebhook, type Webhook, type WebhookDraft } from "../../../data/webhooks.ts";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { PageSkeleton } from "../../../components/skeleton.tsx";
import { useToast } from "../../../components/toast.tsx";
import { UnreadPage } from "../missing.tsx";
import { WebhookForm } from "./webhook-form.tsx";

export function EditWebhook() {
  const { webhookId = "" } = useParams();
  const { rows: webhook, failure, reload } = useWebhook(webhookId);
  if (webhook !== undefined) return <Edit webhook={webhook} />;
  if (failure !== null) return <UnreadPage noun="webhook" failure={failure} onRetry={reload} />;
  return <PageSkeleton />;
}

function Edit({ webhook }: { readonly webhook: Webhook }) {
  const update = useUpdateWebhook();
  const navigate = useNavigate();
  const toast = useToast();
  const { id } = webhook;
  const before = draftOf(webhook);
  const submit = async (draft: WebhookDraft) => {
    const saved = await update.run({ id, change: draft });
    if (saved === null) return;
    toast({
      text: `${saved.name} is saved.`,
      action: { label: "Undo", run: () => void update.run({ id, change: before }) },
    });
    await navigate(`/webhooks/${id}`, { state: SAVED });
  };
  return (
    <>
      <PageHeader
        title={`Edit ${webhook.name}`}
        description="Pending retries also use the new values."
        crumbs={[
          { label: "Webhooks", to: "/webhooks" },
          { label: webhook.name, to: `/webhooks/${id}` },
        ]}
      />
      <WebhookForm
        key={id}
        initial={before}
        write={update}
        action="Save"
        onSubmit={(draft) => void submit(draft)}
        onCancel={() => void navigate(`/webhooks/${id}`)}
      />
    </>
  );
}

function draftOf({ name, url, events, is_active, headers, retry_count, timeout_ms }: Webhook): WebhookDraft {
  return { name, url, events, is_active, headers, retry_count, timeout_ms };
}
