import { useNavigate } from "react-router";
import { type Agent, useDeleteAgent, useDuplicateAgent } from "../../data/agents.ts";
import { useToast } from "../../components/toast.tsx";

/** Duplicates an agent, opens the copy and offers Undo. */
export function useDuplicate(): (agent: Agent) => Promise<void> {
  const duplicate = useDuplicateAgent();
  const remove = useDeleteAgent();
  const toast = useToast();
  const navigate = useNavigate();
  return async (agent) => {
    const copy = await duplicate.run(agent);
    if (copy === null) return toast({ text: `${agent.name} could not be duplicated.`, tone: "bad" });
    toast({
      text: `${agent.name} is duplicated. This is the copy.`,
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
