import { isUuid } from "@swarmbase/sdk";
import { type ExtensionCore, readRows } from "swarmbase/extension";

/** Who answers: one agent in a private swarm of the caller and the agent, or the agents of a swarm. */
export type Target = { readonly agent_id: string } | { readonly swarm_id: string };

/** Whether the target is an agent of somebody else, or of nobody. Its own agents alone are rows for the caller. */
export async function isForeign(core: Pick<ExtensionCore, "rest">, target: Target): Promise<boolean> {
  if (!("agent_id" in target) || !isUuid(target.agent_id)) return false;
  return (await readRows(core, "/agents", `id=eq.${target.agent_id}&select=id`)).length === 0;
}
