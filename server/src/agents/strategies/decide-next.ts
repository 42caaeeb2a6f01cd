import type { SwarmStrategy } from "@swarmbase/sdk";
import { isPingPong } from "../guards/ping-pong.ts";
import { repeatsItself } from "../guards/repeats-itself.ts";
import { coordinatorOf } from "./coordinator.ts";
import type { EndReason, FinishedTurn, NextStep, RunAgent, RunView } from "./run-view.ts";
import { fallbackSelection } from "./selection-tool.ts";

/**
 * What a run does next. Each strategy says how it would go on; the guards come after it, so that a run which is at
 * its natural end says so, even when it also stands at a limit.
 */
export function decideNext(view: RunView): NextStep {
  if (view.onAgentError === "stop" && view.turns.some((turn) => turn.outcome === "failed"))
    return end("provider_error");
  const step = view.agents.length === 0 ? endOf(view) : STRATEGIES[view.strategy].next(view);
  if (step.type === "end") return step;
  if (isPingPong(view.turns)) return end("loop_detected");
  if (hasNoProgress(view.turns)) return end("no_progress");
  const turnsLeft = Math.max(0, view.maxTurns - view.turns.length);
  if (turnsLeft === 0) return end("max_turns");
  return step.type === "turns" ? { ...step, agentIds: step.agentIds.slice(0, turnsLeft) } : step;
}

interface Strategy {
  /** The next step before the guards apply. */
  readonly next: (view: RunView) => NextStep;
  /** The coordinator also speaks in a run that names other agents. `private.may_speak` lists the same strategies. */
  readonly alwaysHasCoordinator: boolean;
  /** The tools with which an agent reaches the others: everybody hands over, or only the coordinator asks. */
  readonly agentTools: "handoff" | "ask" | null;
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
  handoff: { next: followHandoffs, alwaysHasCoordinator: true, agentTools: "handoff" },
  selector: { next: followSelection, alwaysHasCoordinator: true, agentTools: null },
  supervisor: {
    next: (view) => oneTurnOf(coordinatorOf(view), view),
    alwaysHasCoordinator: true,
    agentTools: "ask",
  },
};

function allAtOnce(view: RunView): NextStep {
  const waiting = inOrder(view.agents).filter((agent) => countTurns(view.turns, agent.id) === 0);
  return waiting.length === 0 ? endOf(view) : turns(waiting, true);
}

/** Counted per agent, because agents come and go while a run is under way. */
function oneByOne(view: RunView, rounds: number): NextStep {
  const waiting = inOrder(view.agents)
    .map((agent) => ({ agent, count: countTurns(view.turns, agent.id) }))
    .filter(({ count }) => count < Math.max(1, rounds))
    .sort((one, other) => one.count - other.count)[0];
  return waiting ? turns([waiting.agent], false) : endOf(view);
}

function oneTurnOf(agentId: string | null, view: RunView): NextStep {
  if (agentId === null || countTurns(view.turns, agentId) > 0) return endOf(view);
  return turns([{ id: agentId }], false);
}

function followHandoffs(view: RunView): NextStep {
  const last = view.turns.at(-1);
  if (!last) {
    // Who is addressed by name answers first; the coordinator can still be handed to.
    const isCoordinatorAddressed = view.agents.some((agent) => agent.id === view.coordinatorId);
    const first = isCoordinatorAddressed ? view.coordinatorId : (inOrder(view.agents)[0]?.id ?? null);
    return oneTurnOf(first, view);
  }
  const target = last.outcome === "completed" ? last.handoffTo : null;
  const isReachable =
    view.agents.some((agent) => agent.id === target) || (view.isNarrowed && target === view.coordinatorId);
  if (target === null || target === last.agentId || !isReachable) return endOf(view);
  return turns([{ id: target }], false);
}

function followSelection(view: RunView): NextStep {
  const lastSpeakerId = view.turns.at(-1)?.agentId ?? null;
  const candidates = view.agents.filter((agent) => agent.id !== lastSpeakerId);
  const [only, ...rest] = candidates;
  if (!only || view.selected === "done") return endOf(view);
  if (view.selected !== null) {
    const isOffered = candidates.some((agent) => agent.id === view.selected);
    return turns([{ id: isOffered ? view.selected : fallbackSelection(view.agents, lastSpeakerId) }], false);
  }
  // A choice among one is no choice: the model need not be asked for the first answer.
  if (rest.length === 0 && view.turns.length === 0) return turns([only], false);
  return { type: "select" };
}

function hasNoProgress(finished: readonly FinishedTurn[]): boolean {
  const last = finished.at(-1);
  if (last?.outcome !== "completed" || last.handoffTo !== null) return false;
  const previous = finished
    .slice(0, -1)
    .findLast((turn) => turn.agentId === last.agentId && turn.outcome === "completed" && turn.handoffTo === null);
  return repeatsItself(previous?.text ?? null, last.text);
}

function turns(agents: readonly { readonly id: string }[], isParallel: boolean): NextStep {
  return { type: "turns", agentIds: agents.map((agent) => agent.id), isParallel };
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

function inOrder(agents: readonly RunAgent[]): RunAgent[] {
  return agents.toSorted((one, other) => one.position - other.position);
}
