import { DELIVERY_STATUSES, type DeliveryStatus } from "@swarmbase/sdk";
import { RotateCcw } from "lucide-react";
import { useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { canRetryNow, type DeliveryFilter, type LiveDeliveries } from "../../../data/deliveries.ts";
import { type AnyEventType, useEventChoices } from "../../../data/event-types.ts";
import { isPortal } from "../../../data/portal.ts";
import type { ListedDelivery } from "../../../data/listed-delivery.ts";
import type { Webhook } from "../../../data/webhooks.ts";
import { typed } from "../../../components/typed.ts";
import { useAddress } from "../../../components/use-address.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { type Column, DataTable } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { Pager } from "../../../components/pager.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { SearchInput } from "../../../components/search-input.tsx";
import { Select } from "../../../components/select.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { Toolbar } from "../../../components/toolbar.tsx";
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
const STATUS_CHOICES = [
  { value: "", label: "Every status" },
  ...DELIVERY_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] })),
] as const;

const FILTERS = ["status", "type", "q", "from", "to"] as const;

export interface DeliveriesTabProps {
  readonly webhook: Webhook;
  readonly filter: DeliveryFilter;
  readonly deliveries: LiveDeliveries;
}

export function DeliveriesTab({ webhook, filter, deliveries }: DeliveriesTabProps) {
  const { rows, ...read } = deliveries;
  const types = useEventChoices();
  const { address: params, change, clear } = useAddress();
  const [isRetrying, setIsRetrying] = useState(false);
  const isFiltered = FILTERS.some((name) => params.has(name));
  const search = params.get("q") ?? "";
  const set = (name: (typeof FILTERS)[number], value: string) => change({ [name]: value });
  if (rows === undefined) return <NotLoaded title="The deliveries could not be loaded" read={read} />;
  if (rows.length === 0 && !isFiltered) return <NothingYet isActive={webhook.is_active} />;
  return (
    <>
      <Toolbar label="Filter the deliveries">
        <Select<DeliveryStatus | "">
          aria-label="Status"
          value={filter.status ?? ""}
          choices={STATUS_CHOICES}
          onChange={(value) => set("status", value)}
          className="min-w-36 flex-1 sm:flex-none"
        />
        <Select<AnyEventType | "">
          aria-label="Event type"
          value={filter.type ?? ""}
          choices={[{ value: "", label: "Every event" }, ...types]}
          onChange={(value) => set("type", value)}
          className="min-w-44 flex-1 sm:flex-none"
        />
        <SearchInput label="Search by id" value={search} onChange={(value) => set("q", value)} />
        <div className="grid w-full min-w-0 grid-cols-[auto_minmax(0,1fr)] items-center gap-2 sm:flex sm:w-auto">
          <span className="text-ink-faint sm:hidden">From</span>
          <TextInput
            type="datetime-local"
            aria-label="From"
            {...typed(params.get("from"), (text) => set("from", text))}
          />
          <span className="text-ink-faint max-sm:first-letter:uppercase">to</span>
          <TextInput type="datetime-local" aria-label="To" {...typed(params.get("to"), (text) => set("to", text))} />
        </div>
        {!isPortal() && (
          <Button icon={<RotateCcw />} onClick={() => setIsRetrying(true)}>
            Retry failed …
          </Button>
        )}
      </Toolbar>
      {search !== "" && filter.id === null && (
        <p role="status" className="mb-4 text-ink-soft">
          This is not an id. Enter the id of a delivery or of an event, as receivers get it.
        </p>
      )}
      {isRetrying && (
        <RetryRange webhook={webhook} since={filter.since} until={filter.until} onClose={() => setIsRetrying(false)} />
      )}
      {rows.length === 0 ? (
        <EmptyState
          picture="search"
          title="No delivery matches"
          action={<Button onClick={() => clear()}>Show all deliveries</Button>}
        >
          No delivery has this status, event type, id and time.
        </EmptyState>
      ) : (
        <Table webhook={webhook} deliveries={deliveries} rows={rows} />
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
      width: "1.2fr",
      render: (delivery) => <NextAttempt delivery={delivery} isActive={webhook.is_active} onChanged={onChanged} />,
    },
    MADE,
  ];
}

const COLUMNS: readonly Column<ListedDelivery>[] = [
  {
    title: "Event",
    width: "1.6fr",
    narrow: "title",
    render: ({ event_type, test }) => (
      <span className="inline-flex max-w-full items-center gap-2">
        <span className="min-w-0 truncate font-mono text-sm">{event_type}</span>
        {test === true && <Badge>Test</Badge>}
      </span>
    ),
  },
  { title: "Status", width: "7.5rem", narrow: "trailing", render: ({ status }) => <StatusBadge status={status} /> },
  {
    title: "Response",
    width: "1fr",
    render: ({ status_code, attempts, scheduled_for }) => {
      if (scheduled_for !== null && attempts === 0) return "Waiting for the rate limit";
      return (
        <>
          {status_code ?? (attempts === 0 ? "No attempt yet" : "No response")}
          {attempts > 1 && <span className="text-ink-faint"> after {attempts} attempts</span>}
        </>
      );
    },
  },
];
const MADE: Column<ListedDelivery> = {
  title: "Made",
  width: "1fr",
  render: ({ created_at }) => <RelativeTime at={created_at} />,
};

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
      {at === null ? <span className="text-ink-faint">–</span> : <Countdown to={at} />}
      {isActive && canRetryNow(delivery) && (
        <Button
          variant="quiet"
          size="small"
          icon={<RotateCcw />}
          aria-label={`Retry now: ${type}`}
          isBusy={retry.isBusy}
          onClick={retry.run}
        >
          Retry now
        </Button>
      )}
    </span>
  );
}

interface TableProps {
  readonly webhook: Webhook;
  readonly deliveries: LiveDeliveries;
  readonly rows: readonly ListedDelivery[];
}

function Table({ webhook, deliveries, rows }: TableProps) {
  const navigate = useNavigate();
  const { hasMore, isLoadingMore, loadMore, refresh } = deliveries;
  const columns = useMemo(() => buildColumns(webhook, refresh), [webhook, refresh]);
  return (
    <DataTable
      label="Deliveries"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={{
        label: ({ event_type, status }) => `Open the delivery of ${event_type}, ${status}`,
        open: ({ id, webhook_id }) => void navigate(`/webhooks/${webhook_id}/deliveries/${id}`),
      }}
      onEndReached={loadMore}
      foot={
        <Pager
          shown={rows.length}
          hasMore={hasMore}
          isBusy={isLoadingMore}
          onMore={loadMore}
          noun={rows.length === 1 ? "delivery" : "deliveries"}
        />
      }
    />
  );
}
