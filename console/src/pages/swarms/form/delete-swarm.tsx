import { useDeleteRow } from "../../../data/changed-rows.ts";
import type { Swarm } from "../../../data/swarms.ts";
import { DeleteByName } from "../../../components/delete-by-name.tsx";

interface DeleteSwarmProps {
  readonly swarm: Swarm;
  readonly isOpen: boolean;
  onClose(): void;
}

export function DeleteSwarm({ swarm, ...dialog }: DeleteSwarmProps) {
  return (
    <DeleteByName {...dialog} row={swarm} noun="swarm" remove={useDeleteRow("swarms")} listPath="/swarms">
      All of its messages, runs and invitations are deleted for all members. This cannot be undone. The agents are kept.
    </DeleteByName>
  );
}
