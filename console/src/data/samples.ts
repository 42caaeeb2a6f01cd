import { useRows } from "./rows.ts";

/** Things of the user's own, to make snippets that run as they are. Null for what there is none of. */
export interface Samples {
  readonly agentId: string | null;
  readonly swarmId: string | null;
}

export function useSamples(): Samples {
  const agents = useRows({
    table: "agents",
    key: ["sample"],
    ask: (client, signal) =>
      client.from("agents").select("id").order("created_at", { ascending: false }).limit(1).abortSignal(signal),
  });
  const swarms = useRows({
    table: "swarms",
    key: ["sample"],
    ask: (client, signal) =>
      client
        .from("swarms")
        .select("id, swarm_agents!inner(id)")
        .order("created_at", { ascending: false })
        .limit(1)
        .abortSignal(signal),
  });
  return { agentId: agents.rows?.[0]?.id ?? null, swarmId: swarms.rows?.[0]?.id ?? null };
}
