import { Plus, SlidersHorizontal, Trash2 } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { type Askers, findAskers } from "../../data/acting-tools.ts";
import { useDeleteRow } from "../../data/changed-rows.ts";
import { type Assignment, useAssignments, useAssignTool, useUpdateAssignment } from "../../data/agent-tools.ts";
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
import { Badge, type Tone } from "../../components/badge.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { Link } from "../../components/link.tsx";
import { Switch } from "../../components/switch.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { ConfigureAssignment } from "./configure-assignment.tsx";
import { AssignTool } from "./assign-tool.tsx";

const ASKERS: Readonly<Record<Askers, { readonly tone: Tone; readonly word: string }>> = {
  everybody: { tone: "accent", word: "Acts for who asks" },
  user: { tone: "neutral", word: "Acts only for you" },
  nobody: { tone: "bad", word: "Not vouched for by the app" },
};
const APPROVERS = { owner: "Owner approves", asker: "Who asks approves" } as const;
const UNKNOWN = { name: "A tool that is no longer shared", kind: "", icon: null, description: "" } as const;

/** The assignments of an agent: enable, configure, add and remove. */
export function AssignedTools({ agent }: { readonly agent: Agent }) {
  const { rows, ...read } = useAssignments(agent.id);
  const [isAssigning, setAssigning] = useState(false);
  const [address, setAddress] = useSearchParams();
  const opened = rows?.find(({ id }) => id === address.get("configure"));
  useCommands([
    {
      id: "agent.tools.assignButton",
      label: "Assign tool",
      group: "This agent",
      icon: <Plus />,
      keys: "n",
      run: () => setAssigning(true),
    },
  ]);
  const configure = (id: string | null) => setAddress(id === null ? {} : { configure: id }, { replace: true });
  const assignButton = (
    <Button variant="primary" icon={<Plus />} onClick={() => setAssigning(true)}>
      Assign tool
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
  const remove = useDeleteRow("agent_tools");
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

interface AssignmentRowProps {
  readonly assignment: Assignment;
  /** For a tool that acts for the person who asks. */
  readonly askers: Askers | null;
  onTurn(enabled: boolean): void;
  onConfigure(): void;
  onRemove(): void;
}

function AssignmentRow({ assignment, askers, onTurn, onConfigure, onRemove }: AssignmentRowProps) {
  const { tool, enabled, configuration, approver } = assignment;
  const { name, description } = tool ?? UNKNOWN;
  const settled = Object.keys(configuration).length;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-3.5">
      <ToolIcon tool={tool ?? UNKNOWN} />
      <div className="grid min-w-0 flex-1 basis-40">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          {tool === null ? (
            <span className="font-medium">{name}</span>
          ) : (
            <Link to={`/tools/${tool.id}`} className="truncate text-ink">
              {name}
            </Link>
          )}
          {tool?.requires_approval === true && <Badge tone="thinking">Requires approval</Badge>}
          {approver !== null && <Badge>{APPROVERS[approver]}</Badge>}
          {askers !== null && <Badge tone={ASKERS[askers].tone}>{ASKERS[askers].word}</Badge>}
          {tool?.enabled === false && <Badge tone="bad">Disabled by its owner</Badge>}
          {settled > 0 && <Badge tone="accent">{settled} configured</Badge>}
        </div>
        <p className="line-clamp-2 text-sm text-ink-soft">{description}</p>
      </div>
      <div className="order-last flex w-full items-center justify-end gap-1 sm:order-none sm:w-auto">
        <Button
          variant="quiet"
          size="small"
          icon={<SlidersHorizontal />}
          onClick={onConfigure}
          aria-label={`Configure ${name}`}
        >
          Configure
        </Button>
        <IconButton size="small" label={`Remove ${name}`} icon={<Trash2 />} onClick={onRemove} />
      </div>
      <Switch isOn={enabled} onChange={onTurn} label={`${name}: on`} />
    </li>
  );
}
