import { useMemo } from "react";
import { dropRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useWrite, type Write } from "./write.ts";

export type PublishedAgent = Row<"published_agents">;
export type AgentOffer = Row<"agent_offers">;
export type PrivateConversation = Pick<Row<"swarms">, "id" | "name" | "updated_at">;

const MAX_ROWS = 200;

/** The agents of others that the user may ask. */
export function usePublishedAgents(): ReadResult<readonly PublishedAgent[]> {
  return useRows({
    table: "published_agents",
    key: ["list"],
    read: (client, signal) =>
      client.from("published_agents").select("*").order("name").order("id").limit(MAX_ROWS).abortSignal(signal),
  });
}

/** Null if the user may not ask the agent, or not any more. */
export function usePublishedAgent(id: string, isOn = true): ReadResult<PublishedAgent | null> {
  return useRows({
    table: "published_agents",
    key: ["one", id],
    isOn,
    read: (client, signal) =>
      client.from("published_agents").select("*").eq("id", id).abortSignal(signal).maybeSingle(),
  });
}

/** The grants that wait for an answer of the user. */
export function useAgentOffers(): ReadResult<readonly AgentOffer[]> {
  return useRows({
    table: "agent_offers",
    key: ["list"],
    read: (client, signal) =>
      client.from("agent_offers").select("*").order("id", { ascending: false }).limit(MAX_ROWS).abortSignal(signal),
  });
}

export interface OfferAnswer {
  readonly id: string;
  readonly isAccepted: boolean;
}

export function useAnswerOffer(): Write<OfferAnswer, boolean> {
  return useWrite({
    tables: ["agent_offers", "published_agents"],
    optimistic: ({ id }) => [{ table: "agent_offers", change: dropRow(id) }],
    write: async (client, { id, isAccepted }) => {
      const body = { action: isAccepted ? "accept" : "decline", grant_id: id };
      await unwrap(client.functions.invoke("agent-grants", { body }));
      return true;
    },
  });
}

/** The user's private conversations with an agent, the one with the last change first. */
export function useConversationsWith(agentId: string): ReadResult<readonly PrivateConversation[]> {
  useLiveTable("swarms");
  return useRows({
    table: "swarms",
    key: ["private", agentId],
    read: (client, signal) =>
      client
        .from("swarms")
        .select("id, name, updated_at")
        .filter("private_agent_id", "eq", agentId)
        .order("updated_at", { ascending: false })
        .limit(MAX_ROWS)
        .abortSignal(signal),
  });
}

/** Sends the first message, and returns the id of the swarm in which the agent answers. */
export function useBeginConversation(): Write<{ readonly agentId: string; readonly message: string }, string> {
  return useWrite({
    tables: ["swarms"],
    write: async (client, { agentId, message }, key) => {
      const body = { agent_id: agentId, message, conversation: "new", background: true };
      const headers = { "Idempotency-Key": key };
      const run: unknown = await unwrap(client.functions.invoke("agent-respond", { body, headers }));
      return (run as { swarm_id: string }).swarm_id;
    },
  });
}

/** What a private conversation says about the agent of somebody else: undefined until it is known, or if the swarm is no such one. */
export interface PrivateAgent {
  /** Null: it no longer answers the user. */
  readonly agent: PublishedAgent | null;
}

export function usePrivateAgent(swarmId: string, isOn: boolean): PrivateAgent | undefined {
  const { rows: swarm } = useRows({
    table: "swarms",
    key: ["private agent", swarmId],
    isOn,
    read: (client, signal) =>
      client
        .from("swarms")
        .select<string, { readonly id: string; readonly private_agent_id: string | null }>("id, private_agent_id")
        .eq("id", swarmId)
        .abortSignal(signal)
        .maybeSingle(),
  });
  const agentId = swarm?.private_agent_id ?? null;
  const { rows: agent } = usePublishedAgent(agentId ?? "", isOn && agentId !== null);
  return useMemo(() => (agentId === null || agent === undefined ? undefined : { agent }), [agentId, agent]);
}
