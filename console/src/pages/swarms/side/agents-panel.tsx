import { Plus } from "lucide-react";
import { useState } from "react";
import { hasEnded, type LiveRun } from "../../../data/live-run.ts";
import { useDeleteRow, useInsertRow, useUpdateRow } from "../../../data/changed-rows.ts";
import { type SwarmAgent, useAddAgents, useOrderSwarmAgents } from "../../../data/swarm-agents.ts";
import { Button } from "../../../components/button.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import type { Status } from "../../../components/status-dot.tsx";
import { useToast } from "../../../components/toast.tsx";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { AgentRow } from "./agent-row.tsx";
import { PanelSection } from "./panel-section.tsx";
import { AgentPicker } from "../form/agent-picker.tsx";

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
  const remove = useDeleteRow("swarm_agents");
  const restore = useInsertRow("swarm_agents", ["swarms"]);
  const change = useUpdateRow<{ readonly id: string; readonly enabled: boolean }>("swarm_agents");
  const show = useToast();
  const move = async (swarmAgents: readonly SwarmAgent[]) => {
    if ((await order.run(swarmAgents)) === null) show({ text: "The order could not be changed.", tone: "bad" });
  };
  const setEnabled = async ({ id }: SwarmAgent, enabled: boolean) => {
    if ((await change.run({ id, enabled })) === null) show({ text: "The agent could not be changed.", tone: "bad" });
  };
  /** Adds it again at its position. */
  const restoreAgent = async ({ swarm_id, agent_id, position, enabled }: SwarmAgent) => {
    if ((await restore.run({ swarm_id, agent_id, position, enabled })) === null)
      show({ text: "The agent could not be restored.", tone: "bad" });
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

function AddAgents({ onClose }: { onClose(): void }) {
  const { swarm, swarmAgents } = useSwarmContext();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const add = useAddAgents(swarm.id);
  const here = new Set(swarmAgents.rows?.map(({ agent_id: id }) => id));
  const run = async () => {
    if (chosen.length > 0 && (await add.run(chosen)) !== null) onClose();
  };
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Add agents"
      description="They speak after the agents that are in the swarm already."
      action={chosen.length > 1 ? `Add ${chosen.length} agents` : "Add"}
      isDisabled={chosen.length === 0}
      isBusy={add.isBusy}
      onAction={() => void run()}
    >
      <div className="grid gap-3">
        {add.failure !== null && <Banner tone="bad">{add.failure.message}</Banner>}
        <AgentPicker chosen={chosen} onChange={setChosen} without={here} />
      </div>
    </ActionDialog>
  );
}
