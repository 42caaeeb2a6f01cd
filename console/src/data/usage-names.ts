import { getClient } from "./client.ts";
import { unwrap } from "./failure.ts";
import type { UsageRow } from "./usage-rows.ts";

const PAGE = 100;

export interface UsageNames {
  readonly agents: ReadonlyMap<string, string>;
  readonly swarms: ReadonlyMap<string, string>;
}

/** The names of agents and swarms that still exist. */
export async function readUsageNames(rows: readonly UsageRow[]): Promise<UsageNames> {
  const idsOf = (of: (row: UsageRow) => string | null): string[] => [
    ...new Set(rows.map(of).filter((id) => id !== null)),
  ];
  return {
    agents: await readNames(
      "agents",
      idsOf(({ agent_id: id }) => id),
    ),
    swarms: await readNames(
      "swarms",
      idsOf(({ swarm_id: id }) => id),
    ),
  };
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
