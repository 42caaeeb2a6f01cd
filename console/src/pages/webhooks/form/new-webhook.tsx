import { WEBHOOK_DEFAULTS } from "@swarmbase/sdk";
import { useNavigate } from "react-router";
import { useCreateWebhook, type WebhookDraft } from "../../../data/webhooks.ts";
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
  const submit = async (draft: WebhookDraft) => {
    const made = await create.run(draft);
    if (made === null) return;
    toast({ text: `${made.name} is ready.` });
    await navigate(`/webhooks/${made.id}`, { state: SAVED });
  };
  return (
    <>
      <PageHeader
        title="New webhook"
        description="The service generates the signing secret and shows it on the next page."
        crumbs={[{ label: "Webhooks", to: "/webhooks" }]}
      />
      <WebhookForm
        initial={EMPTY}
        write={{ ...create, isBusy: create.isBusy || create.isDone }}
        action="Make the webhook"
        onSubmit={(draft) => void submit(draft)}
        onCancel={() => void navigate("/webhooks")}
      />
    </>
  );
}
