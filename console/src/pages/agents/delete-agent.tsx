import { useNavigate } from "react-router";
import { type Agent, useDeleteAgent } from "../../data/agents.ts";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { useToast } from "../../components/toast.tsx";

export interface DeleteAgentProps {
  readonly agent: Agent;
  onClose(): void;
}

export function DeleteAgent({ agent, onClose }: DeleteAgentProps) {
  const remove = useDeleteAgent();
  const toast = useToast();
  const navigate = useNavigate();
  const confirm = async () => {
    const isGone = (await remove.run(agent.id)) !== null;
    onClose();
    toast(
      isGone
        ? { text: `${agent.name} is deleted.` }
        : { text: `${agent.name} could not be deleted. It is still here.`, tone: "bad" },
    );
    if (isGone) await navigate("/agents");
  };
  return (
    <ConfirmByName
      isOpen
      onClose={onClose}
      title={`Delete ${agent.name}`}
      name={agent.name}
      action="Delete the agent"
      isBusy={remove.isBusy}
      onConfirm={() => void confirm()}
    >
      The agent leaves all its swarms, its tools are taken off it, and it cannot be brought back. What it has said stays
      readable, marked as coming from a deleted agent.
    </ConfirmByName>
  );
}
