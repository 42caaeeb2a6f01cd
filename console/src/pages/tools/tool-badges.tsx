import { actsForAsker } from "@swarmbase/sdk";
import type { Tool } from "../../data/tools.ts";
import { Badge } from "../../components/badge.tsx";

const KIND_LABELS: Readonly<Record<string, string>> = {
  builtin: "Built in",
  http: "HTTP",
  mcp: "MCP",
  client: "App",
  rpc: "Database function",
  function: "App function",
  swarm: "Swarm",
  schedule: "Schedules",
};

/** Kind, visibility and state of a tool. */
export function ToolBadges({ tool, userId }: { readonly tool: Tool; readonly userId: string }) {
  const isMine = tool.owner_id === userId;
  return (
    <>
      <Badge>{KIND_LABELS[tool.kind] ?? tool.kind}</Badge>
      {isMine && tool.visibility === "shared" && <Badge tone="accent">Shared</Badge>}
      {!isMine && tool.kind !== "builtin" && <Badge tone="accent">Shared with you</Badge>}
      {tool.requires_approval && <Badge tone="thinking">Requires approval</Badge>}
      {actsForAsker(tool) && <Badge tone="accent">Acts for who asks</Badge>}
      {!tool.enabled && <Badge tone="bad">Off</Badge>}
    </>
  );
}
