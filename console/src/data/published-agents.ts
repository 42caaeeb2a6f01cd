import { dropRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useWrite, type Write } from "./write.ts";

export type PublishedAgent = Row<"published_agents">;
export type AgentOffer = Row<"agent_offers">;

const MAX_ROWS = 200;

/** The agents of others that the user may ask. */
export function usePublishedAgents(): ReadResult<readonly PublishedAgent[]> {
  return useRows({
    table: "published_agents",
    key: ["list"],
    read: (client) => client.from("published_agents").select("*").order("name").order("id").limit(MAX_ROWS),
  });
}

/** Null if the user may not ask the agent, or not any more. */
export function usePublishedAgent(id: string, isOn = true): ReadResult<PublishedAgent | null> {
  return useRows({
    table: "published_agents",
    key: ["one", id],
    isOn,
    read: (client) => client.from("published_agents").select("*").eq("id", id).maybeSingle(),
  });
}

/** The grants that wait for an answer of the user. */
export function useAgentOffers(): ReadResult<readonly AgentOffer[]> {
  return useRows({
    table: "agent_offers",
    key: ["list"],
    read: (client) => client.from("agent_offers").select("*").order("id", { ascending: false }).limit(MAX_ROWS),
  });
}

export function useAnswerOffer(): Write<{ readonly id: string; readonly isAccepted: boolean }, unknown> {
  return useWrite({
    tables: ["agent_offers", "published_agents"],
    optimistic: ({ id }) => [{ table: "agent_offers", change: dropRow(id) }],
    write: (client, { id, isAccepted }) => {
      const body = { action: isAccepted ? "accept" : "decline", grant_id: id };
      return unwrap(client.functions.invoke("agent-grants", { body }));
    },
  });
}

/** The user's private conversations with an agent, the one with the last change first. */
export function useConversationsWith(
  agentId: string,
): ReadResult<readonly Pick<Row<"swarms">, "id" | "name" | "updated_at">[]> {
  useLiveTable("swarms");
  return useRows({
    table: "swarms",
    key: ["private", agentId],
    read: (client) => {
      const query = client.from("swarms").select("id, name, updated_at").filter("private_agent_id", "eq", agentId);
      return query.order("updated_at", { ascending: false }).limit(MAX_ROWS);
    },
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
