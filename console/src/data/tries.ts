import { FIELD_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { once, useWrite, type Write } from "./write.ts";

/** The key of `swarms.settings` that marks the swarm for trying out an agent. The service keeps unknown keys. */
const MARK = "try_of_agent";
const MAX_MESSAGES = 40;

export type Try = Pick<Row<"swarms">, "id" | "name" | "status">;

/** The swarm for trying out an agent, if it exists. */
export function useTry(agentId: string): ReadResult<readonly Try[]> {
  return useRows({
    table: "swarms",
    key: ["try", agentId],
    read: (client) =>
      client
        .from("swarms")
        .select("id, name, status")
        .eq(`settings->>${MARK}`, agentId)
        .order("created_at", { ascending: false })
        .limit(1),
  });
}

/** Creates a swarm with only this agent, because agents answer only in swarms. */
export function useStartTry(): Write<Pick<Row<"agents">, "id" | "name">, Try> {
  return useWrite({
    tables: ["swarms", "swarm_agents"],
    write: async (client, agent, key) => {
      const name = Array.from(`Try: ${agent.name}`).slice(0, FIELD_BOUNDS["swarms.name"].max).join("");
      const description = "Created by the console to try out an agent. It can be deleted at any time.";
      const settings = { [MARK]: agent.id };
      const inserted = client.from("swarms").insert({ name, description, settings }).select("id, name, status");
      const swarm = await unwrap(once(inserted.single(), key));
      try {
        const row = { swarm_id: swarm.id, agent_id: agent.id };
        await unwrap(once(client.from("swarm_agents").insert(row), `${key}:agents`));
      } catch (error) {
        await client.from("swarms").delete().eq("id", swarm.id);
        throw error;
      }
      return swarm;
    },
  });
}

export function useRemoveTry(): Write<string, string> {
  return useWrite({
    tables: ["swarms", "swarm_agents", "messages"],
    write: async (client, id) => {
      await unwrap(client.from("swarms").delete().eq("id", id));
      return id;
    },
  });
}

export type TriedMessage = Pick<
  Row<"messages">,
  "id" | "content" | "data" | "sender_type" | "created_at" | "run_id" | "metadata"
>;

/** Its newest messages, the newest first. */
export function useTriedMessages(swarmId: string | null): ReadResult<readonly TriedMessage[]> {
  // Read again whenever the conversation is opened, because no subscription updates it meanwhile.
  const [opening] = useState(() => crypto.randomUUID());
  return useRows({
    table: "messages",
    key: ["try", swarmId, opening],
    isOn: swarmId !== null,
    read: (client) =>
      client
        .from("messages")
        .select("id, content, data, sender_type, created_at, run_id, metadata")
        .eq("swarm_id", swarmId ?? "")
        .is("deleted_at", null)
        .order("seq", { ascending: false })
        .limit(MAX_MESSAGES),
  });
}
