import { isUuid } from "@swarmbase/sdk";
import { type ExtensionCore, readRows } from "swarmbase/extension";

/** Who answers: one agent in a private swarm of the caller and the agent, or the agents of a swarm. */
export type Target = { readonly agent_id: string } | { readonly swarm_id: string };

/** Whether an agent is of somebody else, or of nobody. Its own agents alone are rows for the caller. */
export async function isForeign(core: Pick<ExtensionCore, "rest">, agentId: string): Promise<boolean> {
  return isUuid(agentId) && (await readRows(core, "/agents", `id=eq.${agentId}&select=id`)).length === 0;
}
