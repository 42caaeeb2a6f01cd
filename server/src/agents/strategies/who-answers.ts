import type { SwarmStrategy } from "@swarmbase/sdk";
import { findMentions } from "../context/find-mentions.ts";
import { isPingPong, repeatsItself } from "./loops.ts";
import type { EndReason, FinishedTurn, NextStep, RunAgent, RunView } from "./run-view.ts";
import { fallbackSelection } from "./selection-tool.ts";

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

/**
 * What a run does next. The guards apply after the strategy, so that a run which has ended by itself reports that, even when
 * it has also reached a limit.
 */
export function decideNext(view: RunView): NextStep {
  if (view.onAgentError === "stop" && view.turns.some((turn) => turn.outcome === "failed"))
    return end("provider_error");
  const agents = view.agents.filter((agent) => !hasNoProgress(view.turns, agent.id));
  const step = agents.length === 0 ? endOf(view) : STRATEGIES[view.strategy].next({ ...view, agents });
  if (step.type === "end") return agents.length < view.agents.length && agents.length === 0 ? end("no_progress") : step;
  if (isPingPong(view.turns)) return end("loop_detected");
  const turnsLeft = Math.max(0, view.maxTurns - view.turns.length);
  if (turnsLeft === 0) return end("max_turns");
  return step.type === "turns" ? { ...step, agentIds: step.agentIds.slice(0, turnsLeft) } : step;
}

interface Strategy {
  /** The next step before the guards apply. */
  readonly next: (view: RunView) => NextStep;
  /** The coordinator also speaks in a run that names other agents. */
  readonly alwaysHasCoordinator: boolean;
  /** The tools with which an agent reaches the others: all agents hand over, or only the coordinator asks members. */
  readonly agentTools: "handoff" | "member" | null;
}

/** Everything that differs between strategies. */
export const STRATEGIES: Readonly<Record<SwarmStrategy, Strategy>> = {
  round_robin: { next: (view) => oneByOne(view, view.maxRounds), alwaysHasCoordinator: false, agentTools: null },
  parallel: { next: allAtOnce, alwaysHasCoordinator: false, agentTools: null },
  mention: {
    next: (view) => (view.isNarrowed ? oneByOne(view, 1) : oneTurnOf(coordinatorOf(view), view)),
    alwaysHasCoordinator: false,
    agentTools: null,
  },
  handoff: { next: continueHandoffs, alwaysHasCoordinator: true, agentTools: "handoff" },
  selector: { next: applySelection, alwaysHasCoordinator: true, agentTools: null },
  supervisor: {
    next: (view) => oneTurnOf(coordinatorOf(view), view),
    alwaysHasCoordinator: true,
    agentTools: "member",
  },
};

function allAtOnce(view: RunView): NextStep {
  const waiting = inOrder(view.agents).filter((agent) => countTurns(view.turns, agent.id) === 0);
  return waiting.length === 0 ? endOf(view) : turns(waiting);
}

/** Counts the turns of each agent, because agents can be enabled and disabled during a run. */
function oneByOne(view: RunView, rounds: number): NextStep {
  const waiting = inOrder(view.agents)
    .map((agent) => ({ agent, count: countTurns(view.turns, agent.id) }))
    .filter(({ count }) => count < Math.max(1, rounds))
    .sort((one, other) => one.count - other.count)[0];
  return waiting ? turns([waiting.agent]) : endOf(view);
}

function oneTurnOf(agentId: string | null, view: RunView): NextStep {
  if (agentId === null || countTurns(view.turns, agentId) > 0) return endOf(view);
  return turns([{ id: agentId }]);
}

function continueHandoffs(view: RunView): NextStep {
  const last = view.turns.at(-1);
  if (!last) {
    // An agent that the request names answers first. It can hand over to the coordinator. Else the agent that took over goes on.
    const preferred = [view.isNarrowed ? null : view.inChargeId, view.coordinatorId];
    const first = preferred.find((id) => view.agents.some((agent) => agent.id === id));
    return oneTurnOf(first ?? inOrder(view.agents)[0]?.id ?? null, view);
  }
  const target = last.outcome === "completed" ? last.handoffTo : null;
  const isReachable =
    view.agents.some((agent) => agent.id === target) || (view.isNarrowed && target === view.coordinatorId);
  if (target === null || target === last.agentId || !isReachable) return endOf(view);
  return turns([{ id: target }]);
}

function applySelection(view: RunView): NextStep {
  const lastSpeakerId = view.turns.at(-1)?.agentId ?? null;
  const candidates = view.agents.filter((agent) => agent.id !== lastSpeakerId);
  const [only, ...rest] = candidates;
  if (!only || view.selected === "done") return endOf(view);
  if (view.selected !== null) {
    const isOffered = candidates.some((agent) => agent.id === view.selected);
    return turns([{ id: isOffered ? view.selected : fallbackSelection(view.agents, lastSpeakerId) }]);
  }
  // With a single candidate, the first answer needs no selection by the model.
  if (rest.length === 0 && view.turns.length === 0) return turns([only]);
  return { type: "select" };
}

/** Whether the agent has repeated its previous reply, so that further turns of it would add nothing. */
function hasNoProgress(finished: readonly FinishedTurn[], agentId: string): boolean {
  const replies = finished.filter(
    (turn) => turn.agentId === agentId && turn.outcome === "completed" && turn.handoffTo === null,
  );
  return repeatsItself(replies.at(-2)?.text ?? null, replies.at(-1)?.text ?? "");
}

function turns(agents: readonly { readonly id: string }[]): NextStep {
  return { type: "turns", agentIds: agents.map((agent) => agent.id) };
}

function endOf(view: RunView): NextStep {
  return end(view.turns.length === 0 ? "no_reply_needed" : "all_replied");
}

function end(stopReason: EndReason): NextStep {
  return { type: "end", stopReason };
}

function countTurns(finished: readonly FinishedTurn[], agentId: string): number {
  return finished.filter((turn) => turn.agentId === agentId).length;
}

/** The agent that starts, selects or supervises: the swarm's coordinator, else the first agent by position. */
export function coordinatorOf(view: Pick<RunView, "agents" | "coordinatorId" | "isNarrowed">): string | null {
  const { agents, coordinatorId } = view;
  if (coordinatorId !== null && (view.isNarrowed || agents.some((agent) => agent.id === coordinatorId)))
    return coordinatorId;
  return inOrder(agents)[0]?.id ?? null;
}

function inOrder(agents: readonly RunAgent[]): RunAgent[] {
  return agents.toSorted((one, other) => one.position - other.position);
}
