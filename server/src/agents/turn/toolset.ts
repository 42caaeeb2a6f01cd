import type { ModelTool, ToolChoice } from "../providers/model-port.ts";
import { agentTools } from "../strategies/agent-tools.ts";
import { coordinatorOf, STRATEGIES } from "../strategies/who-answers.ts";
import { isRecord } from "../../json/index.ts";
import { clientToolsOf } from "../tools/client/client-tools.ts";
import type { CallableTool } from "../tools/tool-port.ts";
import { grantOf, type LiveRun } from "../run/live-run.ts";
import type { Turn } from "./turn.ts";

/** What a tool name means in one turn. */
type ToolMeaning =
  | { readonly kind: "own"; readonly tool: CallableTool }
  | { readonly kind: "handoff" | "member"; readonly agentId: string; readonly agentName: string };

export interface Toolset {
  readonly tools: readonly ModelTool[];
  /** What the next call of the model gets. */
  readonly offer: { readonly tools: readonly ModelTool[]; readonly toolChoice: ToolChoice };
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
  for (const tool of [...turn.agent.tools, ...listClientTools(run, turn)])
    add(run.ports.tools.describe(tool), { kind: "own", tool });
  const { agentTools: kind } = STRATEGIES[run.context.run.strategy];
  if (kind !== null)
    for (const { tool, agent } of agentTools(kind, listReachable(run, turn), meanings.keys()))
      add(tool, { kind, agentId: agent.id, agentName: agent.name });
  return { tools, offer: chooseOffer(run, turn, { tools, meanings }), find: (name) => meanings.get(name) ?? null };
}

/** The agent of a grant can have joined the swarm after the call was admitted. */
function listClientTools({ context }: LiveRun, { agent }: Turn): readonly CallableTool[] {
  const isAccepted = context.agents.find(({ id }) => id === agent.id)?.accepts_client_tools ?? false;
  return isAccepted ? clientToolsOf(context.run.request) : [];
}

/** The caller can require that the turn begins with a call of its tools. The model then gets no others, which would satisfy it, too. */
function chooseOffer(
  { context }: LiveRun,
  { asked, toolSteps }: Turn,
  all: { readonly tools: readonly ModelTool[]; readonly meanings: ReadonlyMap<string, ToolMeaning> },
): Toolset["offer"] {
  const { tool_choice: choice } = context.run.request;
  const named = isRecord(choice) ? String(choice["name"]) : null;
  const isRequired = asked === null && toolSteps === 0 && (named !== null || choice === "required");
  const tools = all.tools.filter(({ name }) => {
    const meaning = all.meanings.get(name);
    return meaning?.kind === "own" && meaning.tool.kind === "client" && (named === null || named === name);
  });
  // The agent can have tools of the same names, which take precedence.
  if (!isRequired || tools.length === 0) return { tools: all.tools, toolChoice: "auto" };
  return { tools, toolChoice: named === null ? "required" : { tool: named } };
}

/** The agents that an agent leads: it asks them, and writes the answer. */
export function listLed(run: LiveRun, turn: Turn): LiveRun["agents"] {
  return STRATEGIES[run.context.run.strategy].agentTools === "member" ? listReachable(run, turn) : [];
}

/**
 * The agents that an agent reaches with tools. Only the coordinator asks others; everyone can hand over to it. An agent that answers
 * by a grant does not read their roles, which are texts of other owners.
 */
function listReachable(run: LiveRun, turn: Turn): LiveRun["agents"] {
  const coordinator = run.context.agents.filter(({ id }) => id === coordinatorOf(run));
  const isByGrant = grantOf(run.context, turn.agent.id) !== null;
  const others = [...new Set([...run.agents, ...coordinator])]
    .filter(({ id }) => id !== turn.agent.id)
    .map((agent) => (isByGrant ? { ...agent, role: null } : agent));
  if (STRATEGIES[run.context.run.strategy].agentTools === "handoff") return others;
  return turn.asked === null && turn.agent.id === coordinatorOf(run) ? others : [];
}
