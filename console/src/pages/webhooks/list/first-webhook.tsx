import { Plus } from "lucide-react";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { ReceiverSnippets } from "../receiver-snippets.tsx";

/** What a webhook is good for, and something to run that receives one. */
export function FirstWebhook() {
  return (
    <div className="grid gap-6">
      <EmptyState
        picture="webhooks"
        title="Hear of it in your own service"
        action={
          <ButtonLink to="/webhooks/new" variant="primary" icon={<Plus />}>
            New webhook
          </ButtonLink>
        }
      >
        A webhook is a URL of yours that events are posted to: a message was said, an agent has failed, a tool has run.
        Each delivery is signed and recorded, and what fails is tried again for hours.
      </EmptyState>
      <ReceiverSnippets />
    </div>
  );
}
