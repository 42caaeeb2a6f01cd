import type { Tool } from "../../data/tools.ts";
import { Badge } from "../../components/badge.tsx";

const KIND_WORDS: Readonly<Record<string, string>> = { builtin: "Built in", http: "HTTP", mcp: "MCP" };

/** What tells tools apart at a glance. */
export function ToolBadges({ tool, userId }: { readonly tool: Tool; readonly userId: string }) {
  const isMine = tool.owner_id === userId;
  return (
    <>
      <Badge>{KIND_WORDS[tool.kind] ?? tool.kind}</Badge>
      {isMine && tool.visibility === "shared" && <Badge tone="accent">Shared</Badge>}
      {!isMine && tool.kind !== "builtin" && <Badge tone="accent">From others</Badge>}
      {tool.requires_approval && <Badge tone="thinking">Asks first</Badge>}
      {!tool.enabled && <Badge tone="bad">Off</Badge>}
    </>
  );
}
