import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { type Pages, usePages } from "./rows.ts";
import { useWrite, type Write } from "./write.ts";

export type AgentVersion = Row<"agent_versions">;

/** Small, because a version contains the whole prompt. */
const PAGE_SIZE = 20;

/** The newest first. */
export function useAgentVersions(agentId: string): Pages<AgentVersion> {
  return usePages<AgentVersion>({
    table: "agent_versions",
    key: ["of", agentId],
    size: PAGE_SIZE,
    read: (client, { last, size }) => {
      let query = client.from("agent_versions").select("*").eq("agent_id", agentId);
      if (last !== null) query = query.lt("number", last.number);
      return query.order("number", { ascending: false }).limit(size);
    },
  });
}

interface RestoredVersion {
  /** The names of tools that could not be assigned again. */
  readonly missingTools: readonly string[];
}

export function useRestoreVersion(): Write<Pick<AgentVersion, "agent_id" | "number">, RestoredVersion> {
  return useWrite({
    tables: ["agents", "agent_tools", "guardrails", "agent_versions"],
    write: async (client, { agent_id, number }) => {
      const answer = await unwrap(client.rpc("restore_agent_version", { agent_id, number }));
      const { missing_tools: missing } = answer as unknown as { missing_tools: readonly { name: string }[] };
      return { missingTools: missing.map(({ name }) => name) };
    },
  });
}
