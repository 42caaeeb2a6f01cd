import { useNavigate } from "react-router";
import { type Agent, useDeleteAgent, useDuplicateAgent } from "../../data/agents.ts";
import { useToast } from "../../components/toast.tsx";

/** Makes a copy, opens it, and offers to take it back. */
export function useDuplicate(): (agent: Agent) => Promise<void> {
  const duplicate = useDuplicateAgent();
  const remove = useDeleteAgent();
  const toast = useToast();
  const navigate = useNavigate();
  return async (agent) => {
    const copy = await duplicate.run(agent);
    if (copy === null) return toast({ text: `${agent.name} could not be duplicated.`, tone: "bad" });
    toast({
      text: `This is the copy of ${agent.name}.`,
      action: {
        label: "Undo",
        run: () => {
          void remove.run(copy.id);
          void navigate(`/agents/${agent.id}`);
        },
      },
    });
    await navigate(`/agents/${copy.id}/settings`);
  };
}
