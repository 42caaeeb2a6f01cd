import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import {
  type Assignment,
  useAssignments,
  useAssignTool,
  useRemoveAssignment,
  useUpdateAssignment,
} from "../../data/agent-tools.ts";
import type { Agent } from "../../data/agents.ts";
import { findModel, useModels } from "../../data/models.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { type Command, useCommands } from "../../components/commands.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { AssignmentRow } from "./assignment-row.tsx";
import { ConfigureAssignment } from "./configure-assignment.tsx";
import { GiveTool } from "./give-tool.tsx";

/** The tools of an agent: on and off, what is settled about each, and more of them. */
export function GivenTools({ agent }: { readonly agent: Agent }) {
  const { rows, failure, reload } = useAssignments(agent.id);
  const [isGiving, setGiving] = useState(false);
  const [address, setAddress] = useSearchParams();
  const opened = rows?.find(({ id }) => id === address.get("configure"));
  useGiveCommand(() => setGiving(true));
  const configure = (id: string | null) => setAddress(id === null ? {} : { configure: id }, { replace: true });
  const give = (
    <Button variant="primary" icon={<Plus />} onClick={() => setGiving(true)}>
      Give it a tool
    </Button>
  );
  return (
    <div className="grid gap-4">
      <ToolsNotTaken agent={agent} />
      {rows === undefined ? (
        failure === null ? (
          <ListSkeleton rows={4} />
        ) : (
          <FailureState title="The tools could not be loaded." message={failure.message} onRetry={reload} />
        )
      ) : rows.length === 0 ? (
        <EmptyState picture="tools" title="No tools yet" action={give}>
          A tool is something the agent may do while it answers: look at the clock, calculate, ask a server of yours.
          The model decides when; you decide what it may use.
        </EmptyState>
      ) : (
        <Given rows={rows} action={give} onConfigure={configure} />
      )}
      <GiveTool agent={agent} assignments={rows ?? []} isOpen={isGiving} onClose={() => setGiving(false)} />
      {opened !== undefined && (
        <ConfigureAssignment key={opened.id} assignment={opened} onClose={() => configure(null)} />
      )}
    </div>
  );
}

interface GivenProps {
  readonly rows: readonly Assignment[];
  readonly action: React.ReactNode;
  onConfigure(id: string): void;
}

function Given({ rows, action, onConfigure }: GivenProps) {
  const update = useUpdateAssignment();
  const remove = useRemoveAssignment();
  const assign = useAssignTool();
  const toast = useToast();
  const turn = async (row: Assignment, enabled: boolean) => {
    if ((await update.run({ id: row.id, enabled })) === null)
      toast({ text: `${nameOf(row)} is as it was: the change was refused.`, tone: "bad" });
  };
  const take = async (row: Assignment) => {
    if ((await remove.run(row.id)) === null)
      return toast({ text: `${nameOf(row)} could not be taken away.`, tone: "bad" });
    const { agent_id: agentId, tool_id: toolId, enabled, configuration } = row;
    toast({
      text: `${nameOf(row)} is taken away.`,
      action: { label: "Undo", run: () => void assign.run({ agentId, toolId, enabled, configuration }) },
    });
  };
  const on = rows.filter(({ enabled }) => enabled).length;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-ink-soft">
          {rows.length === 1 ? "1 tool" : `${rows.length} tools`}, {on} switched on.
        </p>
        {action}
      </div>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-1">
        {rows.map((row) => (
          <AssignmentRow
            key={row.id}
            assignment={row}
            onTurn={(enabled) => void turn(row, enabled)}
            onConfigure={() => onConfigure(row.id)}
            onRemove={() => void take(row)}
          />
        ))}
      </ul>
    </>
  );
}

function nameOf({ tool }: Assignment): string {
  return tool?.name ?? "The tool";
}

function ToolsNotTaken({ agent }: { readonly agent: Agent }) {
  const model = findModel(useModels().rows, agent);
  if (model === undefined || model.supports.tools) return null;
  return <Banner tone="warning">{model.id} does not use tools. Choose another model in the settings.</Banner>;
}

function useGiveCommand(open: () => void): void {
  const [stable] = useState(() => open);
  const commands = useMemo<readonly Command[]>(
    () => [
      { id: "agent.tools.give", label: "Give it a tool", group: "This agent", icon: <Plus />, keys: "n", run: stable },
    ],
    [stable],
  );
  useCommands(commands);
}
