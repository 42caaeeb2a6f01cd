import { getClient } from "./client.ts";
import { unwrap } from "./failure.ts";
import type { AllRows } from "./rows.ts";
import { MAX_USAGE_ROWS, readUsageRows, type UsageRow } from "./usage-rows.ts";

const PAGE = 100;

export type NamedUsage = UsageRow & { readonly agent: string | undefined; readonly swarm: string | undefined };

/** The usage since a day, with the names of agents and swarms that still exist. */
export async function readNamedUsage(payerId: string, since: string): Promise<AllRows<NamedUsage>> {
  const rows = await readUsageRows(payerId, since);
  const idsOf = (column: "agent_id" | "swarm_id") => [
    ...new Set(rows.map((row) => row[column]).filter((id) => id !== null)),
  ];
  const agents = await readNames("agents", idsOf("agent_id"));
  const swarms = await readNames("swarms", idsOf("swarm_id"));
  const named = rows.map((row) => ({
    ...row,
    agent: agents.get(row.agent_id ?? ""),
    swarm: swarms.get(row.swarm_id ?? ""),
  }));
  return { rows: named, isCut: rows.length >= MAX_USAGE_ROWS };
}

/** In batches, because the URL contains the ids. */
async function readNames(table: "agents" | "swarms", ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let from = 0; from < ids.length; from += PAGE) {
    const part = ids.slice(from, from + PAGE);
    const found = await unwrap(getClient().from(table).select("id, name").in("id", part));
    for (const { id, name } of found) names.set(id, name);
  }
  return names;
}
