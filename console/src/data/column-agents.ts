import { useMemo } from "react";
import type { AgentVersion } from "./agent-versions.ts";
import type { Agent } from "./agents.ts";
import { useLiveTable } from "./live.ts";
import type { Column } from "./playground-state.ts";
import { type ReadResult, useRows } from "./rows.ts";

export interface ColumnAgent extends Agent {
  /** The newest first. */
  readonly agent_versions: readonly Pick<AgentVersion, "number">[];
}

const MAX_VERSIONS = 1_000;

/** The agents of the columns with the numbers of their versions, in one request. */
export function useColumnAgents(columns: readonly Column[]): ReadResult<readonly ColumnAgent[]> {
  useLiveTable("agents");
  const ids = [...new Set(columns.map(({ agentId }) => agentId))].toSorted();
  return useRows({
    table: "agents",
    key: ["columns", ...ids],
    isOn: ids.length > 0,
    read: (client) =>
      client
        .from("agents")
        .select("*, agent_versions(number)")
        .in("id", ids)
        .order("number", { referencedTable: "agent_versions", ascending: false })
        .limit(MAX_VERSIONS, { referencedTable: "agent_versions" }),
  });
}

/** The versions that the columns name, in one request. */
export function useColumnVersions(columns: readonly Column[]): ReadResult<readonly AgentVersion[]> {
  const pins = columns.flatMap(({ agentId, version }) =>
    version === null ? [] : [`and(agent_id.eq.${agentId},number.eq.${version})`],
  );
  const wanted = [...new Set(pins)].toSorted();
  const { rows, failure, reload } = useRows({
    table: "agent_versions",
    key: ["columns", ...wanted],
    isOn: wanted.length > 0,
    read: (client) => client.from("agent_versions").select("*").or(wanted.join()),
  });
  const isNeeded = wanted.length > 0;
  return useMemo(() => ({ rows: isNeeded ? rows : [], failure, reload }), [isNeeded, rows, failure, reload]);
}
