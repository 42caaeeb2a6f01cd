import { isFinalRunStatus, RUN_STATUSES } from "../runs.ts";

/** The part of supabase-js that reads tables. */
export interface TablesClient {
  from(table: "runs"): unknown;
}

/** As much of the query builder of supabase-js as is used here. */
interface Query
  extends PromiseLike<{ readonly data: readonly { readonly id: string }[] | null; readonly error: unknown }> {
  select(columns: string): Query;
  eq(column: string, value: string): Query;
  in(column: string, values: readonly string[]): Query;
  order(column: string): Query;
  limit(count: number): Query;
}

/** The oldest run of a swarm that has not ended; null when there is none. */
export async function findUnfinishedRun(client: TablesClient, swarmId: string): Promise<string | null> {
  const { data, error } = await (client.from("runs") as Query)
    .select("id")
    .eq("swarm_id", swarmId)
    .in(
      "status",
      RUN_STATUSES.filter((status) => !isFinalRunStatus(status)),
    )
    .order("id")
    .limit(1);
  if (error instanceof Error) throw error;
  return data?.[0]?.id ?? null;
}
