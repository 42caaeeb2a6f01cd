import { getClient, type Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import type { AllRows } from "./rows.ts";

/** The maximum number of rows of an export. */
const MAX_USAGE_ROWS = 10_000;
const PAGE = 500;
const IDS_PER_READ = 100;

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
  for (let from = 0; from < ids.length; from += IDS_PER_READ) {
    const part = ids.slice(from, from + IDS_PER_READ);
    const found = await unwrap(getClient().from(table).select("id, name").in("id", part));
    for (const { id, name } of found) names.set(id, name);
  }
  return names;
}

type UsageRow = Row<"usage_daily">;

/** Reads the usage per day, agent, swarm and model since a day, ordered by day. */
async function readUsageRows(payerId: string, since: string): Promise<readonly UsageRow[]> {
  const rows: UsageRow[] = [];
  let cursor: Cursor = { day: since, skip: 0 };
  while (rows.length < MAX_USAGE_ROWS) {
    const page = await readPage(payerId, cursor);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return [...rows, ...page].slice(0, MAX_USAGE_ROWS);
    // The last day may be incomplete: read it again from its beginning, unless it fills the whole page.
    const whole = page.filter(({ day }) => day !== last.day);
    const isOneDay = whole.length === 0;
    rows.push(...(isOneDay ? page : whole));
    const skipped = cursor.day === last.day ? cursor.skip : 0;
    cursor = { day: last.day, skip: isOneDay ? skipped + PAGE : 0 };
  }
  return rows.slice(0, MAX_USAGE_ROWS);
}

interface Cursor {
  readonly day: string;
  /** The number of rows of the day that were read already. */
  readonly skip: number;
}

function readPage(payerId: string, { day, skip }: Cursor): Promise<readonly UsageRow[]> {
  return unwrap(
    getClient()
      .from("usage_daily")
      .select("*")
      .eq("payer_id", payerId)
      .gte("day", day)
      .order("day")
      .order("agent_id")
      .order("swarm_id")
      .order("framework")
      .order("model")
      .range(skip, skip + PAGE - 1),
  );
}
