import { actsForAsker } from "@swarmbase/sdk";
import type { Assignment } from "./agent-tools.ts";
import type { Agent } from "./agents.ts";
import type { Tool } from "./tools.ts";

/** Those for whom a tool works in an agent of the user. */
export type Askers = "everybody" | "user" | "nobody";

/** Returns null when the tool does not act for the person who asks, so it works for all. */
export function findAskers(
  tool: Tool,
  { is_vouched: isVouched }: Pick<Assignment, "is_vouched">,
  agent: Pick<Agent, "acts_for_askers">,
  userId: string,
): Askers | null {
  if (!actsForAsker(tool)) return null;
  if (tool.kind === "schedule") return "everybody";
  if (tool.is_vouched && isVouched && agent.acts_for_askers) return "everybody";
  return tool.is_vouched || tool.owner_id === userId ? "user" : "nobody";
}
