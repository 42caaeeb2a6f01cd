import { Plus, Webhook } from "lucide-react";
import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { SORTS } from "../../../data/keyset.ts";
import { isPortal } from "../../../data/portal.ts";
import { NO_ATTEMPTS, useHealth } from "../../../data/webhook-health.ts";
import { useDeliverySignals } from "../../../data/webhook-signals.ts";
import { type ListedWebhook, useWebhooks, WEBHOOK_STATES, type WebhookState } from "../../../data/webhooks.ts";
import { type Column, DataTable } from "../../../components/data-table.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Select } from "../../../components/select.tsx";
import { SortSelect } from "../../../components/sort-select.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useListCommands } from "../../../components/use-list-commands.tsx";
import { type Selection, useSelection } from "../../../components/use-selection.ts";
import { WebhooksCode } from "../webhook-code.tsx";
import { WebhookStatus } from "../webhook-status.tsx";
import { FirstWebhook } from "./first-webhook.tsx";
import { WebhookBulkBar } from "./webhook-bulk-bar.tsx";
import { SuccessRate } from "./success-rate.tsx";

const STATE_LABELS: Readonly<Record<WebhookState, string>> = {
  all: "All webhooks",
  active: "Active",
  off: "Off",
  disabled: "Disabled by the service",
};
const STATE_CHOICES = WEBHOOK_STATES.map((value) => ({ value, label: STATE_LABELS[value] }));

export function WebhookList() {
  const filters = useFilters();
  const state = filters.choice("state", WEBHOOK_STATES) ?? "all";
  const sort = filters.sort(SORTS);
  const webhooks = useWebhooks({ search: filters.debouncedSearch.trim(), state, sort });
  const selection = useSelection(webhooks.rows);
  useDeliverySignals(
    (webhooks.rows ?? []).map(({ id }) => id),
    webhooks.reload,
  );
  useListCommands({
    path: "webhooks",
    newLabel: "New webhook",
    group: "Webhooks",
    icon: <Webhook />,
    rows: webhooks.rows,
  });
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
          <ButtonLink to="/webhooks/new" variant="primary" icon={<Plus />}>
            New webhook
          </ButtonLink>
        </>
      }
      noun="webhooks"
      one="webhook"
      noMatchHint="No name or URL in this state matches."
      filters={filters}
      searchLabel="Search by name or URL"
      selects={
        <>
          <Select
            aria-label="State"
            value={state}
            choices={STATE_CHOICES}
            onChange={(value) => filters.set("state", value === "all" ? "" : value)}
            className="w-40 flex-1 sm:w-52 sm:flex-none"
          />
          <SortSelect value={sort} orders={SORTS} onChange={filters.setSort} />
        </>
      }
      bulk={<WebhookBulkBar selection={selection} />}
      pages={webhooks}
      empty={<FirstWebhook />}
    >
      {(rows, foot) => <WebhookTable rows={rows} selection={selection} onEndReached={webhooks.loadMore} foot={foot} />}
    </ListPage>
  );
}

interface WebhookTableProps {
  readonly rows: readonly ListedWebhook[];
  readonly selection: Selection<ListedWebhook>;
  onEndReached(): void;
  readonly foot: ReactNode;
}

function WebhookTable({ rows, selection, onEndReached, foot }: WebhookTableProps) {
  const navigate = useNavigate();
  const { rows: health } = useHealth(rows.map(({ id }) => id));
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
    <DataTable
      label="Webhooks"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={{ label: ({ name }) => `Open ${name}`, open: ({ id }) => void navigate(`/webhooks/${id}`) }}
      selection={{ ...selection, name: ({ name }) => name }}
      onEndReached={onEndReached}
      foot={foot}
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
