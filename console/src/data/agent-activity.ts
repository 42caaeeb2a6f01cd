import type { Row } from "./client.ts";
import { afterRow } from "./keyset.ts";
import { useLiveTable } from "./live.ts";
import { useLivePages } from "./live-pages.ts";
import { type Pages, type Reading, useRows } from "./rows.ts";

/** A turn of an agent, with the swarm in which it was. */
export type AgentTurn = Row<"run_turns">;

export function useAgentTurns(agentId: string, size?: number): Pages<AgentTurn> {
  return useLivePages<AgentTurn>({
    table: "run_turns",
    filter: `agent_id=eq.${agentId}`,
    key: ["of agent", agentId, size ?? null],
    ...(size !== undefined && { size }),
    ask: (client, { last, size: most, signal }) => {
      let query = client.from("run_turns").select("*").eq("agent_id", agentId);
      if (last !== null) query = query.or(afterRow(last));
      return query
        .order("created_at", { ascending: false })
        .order("id", { ascending: false })
        .limit(most)
        .abortSignal(signal);
    },
  });
}

/** One row for each day, swarm and model since `since` (a date). */
export function useAgentUsage(agentId: string, since: string): Reading<readonly Row<"usage_daily">[]> {
  return useRows({
    table: "usage_daily",
    key: ["of agent", agentId, since],
    ask: (client, signal) =>
      client
        .from("usage_daily")
        .select("*")
        .eq("agent_id", agentId)
        .gte("day", since)
        .order("day")
        .limit(1000)
        .abortSignal(signal),
  });
}

export interface AgentPlace {
  readonly id: string;
  readonly enabled: boolean;
  readonly swarms: { readonly id: string; readonly name: string; readonly status: Row<"swarms">["status"] } | null;
}

/** The swarms that an agent takes part in. */
export function useAgentPlaces(agentId: string): Reading<readonly AgentPlace[]> {
  useLiveTable("swarm_agents");
  return useRows({
    table: "swarm_agents",
    key: ["of agent", agentId],
    ask: (client, signal) =>
      client
        .from("swarm_agents")
        .select("id, enabled, swarms(id, name, status)")
        .eq("agent_id", agentId)
        .order("created_at", { ascending: false })
        .limit(100)
        .abortSignal(signal),
  });
}
