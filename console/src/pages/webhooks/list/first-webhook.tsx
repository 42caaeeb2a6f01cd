import { Plus } from "lucide-react";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { ReceiverSnippets } from "../receiver-snippets.tsx";

/** Explains webhooks and shows code for a receiver. */
export function FirstWebhook() {
  return (
    <div className="grid gap-6">
      <EmptyState
        picture="webhooks"
        title="No webhooks yet"
        action={
          <ButtonLink to="/webhooks/new" variant="primary" icon={<Plus />}>
            New webhook
          </ButtonLink>
        }
      >
        A webhook posts events to your URL, for example when a message was created or an agent has failed. Each delivery
        is signed and recorded, and failed ones are retried for hours.
      </EmptyState>
      <ReceiverSnippets />
    </div>
  );
}
