import type { AgentStatus } from "@swarmbase/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { changeCachedRows, type KeyedRow } from "./cached-rows.ts";
import { type Choices, useChoices } from "./choices.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { type RowEvent, useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { type OnSignal, useSignals } from "./signals.ts";
import { once, useWrite } from "./write.ts";

/** A row of `swarm_agents` with the public columns of its agent. */
export interface SwarmAgent extends Row<"swarm_agents"> {
  readonly agent_cards: Row<"agent_cards"> | null;
  /** Null means that its owner is no member of the swarm. */
  readonly agent_owner_id: string | null;
}

const MAX_SWARM_AGENTS = 1_000;

export function useSwarmAgents(swarmId: string): ReadResult<readonly SwarmAgent[]> {
  useLiveTable("swarm_agents", { filter: `swarm_id=eq.${swarmId}` });
  useLiveTable("agents", { onChange: useShowOwnAgents() });
  const reading = useRows({
    table: "swarm_agents",
    key: ["of", swarmId],
    read: (client) =>
      client
        .from("swarm_agents")
        .select<string, SwarmAgent>("*, agent_owner_id, agent_cards(*)")
        .eq("swarm_id", swarmId)
        .order("position")
        .order("id")
        .limit(MAX_SWARM_AGENTS),
  });
  useSignals(`swarm-agents:${swarmId}`, useShowStatuses(reading.reload));
  return reading;
}

interface AgentsSignal {
  /** Null means any agent of the swarm. */
  readonly agents: readonly { readonly id: string; readonly status: AgentStatus }[] | null;
}

/** Updates the statuses of all agents of a swarm, also of those of other members. */
function useShowStatuses(reload: () => void): OnSignal<AgentsSignal> {
  const queries = useQueryClient();
  return useCallback(
    (signal) => {
      if (signal === null || signal.agents === null) return reload();
      const statuses = new Map(signal.agents.map(({ id, status }) => [id, status]));
      changeCachedRows(queries, "swarm_agents", (swarmAgents) =>
        swarmAgents.map((swarmAgent) => {
          const { agent_cards: card } = swarmAgent as Partial<SwarmAgent>;
          const status = statuses.get(card?.id ?? "");
          return status === undefined ? swarmAgent : { ...swarmAgent, agent_cards: { ...card, status } };
        }),
      );
    },
    [queries, reload],
  );
}

/** Updates the user's own agents, of which realtime publishes the rows. */
function useShowOwnAgents(): (change: RowEvent) => void {
  const queries = useQueryClient();
  return useCallback(
    ({ kind, row }) => {
      if (kind !== "UPDATE") return;
      const { id, name, role, status } = row as KeyedRow & Row<"agents">;
      changeCachedRows(queries, "swarm_agents", (swarmAgents) =>
        swarmAgents.map((swarmAgent) => {
          const { agent_cards: card } = swarmAgent as Partial<SwarmAgent>;
          return card?.id === id ? { ...swarmAgent, agent_cards: { ...card, name, role, status } } : swarmAgent;
        }),
      );
    },
    [queries],
  );
}

export type AgentChoice = Pick<Row<"agents">, "id" | "name" | "role" | "framework" | "model"> & {
  readonly status: AgentStatus;
};

/** The user's own agents. */
export function useAgentChoices(ids: readonly string[] = []): Choices<AgentChoice> {
  return useChoices("agents", { columns: "id, name, role, framework, model, status", ids });
}

export function useAddAgents(swarmId: string) {
  return useWrite<readonly string[], void>({
    tables: ["swarm_agents", "swarms"],
    write: async (client, agentIds, key) => {
      const rows = agentIds.map((id) => ({ swarm_id: swarmId, agent_id: id }));
      await unwrap(once(client.from("swarm_agents").insert(rows), key));
    },
  });
}

/** Writes all positions in one request, which succeeds or fails as a whole. */
export function useOrderSwarmAgents() {
  return useWrite<readonly SwarmAgent[], void>({
    tables: ["swarm_agents"],
    optimistic: (swarmAgents) => [
      {
        table: "swarm_agents",
        change: (rows) => {
          const order = new Map(swarmAgents.map(({ id }, index) => [id, index]));
          if (!rows.some(({ id }) => order.has(id))) return rows;
          return rows
            .map((row) => ({ ...row, position: order.get(row.id) ?? Number.MAX_SAFE_INTEGER }))
            .toSorted((left, right) => left.position - right.position);
        },
      },
    ],
    write: async (client, swarmAgents) => {
      const moved = swarmAgents.map(({ id }, position) => ({ id, position }));
      // The types allow only one row; the service accepts an array of rows with ids.
      await unwrap(client.from("swarm_agents").update(moved as never));
    },
  });
}
