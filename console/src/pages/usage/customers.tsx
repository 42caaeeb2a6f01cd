import { type Customer, useCustomers } from "../../data/agent-grants.ts";
import { useAgentChoices } from "../../data/swarm-agents.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { formatCount, formatMoney } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";

const SHOWN = 10;

/** Who has cost the most by asking the user's agents. */
export function Customers() {
  const { rows = [] } = useCustomers(null, "cost_usd", SHOWN);
  const { rows: agents = [] } = useAgentChoices(rows.map(({ agent_id: id }) => id));
  if (rows.length === 0) return null;
  const columns: readonly Column<Customer>[] = [
    { title: "Customer", width: "2fr", narrow: "title", render: ({ full_name: name, user_id: id }) => name ?? id },
    {
      title: "Agent",
      width: "2fr",
      render: ({ agent_id: id }) => (
        <Link to={`/agents/${id}/customers`}>{agents.find((agent) => agent.id === id)?.name ?? "Open"}</Link>
      ),
    },
    { title: "Runs", isNumber: true, render: ({ runs }) => formatCount(runs) },
    { title: "Errors", isNumber: true, render: ({ errors }) => formatCount(errors) },
    { title: "Cost", isNumber: true, narrow: "trailing", render: ({ cost_usd: cost }) => formatMoney(cost) },
  ];
  return (
    <section aria-label="Most expensive customers" className="mt-8 grid gap-3">
      <h2 className="text-lg font-semibold">Most expensive customers</h2>
      <p className="text-sm text-ink-soft">Who asks your agents by a grant, whoever pays. Figures of all time.</p>
      <DataTable
        label="Most expensive customers"
        columns={columns}
        rows={rows}
        keyOf={({ agent_id: agentId, user_id: id }) => `${agentId} ${id}`}
      />
    </section>
  );
}
