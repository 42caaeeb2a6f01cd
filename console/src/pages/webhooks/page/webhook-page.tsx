import { useParams, useSearchParams } from "react-router";
import type { ReactNode } from "react";
import { useDeliveries } from "../../../data/deliveries.ts";
import { isPortal } from "../../../data/portal.ts";
import { type Health, HEALTH_HOURS, NO_ATTEMPTS, useHealth } from "../../../data/webhook-health.ts";
import { useWebhook, type Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { explainDisabled } from "../../../components/explain-disabled.ts";
import { PageNotLoaded } from "../../../components/no-such-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Tabs } from "../../../components/tabs.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { formatCount, formatExact, formatPercent } from "../../../components/formats.ts";
import { Link } from "../../../components/link.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import { Stat } from "../../../components/stat.tsx";
import { WebhookStatus } from "../webhook-status.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { readFilter } from "./delivery-filter.ts";
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

/** Key figures of the last day. */
function HealthFigures({ health }: { readonly health: Health | undefined }) {
  const say = (value: (known: Health) => ReactNode) =>
    health === undefined ? <Skeleton className="my-1 h-4.5 w-16" /> : value(health);
  const countedSince = health?.countedSince ?? null;
  const span = countedSince === null ? `the last ${HEALTH_HOURS} h` : `since ${formatExact(countedSince)}`;
  return (
    <section aria-label={`Attempts of ${span}`} className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        label={`Success, last ${HEALTH_HOURS} h`}
        value={say(({ successRate }) => (successRate === null ? "–" : formatPercent(successRate)))}
        {...(health !== undefined &&
          health.attempts > 0 && {
            note: `${formatCount(health.delivered)} of ${formatCount(health.attempts)} attempts, without tests${countedSince === null ? "" : `, ${span}`}`,
          })}
      />
      <Stat label="Delivered" value={say(({ delivered }) => formatCount(delivered))} />
      <Stat label="Waiting now" value={say(({ waiting }) => formatCount(waiting))} />
      <Stat
        label="Failed"
        value={say(({ failed }) =>
          failed === 0 ? (
            "0"
          ) : (
            <Link to="?status=failed" className="font-semibold">
              {formatCount(failed)}
            </Link>
          ),
        )}
      />
    </section>
  );
}
