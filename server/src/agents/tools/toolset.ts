import type { ModelTool } from "../providers/model-port.ts";
import { coordinatorOf } from "../strategies/coordinator.ts";
import { STRATEGIES } from "../strategies/decide-next.ts";
import { handoffTools } from "../strategies/handoff-tools.ts";
import { memberTools } from "../strategies/member-tools.ts";
import type { AssignedTool } from "./tool-port.ts";
import type { LiveRun } from "../execution/live-run.ts";
import type { Turn } from "../turn/turn.ts";

/** What a tool name means in one turn. */
type ToolMeaning =
  | { readonly kind: "own"; readonly tool: AssignedTool }
  | { readonly kind: "handoff"; readonly agentId: string }
  | { readonly kind: "member"; readonly agentId: string };

export interface Toolset {
  readonly tools: readonly ModelTool[];
  find(name: string): ToolMeaning | null;
}

/** The agent's own tools and, as the strategy wants, the other agents. */
export function buildToolset(run: LiveRun, turn: Turn): Toolset {
  const meanings = new Map<string, ToolMeaning>();
  const tools: ModelTool[] = [];
  const add = (tool: ModelTool, meaning: ToolMeaning): void => {
    // Two owners may have given one name to two tools; a model can mean only one of them.
    if (meanings.has(tool.name)) return;
    meanings.set(tool.name, meaning);
    tools.push(tool);
  };
  for (const tool of turn.agent.tools) add(run.ports.tools.describe(tool), { kind: "own", tool });
  const { agentTools } = STRATEGIES[run.context.run.strategy];
  if (agentTools === "handoff")
    for (const { tool, agentId } of handoffTools(run.agents, turn.agent.id, meanings.keys()))
      add(tool, { kind: "handoff", agentId });
  const isSupervising = agentTools === "ask" && turn.asked === null && turn.agent.id === findCoordinator(run);
  if (isSupervising)
    for (const { tool, agentId } of memberTools(run.agents, turn.agent.id, meanings.keys()))
      add(tool, { kind: "member", agentId });
  return { tools, find: (name) => meanings.get(name) ?? null };
}

export function findCoordinator(run: LiveRun): string | null {
  return coordinatorOf({ agents: run.agents, coordinatorId: coordinatorIdOf(run), isNarrowed: run.isNarrowed });
}

/** The swarm's coordinator, as long as it is enabled. */
export function coordinatorIdOf({ context }: LiveRun): string | null {
  const id = context.swarm.coordinator_agent_id;
  return context.agents.some((agent) => agent.id === id) ? id : null;
}
