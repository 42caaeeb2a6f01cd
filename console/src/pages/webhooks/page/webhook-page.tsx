import { useParams, useSearchParams } from "react-router";
import { useDeliveries } from "../../../data/deliveries.ts";
import { isPortal } from "../../../data/portal.ts";
import { NO_ATTEMPTS, useHealth } from "../../../data/webhook-health.ts";
import { useWebhook, type Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { explainDisabled } from "../../../components/explain-disabled.ts";
import { PageNotLoaded } from "../../../components/no-such-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Tabs } from "../../../components/tabs.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { WebhookStatus } from "../webhook-status.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { readFilter } from "./delivery-filter.ts";
import { HealthFigures } from "./health-figures.tsx";
import { PerformanceTab } from "./performance-tab.tsx";
import { RecoveryTab } from "./recovery-tab.tsx";
import { SetupTab } from "./setup-tab.tsx";
import { WebhookActions } from "./webhook-actions.tsx";

const TABS = ["deliveries", "performance", "recovery", "setup"] as const;
type TabName = (typeof TABS)[number];

export function WebhookPage() {
  const { webhookId = "" } = useParams();
  const read = useWebhook(webhookId);
  if (read.rows?.id !== webhookId) return <PageNotLoaded noun="webhook" read={read} />;
  return <Shown webhook={read.rows} />;
}

function Shown({ webhook }: { readonly webhook: Webhook }) {
  const [params, setParams] = useSearchParams();
  const tab = TABS.find((name) => name === params.get("tab")) ?? "deliveries";
  const filters = useFilters();
  const filter = readFilter(webhook.id, filters);
  const deliveries = useDeliveries(filter);
  const health = useHealth([webhook.id], webhook.id);
  const refresh = () => {
    deliveries.refresh();
    health.reload();
  };
  const { disabled_reason: reason, disabled_at: disabledAt } = webhook;
  return (
    <>
      <PageHeader
        title={webhook.name}
        crumbs={[{ label: "Webhooks", to: "/webhooks" }]}
        trailing={<WebhookStatus webhook={webhook} />}
        description={
          <span className="flex items-center gap-1">
            <span className="min-w-0 font-mono text-sm break-all">{webhook.url}</span>
            <CopyButton text={webhook.url} label="Copy the URL" />
          </span>
        }
        actions={<WebhookActions webhook={webhook} onSent={refresh} />}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        {reason !== null && (
          <Banner tone="bad">
            The service disabled this webhook {disabledAt !== null && <RelativeTime at={disabledAt} />}.{" "}
            {explainDisabled(reason)}
          </Banner>
        )}
        <HealthFigures health={health.rows && (health.rows.get(webhook.id) ?? NO_ATTEMPTS)} />
        <Tabs<TabName>
          label="About the webhook"
          value={tab}
          onChange={(next) => setParams(next === "deliveries" ? {} : { tab: next }, { replace: true })}
          tabs={[
            {
              value: "deliveries",
              label: "Deliveries",
              content: <DeliveriesTab webhook={webhook} filter={filter} filters={filters} deliveries={deliveries} />,
            },
            { value: "performance", label: "Performance", content: <PerformanceTab webhookId={webhook.id} /> },
            ...(isPortal()
              ? []
              : [{ value: "recovery" as const, label: "Recovery", content: <RecoveryTab webhook={webhook} /> }]),
            { value: "setup", label: "Secret and settings", content: <SetupTab webhook={webhook} /> },
          ]}
        />
      </div>
    </>
  );
}
