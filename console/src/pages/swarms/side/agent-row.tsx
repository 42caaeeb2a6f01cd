import { clsx } from "clsx";
import { ArrowDown, ArrowUp, Bot, Ellipsis, GripVertical, UserMinus, Volume2, VolumeX } from "lucide-react";
import { type DragEvent, type KeyboardEvent, useState } from "react";
import { useNavigate } from "react-router";
import type { SwarmAgent } from "../../../data/swarm-agents.ts";
import { Avatar } from "../../../components/avatar.tsx";
import { Badge } from "../../../components/badge.tsx";
import { DropdownMenu, type MenuItem } from "../../../components/dropdown-menu.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { type Status, StatusBadge } from "../../../components/status-dot.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";

interface AgentRowProps {
  readonly swarmAgent: SwarmAgent;
  readonly index: number;
  readonly count: number;
  readonly status: Status;
  readonly canOrder: boolean;
  readonly canRemove: boolean;
  onMove(from: number, to: number): void;
  onRemove(): void;
  onEnable(enabled: boolean): void;
}

const DRAG_TYPE = "application/x-swarmbase-agent";

export function AgentRow(props: AgentRowProps) {
  const { swarmAgent, index, count, status, canOrder, onMove } = props;
  const { swarm } = useSwarmContext();
  const [isOver, setOver] = useState(false);
  const name = swarmAgent.agent_cards?.name ?? "An agent";
  const role = swarmAgent.role_override ?? swarmAgent.agent_cards?.role ?? null;
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const from = Number(event.dataTransfer.getData(DRAG_TYPE));
    if (Number.isInteger(from)) onMove(from, index);
  };
  return (
    <li
      draggable={canOrder}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAG_TYPE, String(index));
        event.dataTransfer.effectAllowed = "move";
      }}
      onDragOver={(event) => {
        if (!canOrder || !event.dataTransfer.types.includes(DRAG_TYPE)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={clsx(
        "group/agent flex min-h-12 items-center gap-2 rounded-md px-1 hover:bg-hover",
        isOver && "outline-2 -outline-offset-2 outline-accent",
      )}
    >
      {canOrder && <Grip name={name} index={index} count={count} onMove={onMove} />}
      <span className={clsx("flex min-w-0 flex-1 items-center gap-2.5", !swarmAgent.enabled && "opacity-60")}>
        <Avatar name={name} seed={swarmAgent.agent_id} shape="agent" size="small" />
        <span className="grid min-w-0 flex-1">
          <span className="truncate font-medium">{name}</span>
          {(role !== null || swarm.coordinator_agent_id === swarmAgent.agent_id) && (
            <span className="truncate text-sm text-ink-faint">
              {[swarm.coordinator_agent_id === swarmAgent.agent_id ? "Coordinator" : null, role]
                .filter((word) => word !== null)
                .join(" · ")}
            </span>
          )}
        </span>
      </span>
      {swarmAgent.enabled ? <StatusBadge status={status} /> : <Badge>Disabled</Badge>}
      <RowMenu {...props} name={name} />
    </li>
  );
}

/** A handle for dragging; the arrow keys move the agent while it is focused. */
function Grip({
  name,
  index,
  count,
  onMove,
}: {
  name: string;
  index: number;
  count: number;
  onMove: AgentRowProps["onMove"];
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    onMove(index, index + step);
  };
  return (
    <button
      type="button"
      aria-label={`Order of ${name}: position ${index + 1} of ${count}. Arrow keys move it.`}
      onKeyDown={onKeyDown}
      className="flex h-9 w-5 shrink-0 cursor-grab items-center justify-center rounded-sm text-ink-faint active:cursor-grabbing"
    >
      <GripVertical className="size-4" aria-hidden />
    </button>
  );
}

function RowMenu({
  swarmAgent,
  index,
  count,
  name,
  canOrder,
  canRemove,
  onMove,
  onRemove,
  onEnable,
}: AgentRowProps & { readonly name: string }) {
  const { userId } = useSwarmContext();
  const navigate = useNavigate();
  const first: readonly MenuItem[] = [
    ...(swarmAgent.agent_owner_id === userId
      ? [{ label: "Open the agent", icon: <Bot />, onSelect: () => void navigate(`/agents/${swarmAgent.agent_id}`) }]
      : []),
    ...(canRemove
      ? [
          swarmAgent.enabled
            ? { label: "Disable", icon: <VolumeX />, onSelect: () => onEnable(false) }
            : { label: "Enable", icon: <Volume2 />, onSelect: () => onEnable(true) },
        ]
      : []),
  ];
  const moves: readonly MenuItem[] = canOrder
    ? [
        { label: "Earlier", icon: <ArrowUp />, isDisabled: index === 0, onSelect: () => onMove(index, index - 1) },
        {
          label: "Later",
          icon: <ArrowDown />,
          isDisabled: index === count - 1,
          onSelect: () => onMove(index, index + 1),
        },
      ]
    : [];
  const ends: readonly MenuItem[] = canRemove
    ? [{ label: "Remove from swarm", icon: <UserMinus />, isDangerous: true, onSelect: onRemove }]
    : [];
  const groups = [first, moves, ends].filter((group) => group.length > 0);
  if (groups.length === 0) return null;
  return (
    <DropdownMenu
      trigger={<IconButton size="small" label={`More about ${name}`} icon={<Ellipsis />} />}
      groups={groups}
    />
  );
}
