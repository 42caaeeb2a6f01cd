import { type Agent, useDeleteAgent } from "../../data/agents.ts";
import { DeleteByName } from "../../components/delete-by-name.tsx";

export interface DeleteAgentProps {
  readonly agent: Agent;
  onClose(): void;
}

export function DeleteAgent({ agent, onClose }: DeleteAgentProps) {
  return (
    <DeleteByName row={agent} noun="agent" remove={useDeleteAgent()} listPath="/agents" isOpen onClose={onClose}>
      The agent is removed from all swarms. This cannot be undone. Its messages stay readable, with a note that the
      agent was deleted.
    </DeleteByName>
  );
}
