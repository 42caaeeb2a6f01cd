import { type AgentStatus, type Database, FIELD_BOUNDS, type Framework } from "@swarmbase/sdk";
import type { Client, Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { containsText, type Sort, sortAfter } from "./keyset.ts";
import { useLiveTable } from "./live.ts";
import { useLivePages } from "./live-pages.ts";
import { type Pages, type ReadResult, useRow } from "./rows.ts";
import { once, useWrite, type Write } from "./write.ts";

export type Agent = Row<"agents">;
/** The columns of an agent that its owner may write. */
export type AgentDraft = Required<
  Pick<
    Database["public"]["Tables"]["agents"]["Insert"],
    | "name"
    | "role"
    | "avatar"
    | "description"
    | "starter_questions"
    | "framework"
    | "model"
    | "system_prompt"
    | "settings"
  >
>;

interface AgentFilter {
  readonly search: string;
  readonly status: AgentStatus | null;
  readonly framework: Framework | null;
  readonly sort: Sort;
}

export function useAgents({ search, status, framework, sort }: AgentFilter): Pages<Agent> {
  return useLivePages<Agent>({
    table: "agents",
    key: ["list", search, status, framework, sort],
    isNewestFirst: sort === "newest",
    read: (client, { last, size }) => {
      let query = client.from("agents").select("*");
      if (search.trim() !== "") query = query.or(containsText(["name", "role"], search.trim()));
      if (status !== null) query = query.eq("status", status);
      if (framework !== null) query = query.eq("framework", framework);
      return sortAfter(query, sort, last).limit(size);
    },
  });
}

export function useAgent(id: string): ReadResult<Agent> {
  useLiveTable("agents");
  return useRow("agents", id);
}

const COPY = " (copy)";

/** Copies an agent with its tools, but not into its swarms. */
export function useDuplicateAgent(): Write<Agent, Pick<Agent, "id">> {
  return useWrite({
    tables: ["agents", "agent_tools"],
    write: async (client, agent, key) => {
      const { role, avatar, description, starter_questions, framework, model, system_prompt, settings } = agent;
      const maxLength = FIELD_BOUNDS["agents.name"].max - COPY.length;
      const name = `${Array.from(agent.name).slice(0, maxLength).join("")}${COPY}`;
      const shown = { name, role, avatar, description, starter_questions };
      const draft = { ...shown, framework, model, system_prompt, settings };
      const copy = await unwrap(once(client.from("agents").insert(draft).select("id").single(), key));
      try {
        await copyTools(client, { from: agent.id, to: copy.id, key: `${key}:tools` });
      } catch (error) {
        // Removes the incomplete copy.
        await client.from("agents").delete().eq("id", copy.id);
        throw error;
      }
      return copy;
    },
  });
}

interface ToolCopy {
  readonly from: string;
  readonly to: string;
  readonly key: string;
}

async function copyTools(client: Client, { from, to, key }: ToolCopy): Promise<void> {
  const tools = await unwrap(
    client
      .from("agent_tools")
      .select<string, Pick<Row<"agent_tools">, "tool_id" | "enabled" | "configuration">>(
        "tool_id, enabled, configuration, approver",
      )
      .eq("agent_id", from)
      .limit(1000),
  );
  if (tools.length === 0) return;
  const rows = tools.map((tool) => ({ ...tool, agent_id: to }));
  await unwrap(once(client.from("agent_tools").insert(rows), key));
}
