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
import { FailureState } from "../../components/failure-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { useSettled } from "../../components/use-settled.ts";
import { VirtualList } from "../../components/virtual-list.tsx";

export interface GiveToolProps {
  readonly agent: Agent;
  readonly assignments: readonly Assignment[];
  readonly isOpen: boolean;
  onClose(): void;
}

const ROW_HEIGHT = 73;

/** The catalogue beside the agent: what it has already is marked, the rest is one press away. */
export function GiveTool({ agent, assignments, isOpen, onClose }: GiveToolProps) {
  return (
    <Drawer
      isOpen={isOpen}
      onClose={onClose}
      title={`Tools for ${agent.name}`}
      description="Built in, yours, and what others share with you."
      footer={
        <>
          <ButtonLink to="/tools/new">New tool</ButtonLink>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <Catalogue agent={agent} given={new Set(assignments.map(({ tool_id: toolId }) => toolId))} />
    </Drawer>
  );
}

function Catalogue({ agent, given }: { readonly agent: Agent; readonly given: ReadonlySet<string> }) {
  const [search, setSearch] = useState("");
  const user = useUser();
  const tools = useTools({ origin: "all", search: useSettled(search), userId: user.id });
  const assign = useAssignTool();
  const [giving, setGiving] = useState<string | null>(null);
  const give = async (tool: Tool) => {
    setGiving(tool.id);
    await assign.run({ agentId: agent.id, toolId: tool.id });
    setGiving(null);
  };
  return (
    <div className="grid gap-3">
      <div className="flex">
        <SearchInput label="Search the catalogue" value={search} onChange={setSearch} />
      </div>
      {assign.failure !== null && <Banner tone="bad">{assign.failure.message}</Banner>}
      {tools.rows === undefined ? (
        tools.failure === null ? (
          <ListSkeleton rows={5} />
        ) : (
          <FailureState
            title="The catalogue could not be loaded."
            message={tools.failure.message}
            onRetry={tools.reload}
          />
        )
      ) : tools.rows.length === 0 ? (
        <p className="py-8 text-center text-ink-soft">No tool has that name.</p>
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
              isGiven={given.has(tool.id)}
              isBusy={giving === tool.id}
              onGive={() => void give(tool)}
            />
          )}
        />
      )}
    </div>
  );
}

interface CatalogueRowProps {
  readonly tool: Tool;
  readonly isGiven: boolean;
  readonly isBusy: boolean;
  onGive(): void;
}

function CatalogueRow({ tool, isGiven, isBusy, onGive }: CatalogueRowProps) {
  return (
    <div className="flex items-center gap-3 border-b border-line py-3 pr-1">
      <ToolIcon tool={tool} />
      <div className="grid min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{tool.name}</span>
          {tool.requires_approval && <Badge tone="thinking">Asks first</Badge>}
        </div>
        <p className="truncate text-sm text-ink-soft">{tool.description}</p>
      </div>
      {isGiven ? (
        <Badge tone="good">
          <Check className="size-3.5" aria-hidden />
          Has it
        </Badge>
      ) : (
        <Button size="small" icon={<Plus />} isBusy={isBusy} onClick={onGive} aria-label={`Give it ${tool.name}`}>
          Give
        </Button>
      )}
    </div>
  );
}
