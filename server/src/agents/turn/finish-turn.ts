import { ModelError } from "../providers/model-error.ts";
import { chargedUserOf, type LiveRun, type TurnStop } from "../execution/live-run.ts";
import { BudgetSpent } from "../model/run-budget.ts";
import { RunStop, stopOf } from "../execution/run-stop.ts";
import type { FaultRow } from "../execution/steps.ts";
import type { SuspendedTurn, Turn, TurnEnd } from "./turn.ts";
import { toUsageRow } from "../model/usage-row.ts";

export interface TurnFinish {
  readonly finishReason: string;
  readonly handoffTo?: string;
  readonly stop?: TurnStop;
}

/** Ends a turn that came to its own end: all of its text is kept. */
export function finishTurn(run: LiveRun, turn: Turn, { finishReason, handoffTo, stop }: TurnFinish): TurnEnd {
  const reason = finishReason === "tool_calls" ? "stop" : finishReason;
  const met =
    stop ?? (turn.mustAnswer ? "max_tool_steps" : turn.hasExpired && isBlank(turn) ? "approval_expired" : null);
  return record(run, turn, {
    outcome: "completed",
    finishReason: reason,
    error: null,
    isPartial: false,
    stop: met,
    handoffTo: handoffTo ?? null,
  });
}

/** Ends a turn that was aborted: its text so far is kept and marked as partial. */
export function abortTurn(run: LiveRun, turn: Turn): TurnEnd {
  const kind = stopOf(turn.signal);
  if (kind === "lost") throw new RunStop("lost");
  return record(run, turn, {
    outcome: "cancelled",
    finishReason: kind === "interrupted" ? "interrupted" : "cancelled",
    error: null,
    isPartial: true,
    stop: null,
    handoffTo: null,
  });
}

export function failTurn(run: LiveRun, turn: Turn, error: unknown): TurnEnd {
  if (error instanceof RunStop) {
    if (error.kind === "lost") throw error;
    return abortTurn(run, turn);
  }
  if (error instanceof BudgetSpent) return endForBudget(run, turn);
  const fault = describeFault(run, error);
  return record(run, turn, {
    outcome: "failed",
    finishReason: FINISH_REASONS[fault.code] ?? "error",
    error: fault,
    isPartial: true,
    stop: null,
    handoffTo: null,
  });
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  CONTENT_FILTERED: "content_filter",
  MAX_TOKENS_REACHED: "length",
};

/** A spent budget is not an error of the agent. */
function endForBudget(run: LiveRun, turn: Turn): TurnEnd {
  return record(run, turn, {
    outcome: "cancelled",
    finishReason: "budget_exceeded",
    error: null,
    isPartial: true,
    stop: "budget_exceeded",
    handoffTo: null,
  });
}

/** Ends a turn that waited and will not continue, with the turns that it waits for. */
export function closeSuspended(run: LiveRun, kept: SuspendedTurn): void {
  for (const call of kept.waiting) if (call.kind === "member") closeSuspended(run, call.turn);
  const kind = stopOf(run.signal);
  if (kind === "lost") return;
  void run.writer.submit({
    op: "finish_turn",
    turn_id: kept.id,
    agent_id: kept.agentId,
    status: "cancelled",
    finish_reason: kind === "interrupted" ? "interrupted" : "cancelled",
    content: kept.text.trim() === "" ? "" : kept.text,
    metadata: { partial: true },
    error: null,
    warnings: kept.warnings,
    attempts: kept.attempts,
    framework: kept.framework,
    model: kept.model,
    first_token_ms: kept.firstTokenMs,
    duration_ms: kept.durationMs,
    usage: toUsageRow(kept),
    payer_id: run.context.payer_id,
  });
  run.budget.settle(kept.reservationIds ?? [], null);
}

interface TurnRecord {
  readonly outcome: "completed" | "failed" | "cancelled";
  readonly finishReason: string;
  readonly error: FaultRow | null;
  readonly isPartial: boolean;
  readonly stop: TurnStop | null;
  readonly handoffTo: string | null;
}

/** Not awaited: what follows is written in the same batch. */
function record(run: LiveRun, turn: Turn, end: TurnRecord): TurnEnd {
  const { ports, context } = run;
  const text = isBlank(turn) ? "" : turn.text;
  void run.writer.submit({
    op: "finish_turn",
    turn_id: turn.id,
    agent_id: turn.agent.id,
    status: end.outcome,
    finish_reason: end.finishReason,
    content: text,
    metadata: end.isPartial ? { partial: true } : {},
    error: end.error,
    warnings: turn.warnings,
    attempts: turn.attempts,
    framework: turn.framework,
    model: turn.model,
    first_token_ms: turn.firstTokenMs,
    duration_ms: ports.clock.now().getTime() - turn.startedAtMs,
    usage: toUsageRow(turn),
    payer_id: context.payer_id,
  });
  // Recorded in the same transaction, so that it counts once.
  run.budget.settle(turn.reservationIds, null);
  turn.span.end({ errorType: end.error?.code ?? null, ...(turn.usage !== null && { usage: turn.usage }) });
  ports.observer.note("run.turn_ended", {
    framework: turn.framework,
    model: turn.model,
    outcome: end.outcome,
    inputTokens: turn.usage?.inputTokens ?? 0,
    outputTokens: turn.usage?.outputTokens ?? 0,
  });
  run.finished.push({
    agentId: turn.agent.id,
    outcome: end.outcome,
    text,
    handoffTo: end.handoffTo,
    usedTool: turn.usedTool,
    errorCode: end.error?.code ?? null,
    isPartial: end.isPartial && text !== "",
    stop: end.stop,
  });
  if (text !== "") chargeAnswer(run);
  return { kind: "finished", text, isError: end.outcome !== "completed", stop: end.stop };
}

/** The first answer was charged at admission; further ones are counted and never rejected. */
function chargeAnswer(run: LiveRun): void {
  run.answerCount += 1;
  if (run.answerCount === 1 && run.context.run.request["source"] !== "auto_respond") return;
  const userId = chargedUserOf(run.context);
  if (userId !== null) run.ports.charge.answer(userId).catch(() => {});
}

function describeFault(run: LiveRun, error: unknown): FaultRow {
  if (error instanceof ModelError)
    return {
      code: error.code,
      message: error.message,
      retryable: error.isRetryable,
      provider_status: error.providerStatus,
    };
  if (error === "CONTENT_FILTERED")
    return {
      code: "CONTENT_FILTERED",
      message: "The provider held the answer back",
      retryable: false,
      provider_status: null,
    };
  run.ports.observer.note("agents.turn_fault", { runId: run.context.run.id, error });
  return {
    code: "INTERNAL_ERROR",
    message: "Something went wrong on our side",
    retryable: true,
    provider_status: null,
  };
}

function isBlank({ text }: Turn): boolean {
  return text.trim() === "";
}
