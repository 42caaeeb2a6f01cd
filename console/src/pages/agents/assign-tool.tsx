import { Check, Plus } from "lucide-react";
import { useState } from "react";
import { type Assignment, useAssignTool } from "../../data/agent-tools.ts";
import type { Agent } from "../../data/agents.ts";
import { useUser } from "../../data/session.ts";
import { type Tool, useTools } from "../../data/tools.ts";
import { Badge } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/drawer.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { useDebounced } from "../../components/use-debounced.ts";
import { VirtualList } from "../../components/virtual-list.tsx";

interface AssignToolProps {
  readonly agent: Agent;
  readonly assignments: readonly Assignment[];
  readonly isOpen: boolean;
  onClose(): void;
}

const ROW_HEIGHT = 73;

/** The tool catalogue, with a button for each tool that the agent does not have yet. */
export function AssignTool({ agent, assignments, isOpen, onClose }: AssignToolProps) {
  return (
    <Drawer
      isOpen={isOpen}
      onClose={onClose}
      title={`Tools for ${agent.name}`}
      description="Built-in tools, your own tools, and tools that others share with you."
      footer={
        <>
          <ButtonLink to="/tools/new">New tool</ButtonLink>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <Catalogue agent={agent} assigned={new Set(assignments.map(({ tool_id: toolId }) => toolId))} />
    </Drawer>
  );
}

function Catalogue({ agent, assigned }: { readonly agent: Agent; readonly assigned: ReadonlySet<string> }) {
  const [search, setSearch] = useState("");
  const user = useUser();
  const tools = useTools({ origin: "all", search: useDebounced(search), userId: user.id, sort: "newest" });
  const assign = useAssignTool();
  const [assigning, setAssigning] = useState<string | null>(null);
  const assignTool = async (tool: Tool) => {
    setAssigning(tool.id);
    await assign.run({ agentId: agent.id, toolId: tool.id });
    setAssigning(null);
  };
  return (
    <div className="grid gap-3">
      <div className="flex">
        <SearchInput label="Search the catalogue" value={search} onChange={setSearch} />
      </div>
      {assign.failure !== null && <Banner tone="bad">{assign.failure.message}</Banner>}
      {tools.rows === undefined ? (
        <NotLoaded title="The catalogue could not be loaded." read={tools} skeleton={<ListSkeleton rows={5} />} />
      ) : tools.rows.length === 0 ? (
        <p className="py-8 text-center text-ink-soft">No tool matches.</p>
      ) : (
        <VirtualList
          label="Catalogue"
          height="min(34rem, calc(100dvh - 19rem))"
          rows={tools.rows}
          keyOf={({ id }) => id}
          rowHeight={ROW_HEIGHT}
          onEndReached={tools.loadMore}
          renderRow={(tool) => (
            <CatalogueRow
              tool={tool}
              isAssigned={assigned.has(tool.id)}
              isBusy={assigning === tool.id}
              onAssign={() => void assignTool(tool)}
            />
          )}
        />
      )}
    </div>
  );
}

interface CatalogueRowProps {
  readonly tool: Tool;
  readonly isAssigned: boolean;
  readonly isBusy: boolean;
  onAssign(): void;
}

function CatalogueRow({ tool, isAssigned, isBusy, onAssign }: CatalogueRowProps) {
  return (
    <div className="flex items-center gap-3 border-b border-line py-3 pr-1">
      <ToolIcon tool={tool} />
      <div className="grid min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{tool.name}</span>
          {tool.requires_approval && <Badge tone="thinking">Requires approval</Badge>}
        </div>
        <p className="truncate text-sm text-ink-soft">{tool.description}</p>
      </div>
      {isAssigned ? (
        <Badge tone="good">
          <Check className="size-3.5" aria-hidden />
          Assigned
        </Badge>
      ) : (
        <Button size="small" icon={<Plus />} isBusy={isBusy} onClick={onAssign} aria-label={`Assign ${tool.name}`}>
          Assign
        </Button>
      )}
    </div>
  );
}
