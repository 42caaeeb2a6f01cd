import type { ReactNode } from "react";
import { Plus } from "lucide-react";
import { useBulk } from "../../../data/bulk.ts";
import { SORTS } from "../../../data/keyset.ts";
import { isPortal } from "../../../data/portal.ts";
import { type Health, NO_ATTEMPTS, useHealth } from "../../../data/webhook-health.ts";
import { useDeliverySignals } from "../../../data/webhook-signals.ts";
import { type ListedWebhook, useWebhooks, WEBHOOK_STATES, type WebhookState } from "../../../data/webhooks.ts";
import { switchActions } from "../../../components/bulk-bar.tsx";
import { columnsOf } from "../../../components/csv.ts";
import type { Column } from "../../../components/data-table.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { NAMED_ORDERS } from "../../../components/list-filters.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import type { Choice } from "../../../components/select.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useSelection } from "../../../components/use-selection.ts";
import { formatCount, formatPercent } from "../../../components/formats.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { WebhooksCode } from "../webhook-code.tsx";
import { WebhookStatus } from "../webhook-status.tsx";
import { ReceiverSnippets } from "../receiver-snippets.tsx";

const STATE_CHOICES: readonly Choice<WebhookState>[] = [
  { value: "active", label: "Active" },
  { value: "off", label: "Off" },
  { value: "disabled", label: "Disabled by the service" },
];
const EXPORTED = columnsOf<ListedWebhook>("name", "url", "disabled_reason", "created_at");

const BULK_TEXTS = {
  on: "They receive events from now on. Events of the meantime are not sent.",
  off: "They receive no further events until they are activated.",
  remove: "Their deliveries are deleted too, also those that wait for a retry. This cannot be undone.",
};

export function WebhookList() {
  const filters = useFilters();
  const state = filters.choice("state", WEBHOOK_STATES) ?? "all";
  const sort = filters.sort(SORTS);
  const webhooks = useWebhooks({ search: filters.debouncedSearch.trim(), state, sort });
  const selection = useSelection(webhooks.rows);
  const bulk = useBulk("webhooks");
  useDeliverySignals(
    (webhooks.rows ?? []).map(({ id }) => id),
    webhooks.reload,
  );
  const { rows: health } = useHealth((webhooks.rows ?? []).map(({ id }) => id));
  const columns: readonly Column<ListedWebhook>[] = [
    {
      title: "Name",
      width: "2.2fr",
      narrow: "title",
      render: ({ name, url }) => (
        <span className="grid">
          <span className="truncate font-medium">{name}</span>
          <span className="truncate font-mono text-xs font-normal text-ink-faint">{url}</span>
        </span>
      ),
    },
    { title: "Events", width: "1.2fr", render: ({ events }) => summarizeEvents(events) },
    {
      title: "Success, last 24 h",
      width: "1.3fr",
      render: ({ id }) =>
        health === undefined ? (
          <span className="text-ink-faint">…</span>
        ) : (
          <SuccessRate health={health.get(id) ?? NO_ATTEMPTS} />
        ),
    },
    {
      title: "Last delivery",
      width: "1fr",
      render: ({ last: [latest] }) =>
        latest === undefined ? <span className="text-ink-faint">Never</span> : <RelativeTime at={latest.created_at} />,
    },
    { title: "State", width: "6.5rem", narrow: "trailing", render: (webhook) => <WebhookStatus webhook={webhook} /> },
  ];
  return (
    <ListPage
      title="Webhooks"
      description="Send events to your own service: signed, recorded, and retried on failure."
      actions={
        <>
          <WebhooksCode />
          <ButtonLink to="/webhooks/event-types">Event types</ButtonLink>
          {!isPortal() && (
            <>
              <ButtonLink to="/webhooks/feeds">Event feeds</ButtonLink>
              <ButtonLink to="/webhooks/tester">Test a receiver</ButtonLink>
            </>
          )}
        </>
      }
      named={{ path: "webhooks" }}
      noun="webhooks"
      one="webhook"
      noMatchHint="No name or URL in this state matches."
      filters={filters}
      searchLabel="Search by name or URL"
      choices={[{ name: "state", label: "State", choices: STATE_CHOICES }]}
      orders={NAMED_ORDERS}
      exported={EXPORTED}
      bulk={{ selection, actions: switchActions(bulk, "is_active", BULK_TEXTS) }}
      pages={webhooks}
      empty={<FirstWebhook />}
      table={{ columns }}
    />
  );
}

function summarizeEvents(events: readonly string[]): ReactNode {
  const [first, ...others] = events;
  return (
    <span className="text-ink-soft">
      {first}
      {others.length > 0 && <span className="text-ink-faint"> +{others.length}</span>}
    </span>
  );
}

/** The share of successful attempts. */
function SuccessRate({ health: { successRate, attempts, waiting } }: { readonly health: Health }) {
  if (successRate === null)
    return <span className="text-ink-faint">{waiting > 0 ? `${formatCount(waiting)} waiting` : "None"}</span>;
  return (
    <span className="inline-flex items-center gap-2.5">
      <span aria-hidden className="hidden h-1.5 w-14 gap-px sm:flex overflow-hidden rounded-full bg-bad">
        <span className="bg-good" style={{ width: `${successRate * 100}%` }} />
      </span>
      <span className="tabular-nums">
        {formatPercent(successRate)} <span className="text-ink-faint">of {formatCount(attempts)}</span>
      </span>
    </span>
  );
}

/** Explains webhooks and shows code for a receiver. */
function FirstWebhook() {
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
