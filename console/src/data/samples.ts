import { useRows } from "./rows.ts";

/** Ids of rows of the user, for code snippets; null if there are none. */
export interface Samples {
  readonly agentId: string | null;
  readonly swarmId: string | null;
}

export function useSamples(): Samples {
  const agents = useRows({
    table: "agents",
    key: ["sample"],
    read: (client) => client.from("agents").select("id").order("created_at", { ascending: false }).limit(1),
  });
  const swarms = useRows({
    table: "swarms",
    key: ["sample"],
    read: (client) =>
      client.from("swarms").select("id, swarm_agents!inner(id)").order("created_at", { ascending: false }).limit(1),
  });
  return { agentId: agents.rows?.[0]?.id ?? null, swarmId: swarms.rows?.[0]?.id ?? null };
}
