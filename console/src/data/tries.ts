import { FIELD_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { type Reading, useRows } from "./rows.ts";
import { useWrite, type Write } from "./write.ts";

/** The key of `swarms.settings` by which a swarm for trying out an agent is found again. The service keeps it as it is. */
const MARK = "try_of_agent";
const MOST_MESSAGES = 40;

export type Try = Pick<Row<"swarms">, "id" | "name" | "status">;

/** The swarm in which an agent is tried out, or none yet. */
export function useTry(agentId: string): Reading<readonly Try[]> {
  return useRows({
    table: "swarms",
    key: ["try", agentId],
    ask: (client, signal) =>
      client
        .from("swarms")
        .select("id, name, status")
        .eq(`settings->>${MARK}`, agentId)
        .order("created_at", { ascending: false })
        .limit(1)
        .abortSignal(signal),
  });
}

/** A swarm of one's own with this agent alone: agents answer in swarms and nowhere else. */
export function useStartTry(): Write<Pick<Row<"agents">, "id" | "name">, Try> {
  return useWrite({
    tables: ["swarms", "swarm_agents"],
    write: async (client, agent) => {
      const name = Array.from(`Try: ${agent.name}`).slice(0, FIELD_BOUNDS["swarms.name"].max).join("");
      const description = "Made by the console to try an agent out. Remove it whenever you like.";
      const settings = { [MARK]: agent.id };
      const swarm = await unwrap(
        client.from("swarms").insert({ name, description, settings }).select("id, name, status").single(),
      );
      try {
        await unwrap(client.from("swarm_agents").insert({ swarm_id: swarm.id, agent_id: agent.id }));
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
  "id" | "content" | "sender_type" | "created_at" | "run_id" | "metadata"
>;

/** What was said in it last, the newest first. */
export function useTriedMessages(swarmId: string | null): Reading<readonly TriedMessage[]> {
  // Asked for anew whenever the conversation is opened: what came in meanwhile was told to nobody here.
  const [opening] = useState(() => crypto.randomUUID());
  return useRows({
    table: "messages",
    key: ["try", swarmId, opening],
    isOn: swarmId !== null,
    ask: (client, signal) =>
      client
        .from("messages")
        .select("id, content, sender_type, created_at, run_id, metadata")
        .eq("swarm_id", swarmId ?? "")
        .is("deleted_at", null)
        .order("seq", { ascending: false })
        .limit(MOST_MESSAGES)
        .abortSignal(signal),
  });
}
