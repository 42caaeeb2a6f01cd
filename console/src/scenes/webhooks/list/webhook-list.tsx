import { Plus } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useEvery } from "../../../data/every.ts";
import { HEALTH_REFRESH_MS, NO_ATTEMPTS, useHealth } from "../../../data/webhook-health.ts";
import { type ListedWebhook, useWebhooks, WEBHOOK_STATES, type WebhookState } from "../../../data/webhooks.ts";
import { AT_ONCE } from "../../../parts/at-once.ts";
import { type Command, useCommands } from "../../../parts/commands.tsx";
import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { Button } from "../../../parts/button.tsx";
import { FailureState } from "../../../parts/failure-state.tsx";
import { ButtonLink } from "../../../parts/link.tsx";
import { PageHeader } from "../../../parts/page-header.tsx";
import { Pager } from "../../../parts/pager.tsx";
import { RelativeTime } from "../../../parts/relative-time.tsx";
import { SearchInput } from "../../../parts/search-input.tsx";
import { Select } from "../../../parts/select.tsx";
import { ListSkeleton } from "../../../parts/skeleton.tsx";
import { Toolbar } from "../../../parts/toolbar.tsx";
import { useSettled } from "../../../parts/use-settled.ts";
import { WebhooksCode } from "../webhook-code.tsx";
import { WebhookStatus } from "../webhook-status.tsx";
import { FirstWebhook } from "./first-webhook.tsx";
import { SuccessRate } from "./success-rate.tsx";

const STATE_WORDS: Readonly<Record<WebhookState, string>> = {
  all: "All webhooks",
  active: "Active",
  off: "Switched off",
  disabled: "Disabled by the service",
};
const STATE_CHOICES = WEBHOOK_STATES.map((value) => ({ value, label: STATE_WORDS[value] }));

function isState(text: string | null): text is WebhookState {
  return WEBHOOK_STATES.some((state) => state === text);
}

export function WebhookList() {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const search = params.get("search") ?? "";
  const wanted = params.get("state");
  const state = isState(wanted) ? wanted : "all";
  const webhooks = useWebhooks({ search: useSettled(search.trim()), state });
  const { rows, failure, reload, hasMore, isLoadingMore, loadMore } = webhooks;
  // Realtime does not tell of deliveries.
  useEvery(HEALTH_REFRESH_MS, reload);
  const isFiltered = search.trim() !== "" || state !== "all";
  const set = (name: string, value: string) =>
    setParams((now) => {
      if (value === "" || value === "all") now.delete(name);
      else now.set(name, value);
      return now;
    }, AT_ONCE);
  useCommands(
    useMemo<readonly Command[]>(
      () => [
        {
          id: "webhooks.new",
          label: "New webhook",
          group: "Webhooks",
          icon: <Plus />,
          keys: "n",
          run: () => void navigate("/webhooks/new"),
        },
      ],
      [navigate],
    ),
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Your own service hears of what happens: signed, recorded, and sent again if it was away."
        actions={
          <>
            <WebhooksCode />
            <ButtonLink to="/webhooks/new" variant="primary" icon={<Plus />}>
              New webhook
            </ButtonLink>
          </>
        }
      />
      {rows?.length === 0 && !isFiltered ? (
        <FirstWebhook />
      ) : (
        <>
          <Toolbar label="Filter the webhooks">
            <SearchInput label="Search by name or URL" value={search} onChange={(text) => set("search", text)} />
            <Select
              aria-label="State"
              value={state}
              choices={STATE_CHOICES}
              onChange={(next) => set("state", next)}
              className="w-full sm:w-52"
            />
          </Toolbar>
          {failure !== null && rows === undefined && (
            <FailureState title="The webhooks could not be loaded" message={failure.message} onRetry={reload} />
          )}
          {failure === null && rows === undefined && <ListSkeleton />}
          {rows?.length === 0 && isFiltered && (
            <EmptyState
              picture="search"
              title="No webhook matches"
              action={<Button onClick={() => setParams({}, AT_ONCE)}>Show all webhooks</Button>}
            >
              Neither a name nor a URL in this state holds what you are looking for.
            </EmptyState>
          )}
          {rows !== undefined && rows.length > 0 && (
            <WebhookTable
              rows={rows}
              onEndReached={loadMore}
              foot={
                <Pager
                  shown={rows.length}
                  hasMore={hasMore}
                  isBusy={isLoadingMore}
                  onMore={loadMore}
                  noun={rows.length === 1 ? "webhook" : "webhooks"}
                />
              }
            />
          )}
        </>
      )}
    </>
  );
}

interface WebhookTableProps {
  readonly rows: readonly ListedWebhook[];
  onEndReached(): void;
  readonly foot: ReactNode;
}

function WebhookTable({ rows, onEndReached, foot }: WebhookTableProps) {
  const navigate = useNavigate();
  const { rows: health } = useHealth();
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
    { title: "Events", width: "1.2fr", render: ({ events }) => sayEvents(events) },
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
    { title: "State", width: "6.5rem", narrow: "aside", render: (webhook) => <WebhookStatus webhook={webhook} /> },
  ];
  return (
    <DataTable
      label="Webhooks"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={{ label: ({ name }) => `Open ${name}`, open: ({ id }) => void navigate(`/webhooks/${id}`) }}
      onEndReached={onEndReached}
      foot={foot}
    />
  );
}

function sayEvents(events: readonly string[]): ReactNode {
  const [first, ...others] = events;
  return (
    <span className="text-ink-soft">
      {first}
      {others.length > 0 && <span className="text-ink-faint"> +{others.length}</span>}
    </span>
  );
}
