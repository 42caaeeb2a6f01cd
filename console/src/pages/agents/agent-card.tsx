import { Copy, Ellipsis, Play, SlidersHorizontal, Trash2 } from "lucide-react";
import { memo, useState } from "react";
import { useNavigate } from "react-router";
import { useDeleteRow } from "../../data/changed-rows.ts";
import { type Agent, useDuplicateAgent } from "../../data/agents.ts";
import { Avatar } from "../../components/avatar.tsx";
import { CardLink } from "../../components/card.tsx";
import { DropdownMenu } from "../../components/dropdown-menu.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { SelectBox } from "../../components/select-box.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { nameProvider } from "../../data/providers.ts";
import { DeleteByName } from "../../components/delete-by-name.tsx";
import { useToast } from "../../components/toast.tsx";

interface AgentCardProps {
  readonly agent: Agent;
  readonly isSelected: boolean;
  onToggle(id: string, isRange: boolean): void;
}

/** Memoized, because scrolling renders the list often. */
export const AgentCard = memo(function AgentCard({ agent, isSelected, onToggle }: AgentCardProps) {
  const { id, name, role, status, model, framework, system_prompt: prompt, updated_at: changedAt } = agent;
  return (
    <CardLink to={`/agents/${id}`} label={name} className="flex flex-col gap-3">
      <div className="flex min-w-0 items-start gap-3">
        <Avatar name={name} seed={id} shape="agent" />
        <div className="grid min-w-0 flex-1">
          <h2 className="truncate font-semibold">{name}</h2>
          <p className="truncate text-sm text-ink-soft">{role ?? "No role"}</p>
        </div>
        <SelectBox
          name={name}
          isSelected={isSelected}
          onToggle={(isRange) => onToggle(id, isRange)}
          className="mt-0.5"
        />
        <AgentMenu agent={agent} />
      </div>
      <p className="line-clamp-2 min-h-11 text-base break-words text-ink-soft">
        {prompt ?? <span className="text-ink-faint">No instructions: the model answers without a system prompt.</span>}
      </p>
      <div className="mt-auto flex min-w-0 items-center gap-2 pt-1 text-sm text-ink-faint">
        <StatusBadge status={status} />
        <span className="min-w-0 flex-1 truncate">{model ?? `${nameProvider(framework)}, default`}</span>
        <span className="relative z-10 shrink-0">
          <RelativeTime at={changedAt} />
        </span>
      </div>
    </CardLink>
  );
});

/** The actions for an agent. */
export function AgentMenu({ agent }: { readonly agent: Agent }) {
  const [isDeleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  const duplicate = useDuplicate();
  const open = (tab: string) => void navigate(`/agents/${agent.id}/${tab}`);
  return (
    <>
      <DropdownMenu
        trigger={
          <IconButton
            label={`More about ${agent.name}`}
            icon={<Ellipsis />}
            size="small"
            className="relative z-10 -mt-0.5 -mr-1.5"
          />
        }
        groups={[
          [
            { label: "Try it", icon: <Play />, onSelect: () => open("try") },
            { label: "Settings", icon: <SlidersHorizontal />, onSelect: () => open("settings") },
            { label: "Duplicate", icon: <Copy />, onSelect: () => void duplicate(agent) },
          ],
          [{ label: "Delete …", icon: <Trash2 />, isDangerous: true, onSelect: () => setDeleting(true) }],
        ]}
      />
      {isDeleting && <DeleteAgent agent={agent} onClose={() => setDeleting(false)} />}
    </>
  );
}

interface DeleteAgentProps {
  readonly agent: Agent;
  onClose(): void;
}

function DeleteAgent({ agent, onClose }: DeleteAgentProps) {
  return (
    <DeleteByName row={agent} noun="agent" remove={useDeleteRow("agents")} listPath="/agents" isOpen onClose={onClose}>
      The agent is removed from all swarms. This cannot be undone. Its messages stay readable, with a note that the
      agent was deleted.
    </DeleteByName>
  );
}

/** Duplicates an agent, opens the copy and offers Undo. */
function useDuplicate(): (agent: Agent) => Promise<void> {
  const duplicate = useDuplicateAgent();
  const remove = useDeleteRow("agents");
  const toast = useToast();
  const navigate = useNavigate();
  return async (agent) => {
    const copy = await duplicate.run(agent);
    if (copy === null) return toast({ text: `${agent.name} could not be duplicated.`, tone: "bad" });
    toast({
      text: `${agent.name} is duplicated. This is the copy.`,
      action: {
        label: "Undo",
        run: () => {
          void remove.run(copy.id);
          void navigate(`/agents/${agent.id}`);
        },
      },
    });
    await navigate(`/agents/${copy.id}/settings`);
  };
}
