import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { isPortal } from "../../../data/portal.ts";
import { useWebhook, type Webhook, type WebhookDraft } from "../../../data/webhooks.ts";
import { useSaveEdit } from "../../../data/save-edit.ts";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageNotLoaded } from "../../../components/no-such-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { useToast } from "../../../components/toast.tsx";
import { WebhookForm } from "./webhook-form.tsx";

export function EditWebhook() {
  const { webhookId = "" } = useParams();
  const read = useWebhook(webhookId);
  if (read.rows === undefined) return <PageNotLoaded noun="webhook" read={read} />;
  return <Edit key={read.rows.id} webhook={read.rows} />;
}

function Edit({ webhook }: { readonly webhook: Webhook }) {
  // The form is filled once, from this row.
  const [base] = useState(webhook);
  const save = useSaveEdit<Webhook, WebhookDraft>("webhooks");
  const undo = useSaveEdit<Webhook, WebhookDraft>("webhooks");
  const navigate = useNavigate();
  const toast = useToast();
  const { id } = webhook;
  const before = draftOf(base);
  const finish = async (saved: Webhook | null) => {
    if (saved === null) return;
    const takeBack = async () => {
      if ((await undo.run({ base: saved, change: before })) === null)
        toast({ text: `${saved.name} was changed again, so this was not undone.`, tone: "bad" });
    };
    const isElsewhere = isPortal() && URL.parse(saved.url)?.host !== URL.parse(base.url)?.host;
    const moved = isElsewhere ? " For its new host it has another secret: rotate it to see one." : "";
    toast({ text: `${saved.name} is saved.${moved}`, action: { label: "Undo", run: () => void takeBack() } });
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
        initial={before}
        headerNames={base.header_names}
        write={save}
        action="Save"
        onSubmit={(draft) => void save.run({ base, change: draft }).then(finish)}
        onResolve={(choice) => void save.resolve(choice).then(finish)}
        onCancel={() => void navigate(`/webhooks/${id}`)}
      />
    </>
  );
}

function draftOf({ name, url, events, is_active, headers, filter, retry_count, timeout_ms }: Webhook): WebhookDraft {
  const draft = { name, url, events, is_active, filter, retry_count, timeout_ms };
  return headers === undefined ? draft : { ...draft, headers };
}
