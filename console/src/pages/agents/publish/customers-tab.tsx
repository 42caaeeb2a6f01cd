import {
  CUSTOMER_ORDERS,
  type Customer,
  type CustomerOrder,
  MAX_CUSTOMERS,
  useCustomers,
} from "../../../data/agent-grants.ts";
import type { Agent } from "../../../data/agents.ts";
import type { Column } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { formatCount, formatMoney } from "../../../components/formats.ts";
import { ButtonLink, Link } from "../../../components/link.tsx";
import { List } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { useFilters } from "../../../components/use-filters.ts";

const ORDERS: Readonly<Record<CustomerOrder, string>> = {
  cost_usd: "Highest cost first",
  errors: "Most errors first",
  runs: "Most runs first",
  last_run_at: "Last seen first",
  full_name: "By name",
};
const COLUMNS: readonly Column<Customer>[] = [
  { title: "Customer", width: "2fr", narrow: "title", render: ({ full_name: name, user_id: id }) => name ?? id },
  { title: "Runs", isNumber: true, render: ({ runs }) => formatCount(runs) },
  {
    title: "Cost",
    isNumber: true,
    text: ({ cost_usd: cost }) => cost,
    render: ({ cost_usd: cost }) => formatMoney(cost),
  },
  { title: "Errors", isNumber: true, render: ({ errors }) => formatCount(errors) },
  {
    title: "Last seen",
    width: "9rem",
    narrow: "trailing",
    isNumber: true,
    text: ({ last_run_at: at }) => at,
    render: ({ last_run_at: at }) => <RelativeTime at={at} />,
  },
];

/** Who asks the agent by a grant: figures, without any content. */
export function CustomersTab({ agent }: { readonly agent: Agent }) {
  const filters = useFilters();
  const order = filters.sort(CUSTOMER_ORDERS);
  const read = useCustomers(agent.id, order);
  return (
    <List
      noun="customers"
      pages={{ ...read, hasMore: false, isLoadingMore: false, loadMore: () => {} }}
      empty={
        <EmptyState
          picture="agents"
          title="Nobody has asked this agent yet"
          action={<ButtonLink to={`/agents/${agent.id}/publish`}>Publish</ButtonLink>}
        >
          Everyone who asks it by a grant is listed here with runs, cost and errors, and without what they write.
        </EmptyState>
      }
      filters={filters}
      orders={ORDERS}
      tools={
        <p className="min-w-0 flex-1 basis-64 text-sm text-ink-soft">
          Figures of all time, without content. Conversations of grants that let you read them are in{" "}
          <Link to={`/runs?agent=${agent.id}`}>the runs of the agent</Link>.
          {read.rows?.length === MAX_CUSTOMERS && ` The first ${formatCount(MAX_CUSTOMERS)} are listed.`}
        </p>
      }
      table={{ label: "Customers", columns: COLUMNS, keyOf: ({ user_id: id }) => id }}
    />
  );
}
