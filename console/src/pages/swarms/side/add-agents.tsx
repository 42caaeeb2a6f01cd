import { useState } from "react";
import { useAddAgents } from "../../../data/swarm-agents.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { AgentPicker } from "../form/agent-picker.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";

export function AddAgents({ onClose }: { onClose(): void }) {
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
