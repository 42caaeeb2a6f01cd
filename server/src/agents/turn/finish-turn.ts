import { ModelError } from "../../errors/index.ts";
import { chargedUserOf, type LiveRun, payerOf } from "../run/live-run.ts";
import { BudgetSpent } from "../run/run-budget.ts";
import { RunStop, stopOf } from "../writer/run-stop.ts";
import type { FaultRow, HandoffRow, ModelCallRow } from "../writer/steps.ts";
import type { Turn } from "./turn.ts";
import type { SuspendedTurn, TurnEnd, TurnStop } from "../run/turn-state.ts";
import { toUsageRow } from "../model/call-meter.ts";
import { internalFault, toFaultRow } from "../model/call-recorder.ts";

export interface TurnFinish {
  readonly finishReason: string;
  readonly handoff?: HandoffRow;
  /** The value that the response_schema asked for. */
  readonly data?: unknown;
  /** Whether flags of guardrails follow. */
  readonly isFlagged?: boolean;
}

/** Ends a turn that completed: all of its text is stored. */
export function finishTurn(run: LiveRun, turn: Turn, finish: TurnFinish): TurnEnd {
  const { finishReason, handoff, data, isFlagged } = finish;
  return recordEnd(run, turn, {
    outcome: "completed",
    finishReason: finishReason === "tool_calls" ? "stop" : finishReason,
    stop: findStop(turn, finishReason),
    data,
    ...(handoff !== undefined && { handoff }),
    ...(isFlagged !== undefined && { isFlagged }),
  });
}

function findStop(turn: Turn, finishReason: string): TurnStop | null {
  if (turn.isLooping) return "loop_detected";
  if (turn.mustAnswer) return "max_tool_steps";
  if (turn.hasExpired && turn.text.trim() === "") return "approval_expired";
  return finishReason === "empty_response" ? "empty_response" : null;
}

/** Ends a turn that was aborted: its text so far is stored and marked as partial. */
export function abortTurn(run: LiveRun, turn: Turn): TurnEnd {
  const kind = stopOf(turn.signal);
  if (kind === "lost") throw new RunStop("lost");
  return recordEnd(run, turn, {
    outcome: "cancelled",
    finishReason: kind === "interrupted" ? "interrupted" : "cancelled",
  });
}

export function failTurn(run: LiveRun, turn: Turn, error: unknown): TurnEnd {
  if (error instanceof RunStop) {
    if (error.kind === "lost") throw error;
    return abortTurn(run, turn);
  }
  // A spent budget is not an error of the agent.
  if (error instanceof BudgetSpent)
    return recordEnd(run, turn, { outcome: "cancelled", finishReason: "budget_exceeded", stop: "budget_exceeded" });
  const fault = describeFault(run, error);
  return recordEnd(run, turn, {
    outcome: "failed",
    finishReason: FINISH_REASONS[fault.code] ?? "error",
    error: fault,
  });
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  CONTENT_FILTERED: "content_filter",
  GUARDRAIL_BLOCKED: "content_filter",
  MAX_TOKENS_REACHED: "length",
  LOOP_DETECTED: "loop",
};

/** Ends a turn that waited and will not continue, with the turns that it waits for. */
export function closeSuspended(run: LiveRun, turn: SuspendedTurn): void {
  run.turns.delete(turn.id);
  for (const call of turn.waiting) if (call.kind === "member") closeSuspended(run, call.turn);
  const kind = stopOf(run.signal);
  if (kind === "lost" || !hasBegun(run, turn)) return;
  submitEnd(run, turn, {
    agentId: turn.agentId,
    durationMs: turn.durationMs,
    outcome: "cancelled",
    finishReason: kind === "interrupted" ? "interrupted" : "cancelled",
  });
}

/** Whether the turn has a row: that of a lost node may have been about to begin. */
export function hasBegun({ context }: LiveRun, { id, isBlank }: SuspendedTurn): boolean {
  return isBlank !== true || context.recovery?.open_turns.some((row) => row.id === id) === true;
}

