import { useState } from "react";
import { useAddAgents } from "../../../data/swarm-agents.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
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
    <Dialog
      isOpen
      onClose={onClose}
      size="small"
      title="Add agents"
      description="They speak after the agents that are in the swarm already."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={chosen.length === 0} isBusy={add.isBusy} onClick={() => void run()}>
            {chosen.length > 1 ? `Add ${chosen.length} agents` : "Add"}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        {add.failure !== null && <Banner tone="bad">{add.failure.message}</Banner>}
        <AgentPicker chosen={chosen} onChange={setChosen} without={here} />
      </div>
    </Dialog>
  );
}
