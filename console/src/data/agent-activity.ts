import type { Row } from "./client.ts";
import { newestAfter } from "./keyset.ts";
import { useLiveTable } from "./live.ts";
import { useLivePages } from "./live-pages.ts";
import { type Pages, type ReadResult, useRows } from "./rows.ts";

export type AgentTurn = Row<"run_turns">;

export function useAgentTurns(agentId: string, size?: number): Pages<AgentTurn> {
  return useLivePages<AgentTurn>({
    table: "run_turns",
    filter: `agent_id=eq.${agentId}`,
    key: ["of agent", agentId, size ?? null],
    ...(size !== undefined && { size }),
    read: (client, { last, size: limit }) => {
      const query = client.from("run_turns").select("*").eq("agent_id", agentId);
      return newestAfter(query, last).limit(limit);
    },
  });
}

/** One row per day, swarm and model since the date `since`. */
export function useAgentUsage(agentId: string, since: string): ReadResult<readonly Row<"usage_daily">[]> {
  return useRows({
    table: "usage_daily",
    key: ["of agent", agentId, since],
    read: (client) =>
      client.from("usage_daily").select("*").eq("agent_id", agentId).gte("day", since).order("day").limit(1000),
  });
}

interface AgentSwarm {
  readonly id: string;
  readonly enabled: boolean;
  readonly swarms: { readonly id: string; readonly name: string; readonly status: Row<"swarms">["status"] } | null;
}

/** The swarms that an agent is in. */
export function useAgentSwarms(agentId: string): ReadResult<readonly AgentSwarm[]> {
  useLiveTable("swarm_agents");
  return useRows({
    table: "swarm_agents",
    key: ["of agent", agentId],
    read: (client) =>
      client
        .from("swarm_agents")
        .select("id, enabled, swarms(id, name, status)")
        .eq("agent_id", agentId)
        .order("created_at", { ascending: false })
        .limit(100),
  });
}
