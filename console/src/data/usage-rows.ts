import { getClient, type Row } from "./client.ts";
import { unwrap } from "./failure.ts";

export type UsageRow = Row<"usage_daily">;

/** The maximum number of rows of an export. */
export const MAX_USAGE_ROWS = 10_000;
const PAGE = 500;

/** Reads the usage per day, agent, swarm and model since a day, ordered by day. */
export async function readUsageRows(payerId: string, since: string): Promise<readonly UsageRow[]> {
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
