import { useNavigate } from "react-router";
import { type Swarm, useDeleteSwarm } from "../../../data/swarms.ts";
import { ConfirmByName } from "../../../components/confirm-by-name.tsx";
import { useToast } from "../../../components/toast.tsx";

export interface DeleteSwarmProps {
  readonly swarm: Swarm;
  readonly isOpen: boolean;
  onClose(): void;
}

export function DeleteSwarm({ swarm, isOpen, onClose }: DeleteSwarmProps) {
  const remove = useDeleteSwarm();
  const show = useToast();
  const navigate = useNavigate();
  const run = async () => {
    if ((await remove.run(swarm.id)) === null) {
      show({ text: remove.failure?.message ?? "The swarm could not be deleted.", tone: "bad" });
      return;
    }
    show({ text: `${swarm.name} is deleted.` });
    await navigate("/swarms");
  };
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete the swarm ${swarm.name}`}
      name={swarm.name}
      action="Delete the swarm"
      isBusy={remove.isBusy}
      onConfirm={() => void run()}
    >
      All of its messages, runs and invitations are deleted for all members. This cannot be undone. The agents are kept.
    </ConfirmByName>
  );
}
