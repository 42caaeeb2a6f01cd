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

/** Of the private swarm of the user and the agent, if it is not null. */
interface Chat {
  readonly swarmId: string;
  readonly agentId: string | null;
}

/** The oldest run of a swarm that has not ended and does not wait for a time or a signal; null when there is none. */
export async function findUnfinishedRun(client: TablesClient, { swarmId, agentId }: Chat): Promise<string | null> {
  const runs = client.from("runs") as Query;
  const ofChat =
    agentId === null
      ? runs.select("id").eq("swarm_id", swarmId)
      : runs.select("id,swarms!inner()").eq("swarms.private_agent_id", agentId);
  const { data, error } = await ofChat
    .in(
      "status",
      RUN_STATUSES.filter((status) => !isFinalRunStatus(status) && status !== "waiting"),
    )
    .order("id")
    .limit(1);
  if (error instanceof Error) throw error;
  return data?.[0]?.id ?? null;
}
