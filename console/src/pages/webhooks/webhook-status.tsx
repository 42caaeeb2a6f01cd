import type { Webhook } from "../../data/webhooks.ts";
import { StatusBadge } from "../../components/status-dot.tsx";

type Switched = Pick<Webhook, "is_active" | "disabled_reason">;

export function WebhookStatus({ webhook }: { readonly webhook: Switched }) {
  if (webhook.is_active) return <StatusBadge status="active" />;
  return <StatusBadge status={webhook.disabled_reason === null ? "inactive" : "disabled"} />;
}