interface EndInput {
  readonly outcome: "completed" | "failed" | "cancelled";
  readonly finishReason: string;
  readonly error?: FaultRow;
  readonly data?: unknown;
  readonly handoff?: HandoffRow;
  readonly isFlagged?: boolean;
}

interface TurnRecord extends EndInput {
  readonly stop?: TurnStop | null;
}

function recordEnd(run: LiveRun, turn: Turn, end: TurnRecord): TurnEnd {
  const { ports } = run;
  const { outcome, stop = null } = end;
  const errorCode = end.error?.code ?? null;
  const durationMs = ports.clock.now().getTime() - turn.startedAtMs;
  const text = submitEnd(run, turn, { ...end, agentId: turn.agent.id, durationMs });
  turn.span.end({ errorType: errorCode, ...(turn.usage !== null && { usage: turn.usage }) });
  ports.observer.note("run.turn_ended", {
    framework: turn.framework,
    model: turn.model,
    outcome,
    inputTokens: turn.usage?.inputTokens ?? 0,
    outputTokens: turn.usage?.outputTokens ?? 0,
  });
  run.finished.push({
    agentId: turn.agent.id,
    outcome,
    text,
    handoffTo: end.handoff?.agent_id ?? null,
    ...(end.handoff && { handoffReason: end.handoff.reason }),
    usedTool: turn.usedTool,
    errorCode,
    isPartial: outcome !== "completed" && text !== "",
    stop,
  });
  if (text !== "") chargeAnswer(run);
  turn.end = { kind: "finished", text, isError: outcome !== "completed", stop };
  // The turn that asked for it reads its end.
  if (turn.asked === null) run.turns.delete(turn.id);
  return turn.end;
}

/** Returns the text that is stored. Does not await the write: the steps that follow are written in the same batch. */
function submitEnd(
  run: LiveRun,
  turn: Pick<
    SuspendedTurn,
    | "id"
    | "text"
    | "isWithheld"
    | "warnings"
    | "attempts"
    | "framework"
    | "model"
    | "firstTokenMs"
    | "usage"
    | "costUsd"
    | "reservationIds"
  > & { readonly modelCalls?: readonly ModelCallRow[] },
  end: EndInput & { readonly agentId: string; readonly durationMs: number },
): string {
  // What was withheld has not been checked.
  const content = turn.isWithheld === true || turn.text.trim() === "" ? "" : turn.text;
  void run.writer.submit({
    op: "finish_turn",
    turn_id: turn.id,
    agent_id: end.agentId,
    status: end.outcome,
    finish_reason: end.finishReason,
    content,
    data: end.data ?? null,
    ...(end.handoff !== undefined && { handoff: end.handoff }),
    metadata: end.outcome === "completed" ? {} : { partial: true },
    ...(end.isFlagged === true && { flagged: true }),
    error: end.error ?? null,
    warnings: turn.warnings,
    attempts: turn.attempts,
    framework: turn.framework,
    model: turn.model,
    first_token_ms: turn.firstTokenMs,
    duration_ms: end.durationMs,
    usage: turn.usage === null ? null : toUsageRow(turn.usage, turn.costUsd),
    model_calls: turn.modelCalls ?? [],
    payer_id: payerOf(run.context, end.agentId),
  });
  // Recorded in the same transaction, so that it counts once.
  run.budget.settle(turn.reservationIds ?? [], null);
  return content;
}

/** The first answer was charged at admission. Further answers are counted and never rejected. */
function chargeAnswer(run: LiveRun): void {
  run.answerCount += 1;
  if (run.answerCount === 1 && run.context.run.request["source"] !== "auto_respond") return;
  const userId = chargedUserOf(run.context);
  if (userId !== null) run.ports.charge.answer(userId).catch(() => {});
}

function describeFault(run: LiveRun, error: unknown): FaultRow {
  if (error instanceof ModelError) return toFaultRow(error);
  run.ports.observer.note("agents.turn_fault", { runId: run.context.run.id, error });
  return internalFault();
}
