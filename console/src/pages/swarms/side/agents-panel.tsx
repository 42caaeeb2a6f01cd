import { Plus } from "lucide-react";
import { useState } from "react";
import { hasEnded, type LiveRun } from "../../../data/live-run.ts";
import {
  type SwarmAgent,
  useEnableSwarmAgent,
  useOrderSwarmAgents,
  useRemoveSwarmAgent,
  useRestoreSwarmAgent,
} from "../../../data/swarm-agents.ts";
import { Button } from "../../../components/button.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import type { Status } from "../../../components/status-dot.tsx";
import { useToast } from "../../../components/toast.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { AddAgents } from "./add-agents.tsx";
import { AgentRow } from "./agent-row.tsx";
import { PanelSection } from "./panel-section.tsx";

/** The agents in speaking order, with their status. */
export function AgentsPanel({ runs }: { readonly runs: readonly LiveRun[] }) {
  const { swarmAgents, rights, userId } = useSwarmContext();
  const [isAdding, setAdding] = useState(false);
  const [announcement, setAnnouncement] = useState("");
  const rows = swarmAgents.rows;
  const { move, remove, setEnabled } = useSwarmAgentActions();
  const moveTo = (from: number, to: number) => {
    if (rows === undefined || to < 0 || to >= rows.length || from === to) return;
    const moved = rows[from];
    if (moved === undefined) return;
    move(rows.toSpliced(from, 1).toSpliced(to, 0, moved));
    setAnnouncement(`${moved.agent_cards?.name ?? "The agent"} now speaks at position ${to + 1} of ${rows.length}.`);
  };
  return (
    <PanelSection
      title="Agents"
      count={rows?.length}
      action={
        rights.canExtend && (
          <Button size="small" variant="quiet" icon={<Plus />} onClick={() => setAdding(true)}>
            Add
          </Button>
        )
      }
    >
      <p role="status" className="sr-only">
        {announcement}
      </p>
      {rows === undefined && <Skeleton className="h-24" />}
      {rows?.length === 0 && (
        <p className="text-sm text-pretty text-ink-soft">
          The swarm has no agents.{rights.canExtend && " Add one to get replies."}
        </p>
      )}
      {rows !== undefined && rows.length > 0 && (
        <ol aria-label="Agents in speaking order" className="-mx-2 grid">
          {rows.map((swarmAgent, index) => (
            <AgentRow
              key={swarmAgent.id}
              swarmAgent={swarmAgent}
              index={index}
              count={rows.length}
              status={statusOf(swarmAgent, runs)}
              canOrder={rights.canManage}
              canRemove={rights.canManage || swarmAgent.agent_owner_id === userId}
              onMove={moveTo}
              onRemove={() => remove(swarmAgent)}
              onEnable={(enabled) => setEnabled(swarmAgent, enabled)}
            />
          ))}
        </ol>
      )}
      {isAdding && <AddAgents onClose={() => setAdding(false)} />}
    </PanelSection>
  );
}

/** Prefers the status of an attached turn, which arrives earlier. */
function statusOf({ agent_id: agentId, agent_cards: card }: SwarmAgent, runs: readonly LiveRun[]): Status {
  for (const run of runs) {
    if (hasEnded(run)) continue;
    const turn = run.turns.findLast((one) => one.agentId === agentId);
    if (turn === undefined) continue;
    if (turn.tools.some(({ status }) => status === "pending_approval" || status === "pending_client"))
      return "requires_action";
    if (turn.tools.some(({ status }) => status === "waiting")) return "waiting";
    if (turn.status === "thinking" || turn.status === "responding") return turn.status;
  }
  return card?.status ?? "idle";
}

function useSwarmAgentActions() {
  const order = useOrderSwarmAgents();
  const remove = useRemoveSwarmAgent();
  const restore = useRestoreSwarmAgent();
  const change = useEnableSwarmAgent();
  const show = useToast();
  const move = async (swarmAgents: readonly SwarmAgent[]) => {
    if ((await order.run(swarmAgents)) === null) show({ text: "The order could not be changed.", tone: "bad" });
  };
  const setEnabled = async ({ id }: SwarmAgent, enabled: boolean) => {
    if ((await change.run({ id, enabled })) === null) show({ text: "The agent could not be changed.", tone: "bad" });
  };
  const restoreAgent = async (swarmAgent: SwarmAgent) => {
    if ((await restore.run(swarmAgent)) === null) show({ text: "The agent could not be restored.", tone: "bad" });
  };
  const removeAgent = async (swarmAgent: SwarmAgent) => {
    if ((await remove.run(swarmAgent.id)) === null)
      return show({ text: "The agent could not be removed.", tone: "bad" });
    return show({
      text: `${swarmAgent.agent_cards?.name ?? "The agent"} is removed. Its messages are kept.`,
      action: { label: "Undo", run: () => void restoreAgent(swarmAgent) },
    });
  };
  return {
    move: (swarmAgents: readonly SwarmAgent[]) => void move(swarmAgents),
    setEnabled: (swarmAgent: SwarmAgent, enabled: boolean) => void setEnabled(swarmAgent, enabled),
    remove: (swarmAgent: SwarmAgent) => void removeAgent(swarmAgent),
  };
}
