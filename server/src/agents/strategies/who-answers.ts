import type { SwarmStrategy } from "@swarmbase/sdk";
import { findMentions } from "../context/find-mentions.ts";
import { STRATEGIES } from "./decide-next.ts";
import type { RunAgent } from "./run-view.ts";

interface AskedRun<Agent extends RunAgent> {
  readonly strategy: SwarmStrategy;
  /** The enabled agents of the swarm. */
  readonly agents: readonly Agent[];
  readonly coordinatorId: string | null;
  /** Those that the call names. */
  readonly agentIds: unknown;
  readonly message: string | null;
}

export interface Answering<Agent extends RunAgent> {
  /** The agents that the strategy can choose: those that the call names, else those that its message mentions, else all. */
  readonly agents: readonly Agent[];
  /** Whether the call names agents or its message mentions some. */
  readonly isNarrowed: boolean;
  /** The swarm's coordinator, if it is enabled; it need not be one of `agents`. */
  readonly coordinatorId: string | null;
  /** All that may speak: in some strategies the coordinator speaks too. */
  readonly speakers: readonly Agent[];
  readonly mentions: readonly string[];
}

/** Decides who answers, when a run is admitted and when a node executes it. */
export function decideAnswering<Agent extends RunAgent>(run: AskedRun<Agent>): Answering<Agent> {
  const mentions = findMentions(run.message ?? "", run.agents);
  const named = Array.isArray(run.agentIds) && run.agentIds.length > 0 ? (run.agentIds as unknown[]) : mentions;
  const coordinatorId = run.agents.find(({ id }) => id === run.coordinatorId)?.id ?? null;
  if (named.length === 0)
    return { agents: run.agents, isNarrowed: false, coordinatorId, speakers: run.agents, mentions };
  const agents = [...new Set(named)].flatMap((id) => run.agents.filter((agent) => agent.id === id));
  const { alwaysHasCoordinator } = STRATEGIES[run.strategy];
  return {
    // In the order in which they are named.
    agents: agents.map((agent, position) => ({ ...agent, position })),
    isNarrowed: true,
    coordinatorId,
    speakers: run.agents.filter(({ id }) => named.includes(id) || (alwaysHasCoordinator && id === coordinatorId)),
    mentions,
  };
}
