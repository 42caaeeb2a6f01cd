import type { AgentStatus } from "@swarmbase/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { changeCachedRows, dropRow, type KeyedRow, replaceRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { type RowEvent, useLiveTable } from "./live.ts";
import { type Reading, useRows } from "./rows.ts";
import { useWrite } from "./write.ts";

/** An agent's place in a swarm, with the agent as everybody in the swarm may see it. */
export interface Place extends Row<"swarm_agents"> {
  readonly agent_cards: Row<"agent_cards"> | null;
}

const MOST_PLACES = 1_000;

export function usePlaces(swarmId: string): Reading<readonly Place[]> {
  useLiveTable("swarm_agents", { filter: `swarm_id=eq.${swarmId}` });
  useLiveTable("agents", { onChange: useShowStatus() });
  return useRows({
    table: "swarm_agents",
    key: ["of", swarmId],
    ask: (client, signal) =>
      client
        .from("swarm_agents")
        .select("*, agent_cards(*)")
        .eq("swarm_id", swarmId)
        .order("position")
        .order("id")
        .limit(MOST_PLACES)
        .abortSignal(signal),
  });
}

/** Agents of one's own tell their status by themselves; those of others are known from the runs that are followed. */
function useShowStatus(): (change: RowEvent) => void {
  const queries = useQueryClient();
  return useCallback(
    ({ kind, row }) => {
      if (kind !== "UPDATE") return;
      const { id, name, role, status } = row as KeyedRow & Row<"agents">;
      changeCachedRows(queries, "swarm_agents", (places) =>
        places.map((place) => {
          const { agent_cards: card } = place as Partial<Place>;
          return card?.id === id ? { ...place, agent_cards: { ...card, name, role, status } } : place;
        }),
      );
    },
    [queries],
  );
}

export type AgentChoice = Pick<Row<"agents">, "id" | "name" | "role" | "framework" | "model"> & {
  readonly status: AgentStatus;
};

/** One's own agents, to choose from. */
export function useAgentChoices(isOn = true): Reading<readonly AgentChoice[]> {
  return useRows({
    table: "agents",
    key: ["choices"],
    isOn,
    ask: (client, signal) =>
      client
        .from("agents")
        .select("id, name, role, framework, model, status")
        .order("name")
        .limit(1_000)
        .abortSignal(signal),
  });
}

export function useAddAgents(swarmId: string) {
  return useWrite<readonly string[], void>({
    tables: ["swarm_agents", "swarms"],
    write: async (client, agentIds) => {
      await unwrap(client.from("swarm_agents").insert(agentIds.map((id) => ({ swarm_id: swarmId, agent_id: id }))));
    },
  });
}

export function useChangePlace() {
  return useWrite<{ readonly id: string; readonly enabled: boolean }, void>({
    tables: ["swarm_agents"],
    foresee: (change) => [{ table: "swarm_agents", change: replaceRow(change) }],
    write: async (client, { id, enabled }) => {
      await unwrap(client.from("swarm_agents").update({ enabled }).eq("id", id).select("id").single());
    },
  });
}

export function useRemovePlace() {
  return useWrite<string, void>({
    tables: ["swarm_agents", "swarms"],
    foresee: (id) => [{ table: "swarm_agents", change: dropRow(id) }],
    write: async (client, id) => {
      await unwrap(client.from("swarm_agents").delete().eq("id", id));
    },
  });
}

/** Brings an agent back to where it was. */
export function useRestorePlace() {
  return useWrite<Place, void>({
    tables: ["swarm_agents", "swarms"],
    write: async (client, { swarm_id, agent_id, position, enabled }) => {
      await unwrap(client.from("swarm_agents").insert({ swarm_id, agent_id, position, enabled }));
    },
  });
}

/** All places at once, in their new order: they change together or not at all. */
export function useOrderPlaces() {
  return useWrite<readonly Place[], void>({
    tables: ["swarm_agents"],
    foresee: (places) => [
      {
        table: "swarm_agents",
        change: (rows) => {
          const order = new Map(places.map(({ id }, at) => [id, at]));
          if (!rows.some(({ id }) => order.has(id))) return rows;
          return rows
            .map((row) => ({ ...row, position: order.get(row.id) ?? Number.MAX_SAFE_INTEGER }))
            .toSorted((left, right) => left.position - right.position);
        },
      },
    ],
    write: async (client, places) => {
      const moved = places.map(({ id }, position) => ({ id, position }));
      // The types know one row; the service takes several, each with its id.
      await unwrap(client.from("swarm_agents").update(moved as never));
    },
  });
}
