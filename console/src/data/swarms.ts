import type {
  AgentStatus,
  GrantTranscripts,
  SwarmMemberStatus,
  SwarmRole,
  SwarmSettings,
  SwarmStatus,
  SwarmStrategy,
} from "@swarmbase/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { changeCachedRows, type KeyedRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { containsText, type Sort, sortAfter } from "./keyset.ts";
import { type RowEvent, useLiveTable } from "./live.ts";
import { type ReadPosition, useLiveReadPositions } from "./read-positions.ts";
import { type Pages, type ReadResult, usePages, useRows } from "./rows.ts";
import { useUser } from "./session.ts";
import { once, useWrite } from "./write.ts";

type LastMessage = Pick<Row<"messages">, "content" | "sender_name" | "created_at" | "seq">;
type Mine = { readonly id: string; readonly role: SwarmRole; readonly status: SwarmMemberStatus };

/** A swarm as a list shows it. */
export interface SwarmSummary extends Row<"swarms"> {
  /** Only the first ones. */
  readonly swarm_agents: readonly {
    readonly id: string;
    readonly agent_cards: { readonly id: string; readonly name: string; readonly status: AgentStatus } | null;
  }[];
  readonly agents: readonly [{ readonly count: number }];
  /** Without those who are only invited. */
  readonly people: readonly [{ readonly count: number }];
  /** Only the newest message. */
  readonly messages: readonly LastMessage[];
  /** That of the user; none if the swarm was never opened. */
  readonly read_positions: readonly ReadPosition[];
}

export interface Swarm extends Row<"swarms"> {
  /** The agent with which the user, who owns the swarm, talks in private; null for any other swarm. */
  readonly private_agent_id: string | null;
  /** Who reads the conversation with an agent of somebody else, since it began; null for any other swarm. */
  readonly transcripts: GrantTranscripts | null;
  readonly mine: readonly Mine[];
  readonly read_positions: readonly ReadPosition[];
}

interface SwarmFilter {
  readonly search: string;
  readonly status: SwarmStatus | "all";
  readonly sort: Sort;
}

const SUMMARY =
  "*, swarm_agents(id, agent_cards(id, name, status)), agents:swarm_agents(count), people:swarm_members(count), " +
  "messages(content, sender_name, created_at, seq), read_positions(last_read_seq)";
/** The number of agents whose names are read per swarm. */
export const MAX_FACES = 3;

export function useSwarms({ search, status, sort }: SwarmFilter): Pages<SwarmSummary> {
  useLiveTable("swarms");
  useLiveTable("messages", { onChange: useShowLastMessage() });
  useLiveReadPositions();
  return usePages<SwarmSummary>({
    table: "swarms",
    key: ["list", search, status, sort],
    read: (client, { last, size }) => {
      let query = client
        .from("swarms")
        .select(SUMMARY)
        .order("position", { referencedTable: "swarm_agents" })
        .limit(MAX_FACES, { referencedTable: "swarm_agents" })
        .eq("people.status", "active")
        .order("seq", { referencedTable: "messages", ascending: false })
        .limit(1, { referencedTable: "messages" })
        .limit(size);
      if (search.trim() !== "") query = query.or(containsText(["name"], search.trim()));
      if (status !== "all") query = query.eq("status", status);
      return sortAfter(query, sort, last);
    },
  });
}

/** Updates the newest message of a listed swarm without a request. */
function useShowLastMessage(): (change: RowEvent) => void {
  const queries = useQueryClient();
  return useCallback(
    ({ kind, row }) => {
      if (kind !== "INSERT") return;
      const { swarm_id: swarmId, ...message } = row as KeyedRow & Row<"messages">;
      changeCachedRows(queries, "swarms", (rows) =>
        rows.map((swarm) => (swarm.id === swarmId && "messages" in swarm ? { ...swarm, messages: [message] } : swarm)),
      );
    },
    [queries],
  );
}

export type RunningRow = Pick<Row<"runs">, "id" | "swarm_id" | "status">;
const UNDER_WAY = ["queued", "running", "requires_action"] as const;

/** The unfinished runs of all swarms, without those that wait for a time or a signal, of which there can be many. */
export function useRunsUnderWay(): readonly RunningRow[] {
  useLiveTable("runs");
  const { rows = [] } = useRows({
    table: "runs",
    key: ["under way"],
    read: (client) => client.from("runs").select("id, swarm_id, status").in("status", UNDER_WAY).limit(1_000),
  });
  return rows.filter(({ status }) => UNDER_WAY.some((live) => live === status));
}

/** Null if the swarm does not exist or the user may not see it. */
export function useSwarm(id: string): ReadResult<Swarm | null> {
  const user = useUser();
  useLiveTable("swarms", { filter: `id=eq.${id}` });
  return useRows({
    table: "swarms",
    key: ["one", id],
    read: (client) =>
      client
        .from("swarms")
        .select<string, Swarm>(
          "*, private_agent_id, transcripts, mine:swarm_members(id, role, status), read_positions(last_read_seq)",
        )
        .eq("id", id)
        .eq("mine.user_id", user.id)
        .maybeSingle(),
  });
}

/** What the user may do in a swarm. Only hides controls; the service enforces the permissions. */
export interface Rights {
  readonly role: SwarmRole;
  readonly canWrite: boolean;
  readonly canManage: boolean;
  /** Invite people and add agents, which a private conversation does not take. */
  readonly canExtend: boolean;
  readonly canDelete: boolean;
}

export function rightsIn(swarm: Swarm, userId: string): Rights {
  const role = swarm.owner_id === userId ? "owner" : (swarm.mine[0]?.role ?? "viewer");
  const canManage = role === "owner" || role === "admin";
  return {
    role,
    canWrite: role !== "viewer",
    canManage,
    canExtend: canManage && swarm.private_agent_id === null,
    canDelete: role === "owner",
  };
}

interface NewSwarm {
  readonly name: string;
  readonly description: string;
  readonly strategy: SwarmStrategy;
  /** In speaking order. */
  readonly agentIds: readonly string[];
  readonly coordinatorId: string | null;
  readonly settings: SwarmSettings;
}

/** Returns the id of the new swarm. */
export function useCreateSwarm() {
  return useWrite<NewSwarm, string>({
    tables: ["swarms", "swarm_agents"],
    write: async (client, { name, description, strategy, agentIds, coordinatorId, settings }, key) => {
      const row = { name, description: description.trim() === "" ? null : description, strategy, settings };
      const swarm = await unwrap(once(client.from("swarms").insert(row).select("id").single(), key));
      const swarmAgents = agentIds.map((agentId, position) => ({ swarm_id: swarm.id, agent_id: agentId, position }));
      if (swarmAgents.length > 0) await unwrap(once(client.from("swarm_agents").insert(swarmAgents), `${key}:agents`));
      // The coordinator must already be an agent of the swarm.
      if (coordinatorId !== null)
        await unwrap(client.from("swarms").update({ coordinator_agent_id: coordinatorId }).eq("id", swarm.id));
      return swarm.id;
    },
  });
}

export type SwarmChange = Partial<
  Pick<Row<"swarms">, "name" | "description" | "strategy" | "coordinator_agent_id" | "settings">
>;
