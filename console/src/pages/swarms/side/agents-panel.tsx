import { Plus } from "lucide-react";
import { useState } from "react";
import { hasEnded, type LiveRun } from "../../../data/live-run.ts";
import {
  type Place,
  useChangePlace,
  useOrderPlaces,
  useRemovePlace,
  useRestorePlace,
} from "../../../data/swarm-agents.ts";
import { Button } from "../../../components/button.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import type { Status } from "../../../components/status-dot.tsx";
import { useToast } from "../../../components/toast.tsx";
import { useRoom } from "../room/room-context.ts";
import { AddAgents } from "./add-agents.tsx";
import { AgentRow } from "./agent-row.tsx";
import { PanelSection } from "./panel-section.tsx";

/** The agents in the order in which they speak, with what each is doing. */
export function AgentsPanel({ runs }: { readonly runs: readonly LiveRun[] }) {
  const { places, rights, userId } = useRoom();
  const [isAdding, setAdding] = useState(false);
  const [heard, setHeard] = useState("");
  const rows = places.rows;
  const { move, remove, setEnabled } = usePlaceActions();
  const moveTo = (from: number, to: number) => {
    if (rows === undefined || to < 0 || to >= rows.length || from === to) return;
    const moved = rows[from];
    if (moved === undefined) return;
    move(rows.toSpliced(from, 1).toSpliced(to, 0, moved));
    setHeard(`${moved.agent_cards?.name ?? "The agent"} speaks at place ${to + 1} of ${rows.length} now.`);
  };
  return (
    <PanelSection
      title="Agents"
      count={rows?.length}
      action={
        rights.canManage && (
          <Button size="small" variant="quiet" icon={<Plus />} onClick={() => setAdding(true)}>
            Add
          </Button>
        )
      }
    >
      <p role="status" className="sr-only">
        {heard}
      </p>
      {rows === undefined && <Skeleton className="h-24" />}
      {rows?.length === 0 && (
        <p className="text-sm text-pretty text-ink-soft">No agent is here, so nobody answers. Add one of yours.</p>
      )}
      {rows !== undefined && rows.length > 0 && (
        <ol aria-label="Agents in the order in which they speak" className="-mx-2 grid">
          {rows.map((place, at) => (
            <AgentRow
              key={place.id}
              place={place}
              at={at}
              count={rows.length}
              status={statusOf(place, runs)}
              canOrder={rights.canManage}
              canRemove={rights.canManage || place.user_id === userId}
              onMove={moveTo}
              onRemove={() => remove(place)}
              onEnable={(enabled) => setEnabled(place, enabled)}
            />
          ))}
        </ol>
      )}
      {isAdding && <AddAgents onClose={() => setAdding(false)} />}
    </PanelSection>
  );
}

/** A turn that is followed knows best; the agent's own row may belong to somebody else. */
function statusOf({ agent_id: agentId, agent_cards: card }: Place, runs: readonly LiveRun[]): Status {
  for (const run of runs) {
    if (hasEnded(run)) continue;
    const turn = run.turns.findLast((one) => one.agentId === agentId);
    if (turn === undefined) continue;
    if (turn.tools.some(({ status }) => status === "pending_approval")) return "requires_action";
    if (turn.status === "thinking" || turn.status === "responding") return turn.status;
  }
  return card?.status === "error" ? "error" : "idle";
}

function usePlaceActions() {
  const order = useOrderPlaces();
  const remove = useRemovePlace();
  const restore = useRestorePlace();
  const change = useChangePlace();
  const show = useToast();
  const move = async (places: readonly Place[]) => {
    if ((await order.run(places)) === null) show({ text: "The order could not be changed.", tone: "bad" });
  };
  const setEnabled = async ({ id }: Place, enabled: boolean) => {
    if ((await change.run({ id, enabled })) === null) show({ text: "That could not be changed.", tone: "bad" });
  };
  const bringBack = async (place: Place) => {
    if ((await restore.run(place)) === null) show({ text: "The agent could not be brought back.", tone: "bad" });
  };
  const takeOut = async (place: Place) => {
    if ((await remove.run(place.id)) === null) return show({ text: "The agent could not be removed.", tone: "bad" });
    return show({
      text: `${place.agent_cards?.name ?? "The agent"} has left. What it said stays.`,
      action: { label: "Undo", run: () => void bringBack(place) },
    });
  };
  return {
    move: (places: readonly Place[]) => void move(places),
    setEnabled: (place: Place, enabled: boolean) => void setEnabled(place, enabled),
    remove: (place: Place) => void takeOut(place),
  };
}
