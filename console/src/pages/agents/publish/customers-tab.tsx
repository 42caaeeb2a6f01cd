import {
  CUSTOMER_ORDERS,
  type Customer,
  type CustomerOrder,
  MAX_CUSTOMERS,
  useCustomers,
} from "../../../data/agent-grants.ts";
import type { Agent } from "../../../data/agents.ts";
import { type Column, DataTable } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { formatCount, formatMoney } from "../../../components/formats.ts";
import { ButtonLink, Link } from "../../../components/link.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Select } from "../../../components/select.tsx";
import { Toolbar } from "../../../components/toolbar.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { whenColumn } from "../../../components/when-column.tsx";

const ORDERS: Readonly<Record<CustomerOrder, string>> = {
  last_run_at: "Last seen first",
  runs: "Most runs first",
  cost_usd: "Highest cost first",
  errors: "Most errors first",
  full_name: "By name",
};
const COLUMNS: readonly Column<Customer>[] = [
  { title: "Customer", width: "2fr", narrow: "title", render: ({ full_name: name, user_id: id }) => name ?? id },
  { title: "Runs", isNumber: true, render: ({ runs }) => formatCount(runs) },
  { title: "Cost", isNumber: true, render: ({ cost_usd: cost }) => formatMoney(cost) },
  { title: "Errors", isNumber: true, render: ({ errors }) => formatCount(errors) },
  { ...whenColumn("Last seen"), render: ({ last_run_at: at }) => <RelativeTime at={at} /> },
];

/** Who asks the agent by a grant: figures, without any content. */
export function CustomersTab({ agent }: { readonly agent: Agent }) {
  const filters = useFilters();
  const order = filters.sort(CUSTOMER_ORDERS);
  const read = useCustomers(agent.id, order);
  const { rows } = read;
  if (rows === undefined) return <NotLoaded title="The customers could not be loaded" read={read} />;
  if (rows.length === 0)
    return (
      <EmptyState
        picture="agents"
        title="Nobody has asked this agent yet"
        action={<ButtonLink to={`/agents/${agent.id}/publish`}>Publish</ButtonLink>}
      >
        Everyone who asks it by a grant is listed here with runs, cost and errors, and without what they write.
      </EmptyState>
    );
  return (
    <>
      <Toolbar label="Customers">
        <p className="min-w-0 flex-1 basis-64 text-sm text-ink-soft">
          Figures of all time, without content. Conversations of grants that let you read them are in{" "}
          <Link to={`/runs?agent=${agent.id}`}>the runs of the agent</Link>.
          {rows.length === MAX_CUSTOMERS && ` The first ${formatCount(MAX_CUSTOMERS)} are listed.`}
        </p>
        <Select<CustomerOrder>
          aria-label="Order"
          className="w-48"
          value={order}
          choices={CUSTOMER_ORDERS.map((value) => ({ value, label: ORDERS[value] }))}
          onChange={(value) => filters.setSort(value === CUSTOMER_ORDERS[0] ? "" : value)}
        />
      </Toolbar>
      <DataTable label="Customers" columns={COLUMNS} rows={rows} keyOf={({ user_id: id }) => id} />
    </>
  );
}
