import type { ModelTool } from "../providers/model-port.ts";
import { agentTools } from "../strategies/agent-tools.ts";
import { coordinatorOf, STRATEGIES } from "../strategies/decide-next.ts";
import { clientToolsOf } from "./client/client-tools.ts";
import type { CallableTool } from "./tool-port.ts";
import type { LiveRun } from "../execution/live-run.ts";
import type { Turn } from "../turn/turn.ts";

/** What a tool name means in one turn. */
type ToolMeaning =
  | { readonly kind: "own"; readonly tool: CallableTool }
  | { readonly kind: "handoff" | "member"; readonly agentId: string };

export interface Toolset {
  readonly tools: readonly ModelTool[];
  find(name: string): ToolMeaning | null;
}

/** The agent's own tools, those that the call brought and, depending on the strategy, tools that address the other agents. */
export function buildToolset(run: LiveRun, turn: Turn): Toolset {
  const meanings = new Map<string, ToolMeaning>();
  const tools: ModelTool[] = [];
  const add = (tool: ModelTool, meaning: ToolMeaning): void => {
    // Tools of two owners can have the same name. The first one wins: a call cannot replace a tool of the agent.
    if (meanings.has(tool.name)) return;
    meanings.set(tool.name, meaning);
    tools.push(tool);
  };
  for (const tool of [...turn.agent.tools, ...clientToolsOf(run.context.run.request)])
    add(run.ports.tools.describe(tool), { kind: "own", tool });
  const { agentTools: kind } = STRATEGIES[run.context.run.strategy];
  const isCoordinating = turn.asked === null && turn.agent.id === findCoordinator(run);
  if (kind === "handoff" || (kind === "member" && isCoordinating))
    for (const { tool, agentId } of agentTools(kind, run.agents, turn.agent.id, meanings.keys()))
      add(tool, { kind, agentId });
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
