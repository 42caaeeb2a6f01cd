import { decideNext } from "../strategies/who-answers.ts";
import type { EndReason } from "../strategies/run-view.ts";
import type { LiveRun, RunPorts } from "../run/live-run.ts";
import { BudgetSpent } from "../run/run-budget.ts";
import { resumeTurn } from "../turn/resume-turn.ts";
import { runTurn } from "../turn/run-turn.ts";
import { selectSpeaker } from "../turn/select-speaker.ts";
import type { WaitingExecution } from "../writer/steps.ts";
import type { SuspendedTurn, TurnEnd } from "../run/turn-state.ts";

type LoopEnd =
  | { readonly kind: "ended"; readonly endReason: EndReason | null }
  | { readonly kind: "paused"; readonly suspended: readonly SuspendedTurn[] };

/** Executes the steps that the strategy decides until it ends the run. Rejects only when the run is lost. */
export async function runLoop(run: LiveRun): Promise<LoopEnd> {
  const { progress } = run;
  if (progress !== null) {
    const ends = await Promise.all(progress.suspended.map((turn) => resumeTurn(run, turn)));
    const suspended = suspendedIn(ends);
    if (suspended.length > 0) return { kind: "paused", suspended };
  }
  let selected: string | null = null;
  for (;;) {
    // A turn that has started must record its end.
    if (run.signal.aborted && run.opened !== null) await runTurn(run, run.opened.agent.id, null);
    if (run.signal.aborted || mustEnd(run)) return { kind: "ended", endReason: null };
    const step = decideNext({
      ...run.limits,
      strategy: run.context.run.strategy,
      agents: run.agents,
      coordinatorId: run.coordinatorId,
      inChargeId: run.opened?.agent.id ?? run.context.in_charge_agent_id,
      isNarrowed: run.isNarrowed,
      turns: run.finished,
      selected,
    });
    selected = null;
    switch (step.type) {
      case "end":
        return { kind: "ended", endReason: step.stopReason };
      case "select":
        try {
          selected = await selectSpeaker(run);
        } catch (error) {
          if (error instanceof BudgetSpent) markSpent(run);
          else if (!run.signal.aborted) throw error;
        }
        break;
      case "turns": {
        const ends = await Promise.all(step.agentIds.map((agentId) => runTurn(run, agentId, null)));
        const suspended = suspendedIn(ends);
        if (suspended.length > 0) return { kind: "paused", suspended };
        const goneIds = step.agentIds.filter((_, index) => ends[index]?.kind === "gone");
        if (goneIds.length > 0) run.agents = run.agents.filter(({ id }) => !goneIds.includes(id));
        // A run cannot continue without its coordinator.
        if (goneIds.some((id) => id === run.coordinatorId) && run.agents.length === 0)
          return { kind: "ended", endReason: null };
      }
    }
  }
}

function mustEnd({ finished }: LiveRun): boolean {
  return finished.some(({ stop }) => stop === "budget_exceeded");
}

function markSpent(run: LiveRun): void {
  run.finished.push({
    agentId: "",
    outcome: "cancelled",
    text: "",
    handoffTo: null,
    errorCode: null,
    isPartial: false,
    stop: "budget_exceeded",
  });
}

function suspendedIn(ends: readonly TurnEnd[]): SuspendedTurn[] {
  return ends.flatMap((end) => (end.kind === "suspended" ? [end.turn] : []));
}

/** The tool executions that wait, at any depth. */
export function executionsIn(
  suspended: readonly SuspendedTurn[],
  { approvalTtlMs, clientToolTtlMs }: Pick<RunPorts, "approvalTtlMs" | "clientToolTtlMs">,
): WaitingExecution[] {
  const ttls = { approvalTtlMs, clientToolTtlMs };
  return suspended.flatMap(({ waiting }) =>
    waiting.flatMap((call) => {
      switch (call.kind) {
        // Those that have not ended belong to turns that do not wait.
        case "answered":
        case "pending":
        case "started":
          return [];
        case "approval":
          return [{ ...call.execution, status: "pending_approval", ttl_ms: approvalTtlMs }];
        case "question": {
          const [question] = call.questions;
          return question === undefined
            ? []
            : [
                {
                  ...call.execution,
                  status: "pending_approval",
                  ttl_ms: approvalTtlMs,
                  question,
                  ...(call.answers.held !== undefined && { is_held: true }),
                },
              ];
        }
        case "client":
          return [{ ...call.execution, status: "pending_client", ttl_ms: clientToolTtlMs }];
        case "wait":
          return [{ ...call.execution, status: "waiting", wait: call.wait }];
        case "member":
          return executionsIn([call.turn], ttls);
      }
    }),
  );
}
