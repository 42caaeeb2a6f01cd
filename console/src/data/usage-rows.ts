import { getClient, type Row } from "./client.ts";
import { unwrap } from "./failure.ts";

export type UsageRow = Row<"usage_daily">;

/** More rows than this are not read at once: a page would rather say so than take minutes. */
export const MOST_USAGE_ROWS = 10_000;
const PAGE = 500;

/** Every day, agent, swarm and model since a day, in the order of days. */
export async function readUsageRows(payerId: string, since: string): Promise<readonly UsageRow[]> {
  const rows: UsageRow[] = [];
  let place: Place = { day: since, skip: 0 };
  while (rows.length < MOST_USAGE_ROWS) {
    const page = await readPage(payerId, place);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return [...rows, ...page].slice(0, MOST_USAGE_ROWS);
    // The last day may be cut. It is read again from its beginning, unless it fills the page by itself.
    const whole = page.filter(({ day }) => day !== last.day);
    const isOneDay = whole.length === 0;
    rows.push(...(isOneDay ? page : whole));
    const skipped = place.day === last.day ? place.skip : 0;
    place = { day: last.day, skip: isOneDay ? skipped + PAGE : 0 };
  }
  return rows.slice(0, MOST_USAGE_ROWS);
}

interface Place {
  readonly day: string;
  /** Rows of the day that are read already. */
  readonly skip: number;
}

function readPage(payerId: string, { day, skip }: Place): Promise<readonly UsageRow[]> {
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
