import { DELIVERY_STATUSES, type DeliveryStatus } from "@swarmbase/sdk";
import { RotateCcw } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { canRetryNow, type DeliveryFilter, type LiveDeliveries, useRetryDelivery } from "../../../data/deliveries.ts";
import { useEventChoices } from "../../../data/event-types.ts";
import { isPortal } from "../../../data/portal.ts";
import { type ListedDelivery, nameSubject } from "../../../data/listed-delivery.ts";
import type { Webhook } from "../../../data/webhooks.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { List } from "../../../components/list-page.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import type { Filters } from "../../../components/use-filters.ts";
import { useSelection } from "../../../components/use-selection.ts";
import { whenColumn } from "../../../components/when-column.tsx";
import { Countdown } from "../countdown.tsx";
import { ReceiverSnippets } from "../receiver-snippets.tsx";
import { useRetry } from "../use-retry.ts";
import { RetryRange } from "./retry-range.tsx";

const STATUS_LABELS: Readonly<Record<DeliveryStatus, string>> = {
  pending: "Pending",
  delivered: "Delivered",
  failed: "Failed",
  retrying: "Retrying",
};
const STATUS_CHOICES = DELIVERY_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] }));

interface DeliveriesTabProps {
  readonly webhook: Webhook;
  readonly filter: DeliveryFilter;
  readonly filters: Filters;
  readonly deliveries: LiveDeliveries;
}

export function DeliveriesTab({ webhook, filter, filters, deliveries }: DeliveriesTabProps) {
  const types = useEventChoices();
  const navigate = useNavigate();
  const [isRetrying, setIsRetrying] = useState(false);
  const retry = useRetryDelivery();
  const { rows, refresh } = deliveries;
  const columns = useMemo(() => buildColumns(webhook, refresh), [webhook, refresh]);
  const named = useMemo(() => rows?.map((row) => ({ ...row, name: `${row.event_type} ${row.id}` })), [rows]);
  const canSelect = useCallback((row: ListedDelivery) => webhook.is_active && canRetryNow(row), [webhook.is_active]);
  const selection = useSelection(named, canSelect);
  return (
    <>
      <List
        noun="deliveries"
        one="delivery"
        pages={deliveries}
        empty={<NothingYet isActive={webhook.is_active} />}
        filters={filters}
        searchLabel="Search by id"
        choices={[
          { name: "status", label: "Status", choices: STATUS_CHOICES },
          { name: "type", label: "Event type", choices: types },
        ]}
        hasTime
        tools={
          <>
            {filters.search !== "" && filter.id === null && (
              <p role="status" className="w-full text-ink-soft">
                This is not an id. Enter the id of a delivery or of an event, as receivers get it.
              </p>
            )}
            {!isPortal() && (
              <Button icon={<RotateCcw />} onClick={() => setIsRetrying(true)}>
                Retry failed …
              </Button>
            )}
          </>
        }
        noMatchHint="No delivery has this status, event type, id and time."
        table={{
          label: "Deliveries",
          columns,
          onOpen: {
            label: ({ event_type, status }) => `Open the delivery of ${event_type}, ${status}`,
            open: ({ id, webhook_id }) => void navigate(`/webhooks/${webhook_id}/deliveries/${id}`),
          },
          selection: { ...selection, name: ({ event_type, id }) => `${event_type} ${id}`, can: canSelect },
        }}
        bulk={{
          selection,
          actions: [
            {
              label: "Retry",
              past: "retried",
              icon: <RotateCcw />,
              explanation: "Each is sent once more now, one after the other.",
              run: async (chosen) => {
                const done: string[] = [];
                for (const delivery of chosen)
                  if ((await retry.run(delivery))?.isDelivered === true) done.push(delivery.id);
                refresh();
                return { done, reason: "The others were not delivered." };
              },
            },
          ],
        }}
      />
      {isRetrying && (
        <RetryRange webhook={webhook} since={filter.since} until={filter.until} onClose={() => setIsRetrying(false)} />
      )}
    </>
  );
}

function NothingYet({ isActive }: { readonly isActive: boolean }) {
  return (
    <div className="grid gap-6">
      <EmptyState picture="webhooks" title="No deliveries yet">
        {isActive
          ? "Send a test with the button above, or cause an event of this webhook. Deliveries appear here automatically."
          : "The webhook is disabled and receives no events. Enable it, then send a test."}
      </EmptyState>
      <ReceiverSnippets />
    </div>
  );
}

function buildColumns(webhook: Webhook, onChanged: () => void): readonly Column<ListedDelivery>[] {
  return [
    ...COLUMNS,
    {
      title: "Next attempt",
      text: ({ scheduled_for, next_retry_at }) => scheduled_for ?? next_retry_at,
      width: "1.5fr",
      render: (delivery) => <NextAttempt delivery={delivery} isActive={webhook.is_active} onChanged={onChanged} />,
    },
    whenColumn("Created"),
  ];
}

const COLUMNS: readonly Column<ListedDelivery>[] = [
  {
    title: "Event",
    width: "1.6fr",
    narrow: "title",
    text: ({ event_type: type }) => type,
    render: ({ event_type, test }) => (
      <span className="inline-flex max-w-full items-center gap-2">
        <span className="min-w-0 truncate font-mono text-sm">{event_type}</span>
        {test === true && <Badge>Test</Badge>}
      </span>
    ),
  },
  {
    title: "Id",
    width: "0.8fr",
    render: ({ id }) => (
      <span className="font-mono text-sm text-ink-soft" title={id}>
        …{id.slice(-8)}
      </span>
    ),
  },
  { title: "About", width: "1.2fr", render: nameSubject },
  {
    title: "Status",
    width: "7.5rem",
    narrow: "trailing",
    text: ({ status }) => status,
    render: ({ status }) => <StatusBadge status={status} />,
  },
  {
    title: "Last response",
    width: "1fr",
    render: ({ status_code: code, attempts, scheduled_for: scheduled }) => {
      if (scheduled !== null && attempts === 0) return "Waiting for the rate limit";
      return code ?? (attempts === 0 ? "No attempt yet" : "No response");
    },
  },
  { title: "Attempts", width: "4rem", isNumber: true, render: ({ attempts }) => attempts },
];

interface NextAttemptProps {
  readonly delivery: ListedDelivery;
  readonly isActive: boolean;
  onChanged(): void;
}

function NextAttempt({ delivery, isActive, onChanged }: NextAttemptProps) {
  const retry = useRetry(delivery, onChanged);
  const { event_type: type, scheduled_for, next_retry_at } = delivery;
  const at = scheduled_for ?? next_retry_at;
  return (
    <span className="inline-flex items-center gap-2">
      {isActive && canRetryNow(delivery) && (
        <IconButton
          size="small"
          icon={<RotateCcw />}
          label={`Retry now: ${type}`}
          disabled={retry.isBusy}
          onClick={retry.run}
        />
      )}
      {at === null ? <span className="text-ink-faint">–</span> : <Countdown to={at} />}
    </span>
  );
}
