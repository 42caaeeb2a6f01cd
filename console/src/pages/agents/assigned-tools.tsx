import { Plus } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { findAskers } from "../../data/acting-tools.ts";
import {
  type Assignment,
  useAssignments,
  useAssignTool,
  useRemoveAssignment,
  useUpdateAssignment,
} from "../../data/agent-tools.ts";
import type { Agent } from "../../data/agents.ts";
import { useUser } from "../../data/session.ts";
import { findModel, useModels } from "../../data/models.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { useCommands } from "../../components/commands.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { AssignmentRow } from "./assignment-row.tsx";
import { ConfigureAssignment } from "./configure-assignment.tsx";
import { AssignTool } from "./assign-tool.tsx";

/** The assignments of an agent: enable, configure, add and remove. */
export function AssignedTools({ agent }: { readonly agent: Agent }) {
  const { rows, ...read } = useAssignments(agent.id);
  const [isAssigning, setAssigning] = useState(false);
  const [address, setAddress] = useSearchParams();
  const opened = rows?.find(({ id }) => id === address.get("configure"));
  useCommands([
    {
      id: "agent.tools.assignButton",
      label: "Assign a tool",
      group: "This agent",
      icon: <Plus />,
      keys: "n",
      run: () => setAssigning(true),
    },
  ]);
  const configure = (id: string | null) => setAddress(id === null ? {} : { configure: id }, { replace: true });
  const assignButton = (
    <Button variant="primary" icon={<Plus />} onClick={() => setAssigning(true)}>
      Assign a tool
    </Button>
  );
  return (
    <div className="grid gap-4">
      <ToolsUnsupported agent={agent} />
      {rows === undefined ? (
        <NotLoaded title="The tools could not be loaded." read={read} skeleton={<ListSkeleton rows={4} />} />
      ) : rows.length === 0 ? (
        <EmptyState picture="tools" title="No tools yet" action={assignButton}>
          Tools let the agent do things while it answers: read the time, calculate, or call your server. The model
          decides when to use a tool.
        </EmptyState>
      ) : (
        <AssignmentList agent={agent} rows={rows} action={assignButton} onConfigure={configure} />
      )}
      <AssignTool agent={agent} assignments={rows ?? []} isOpen={isAssigning} onClose={() => setAssigning(false)} />
      {opened !== undefined && (
        <ConfigureAssignment key={opened.id} assignment={opened} onClose={() => configure(null)} />
      )}
    </div>
  );
}

interface AssignmentListProps {
  readonly agent: Agent;
  readonly rows: readonly Assignment[];
  readonly action: React.ReactNode;
  onConfigure(id: string): void;
}

function AssignmentList({ agent, rows, action, onConfigure }: AssignmentListProps) {
  const update = useUpdateAssignment();
  const remove = useRemoveAssignment();
  const assign = useAssignTool();
  const toast = useToast();
  const { id: userId } = useUser();
  const turn = async (row: Assignment, enabled: boolean) => {
    if ((await update.run({ id: row.id, enabled })) === null)
      toast({ text: `${nameOf(row)} could not be changed.`, tone: "bad" });
  };
  const unassign = async (row: Assignment) => {
    if ((await remove.run(row.id)) === null)
      return toast({ text: `${nameOf(row)} could not be removed.`, tone: "bad" });
    const { agent_id: agentId, tool_id: toolId, enabled, configuration, approver } = row;
    toast({
      text: `${nameOf(row)} is removed.`,
      action: { label: "Undo", run: () => void assign.run({ agentId, toolId, enabled, configuration, approver }) },
    });
  };
  const on = rows.filter(({ enabled }) => enabled).length;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-ink-soft">
          {rows.length === 1 ? "1 tool" : `${rows.length} tools`}, {on} enabled.
        </p>
        {action}
      </div>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-1">
        {rows.map((row) => (
          <AssignmentRow
            key={row.id}
            assignment={row}
            askers={row.tool === null ? null : findAskers(row.tool, row, agent, userId)}
            onTurn={(enabled) => void turn(row, enabled)}
            onConfigure={() => onConfigure(row.id)}
            onRemove={() => void unassign(row)}
          />
        ))}
      </ul>
    </>
  );
}

function nameOf({ tool }: Assignment): string {
  return tool?.name ?? "The tool";
}

function ToolsUnsupported({ agent }: { readonly agent: Agent }) {
  const model = findModel(useModels().rows, agent);
  if (model === undefined || model.supports.tools) return null;
  return <Banner tone="warning">{model.id} does not use tools. Choose another model in the settings.</Banner>;
}
