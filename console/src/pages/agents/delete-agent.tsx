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
      isGone ? { text: `${agent.name} is deleted.` } : { text: `${agent.name} could not be deleted.`, tone: "bad" },
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
      The agent is removed from all swarms. This cannot be undone. Its messages stay readable, with a note that the
      agent was deleted.
    </ConfirmByName>
  );
}
