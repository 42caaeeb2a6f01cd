import type { Query } from "swarmbase/extension";

export async function addRequests(query: Query, byUser: Readonly<Record<string, number>>): Promise<void> {
  await query("select ext_operator.add_requests($1)", [JSON.stringify(byUser)]);
}

/** Brings the sums of usage by user and day up to date. */
export async function sumUsage(query: Query): Promise<void> {
  await query("select ext_operator.sum_usage()");
}

export async function trimUserDays(query: Query): Promise<void> {
  await query("select ext_operator.trim_user_days()");
}
