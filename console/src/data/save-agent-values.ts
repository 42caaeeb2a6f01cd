import type { Agent } from "./agents.ts";
import { Failure, unwrap } from "./failure.ts";
import { type AgentValues, isSameValues, pickValues } from "./playground-state.ts";
import { useWrite, type Write } from "./write.ts";

export interface SavedValues {
  readonly agentId: string;
  readonly values: AgentValues;
  /** The agent as the user has seen it: if it is another one now, nothing is saved. */
  readonly expected: AgentValues;
}

/** Writes the values to the agent, which makes a version. */
export function useSaveAgentValues(): Write<SavedValues, Agent> {
  return useWrite({
    tables: ["agents", "agent_versions"],
    write: async (client, { agentId, values, expected }) => {
      const now = await unwrap(client.from("agents").select("*").eq("id", agentId).single());
      if (!isSameValues(pickValues(now), expected))
        throw new Failure(`${now.name} was changed in the meantime. Look at the differences, then save again.`, {});
      return unwrap(client.from("agents").update(values).eq("id", agentId).select().single());
    },
  });
}
