import type { ExtensionDatabase, Query } from "swarmbase/extension";

export async function addRequests(query: Query, byUser: Readonly<Record<string, number>>): Promise<void> {
  await query("select ext_operator.add_requests($1)", [JSON.stringify(byUser)]);
}

/** Brings the sums of usage by user and day up to date. */
export async function sumUsage(database: Pick<ExtensionDatabase, "asService">): Promise<void> {
  for (let day: string | null = null; ; ) {
    const [row] = await database.asService((query) =>
      query<{ next: string | null }>("select ext_operator.sum_usage($1)::text as next", [day]),
    );
    day = row?.next ?? null;
    if (day === null) return;
  }
}

export async function trimUserDays(query: Query): Promise<void> {
  await query("select ext_operator.trim_user_days()");
}
