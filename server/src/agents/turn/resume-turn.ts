import { toUsageRow } from "../model/call-meter.ts";
import { estimateInput } from "../model/estimate-input.ts";
import type { ModelTool, ModelUsage } from "../providers/model-port.ts";
import type { LiveRun } from "../run/live-run.ts";
import type { SuspendedTurn, TurnEnd, WaitingCall } from "../run/turn-state.ts";
import { createFault, type ModelCallRow, type UsageRow } from "../writer/steps.ts";
import { answerCall, type AnswerContext, runCalls } from "./answer-calls.ts";
import { requestOf } from "./ask-model.ts";
import { closeSuspended, hasBegun } from "./finish-turn.ts";
import { trackSuspended, trackTurn } from "./run-progress.ts";
import {
  addMessages,
  continueTurn,
  createAnswerContext,
  prepareConversation,
  runTurnWork,
  takeAnswers,
} from "./run-turn.ts";
import { reviveTurn } from "./suspended-turn.ts";
import { buildToolset } from "./toolset.ts";
import { recordInTurn, type Turn } from "./turn.ts";
import {
  executeTool,
  noteCall,
  rejectCall,
  settleDoubt,
  takeAnswer,
  takeStoredResult,
  toMemberAnswer,
} from "./use-tool.ts";

const LOST = createFault("WORKER_LOST", "The node that made this call went away", true);

/** Continues a turn that waited, or whose node was lost. */
export async function resumeTurn(run: LiveRun, suspended: SuspendedTurn): Promise<TurnEnd> {
  trackSuspended(run, suspended);
  // A turn that ends at once keeps the text that readers have.
  const isRestarted = mayHaveWritten(run, suspended) && !run.signal.aborted;
  const { outcome, agent, messages } = await run.writer.submit({
    op: "resume_turn",
    turn_id: suspended.id,
    agent_id: suspended.agentId,
    ...(isRestarted && { restart: { text: suspended.isWithheld === true ? "" : suspended.text } }),
    history_limit: run.limits.historyLimit + 1,
    ...(suspended.lastSeq !== undefined && { last_seq: suspended.lastSeq }),
  });
  if (outcome !== "started" || agent === undefined) {
    closeSuspended(run, suspended);
    return { kind: "gone" };
  }
  addMessages(run, messages ?? []);
  const turn = reviveTurn(run, suspended, agent);
  trackTurn(run, turn);
  if (run.signal.aborted && turn.isWithheld !== true) turn.text = findText(run, turn.id) ?? turn.text;
  const end = await runTurnWork(run, turn, async () => {
    await prepareConversation(run, turn);
    const toolset = buildToolset(run, turn);
    recordLostCalls(run, turn, { tools: toolset.tools, isRestarted });
    const answering = createAnswerContext(run, turn, toolset);
    const waiting = await runCalls(run, turn, suspended.waiting, (call) => decideCall(answering, call));
    return takeAnswers(run, turn, waiting) ?? (await continueTurn(run, turn));
  });
  // The turns that it waited for have not been resumed.
  if (turn.signal.aborted)
    for (const call of suspended.waiting)
      if (call.kind === "member" && run.turns.get(call.turn.id) === undefined) closeSuspended(run, call.turn);
  return end;
}

/**
 * Whether readers may have text of a model call that is not complete. While calls of tools have no results, the model is not called;
 * what a node did since the run waited is not known.
 */
function mayHaveWritten({ context, progress }: LiveRun, { waiting }: SuspendedTurn): boolean {
  if (context.recovery === null) return false;
  return progress?.seq === undefined || waiting.every(({ kind }) => kind === "answered");
}

function findText({ context }: LiveRun, turnId: string): string | null {
  return context.recovery?.open_turns.find(({ id }) => id === turnId)?.text ?? null;
}

async function decideCall(answering: AnswerContext, waiting: WaitingCall): Promise<WaitingCall> {
  const { run, turn } = answering;
  switch (waiting.kind) {
    case "answered":
      return waiting;
    case "pending":
      return await answerCall(answering, waiting.call);
    case "started":
      return await settleDoubt(run, turn, waiting);
    case "member": {
      const { call, turn: asked } = waiting;
      if (!hasBegun(run, asked)) return await answerCall(answering, call);
      noteCall(turn, { kind: "asking", call, turnId: asked.id });
      return toMemberAnswer(call, await resumeTurn(run, asked));
    }
    case "approval":
    case "question":
    case "wait":
    case "client": {
      const { call, execution } = waiting;
      const decision = run.context.decisions.find(({ id }) => id === execution.id);
      // The node was lost before the run waited for it.
      if (decision === undefined || isNotAbout(waiting, decision)) return waiting;
      if (decision.status !== "running") {
        const code = decision.error?.code ?? "TOOL_DENIED";
        if (code === "APPROVAL_EXPIRED" || code === "CLIENT_TOOL_EXPIRED") turn.hasExpired = true;
        return rejectCall(call, code, decision.error?.message ?? "The call was not approved.");
      }
      if (waiting.kind === "client" || waiting.kind === "wait") return takeStoredResult(run, turn, waiting, decision);
      const tool = turn.agent.tools.find(({ id }) => id === execution.tool_id);
      if (tool === undefined) return rejectCall(call, "TOOL_NOT_FOUND", "The tool is no longer available.");
      if (waiting.kind === "question") return await takeAnswer(run, turn, waiting, { tool, answer: decision.answer });
      return await executeTool(run, turn, call, tool, execution);
    }
  }
}

/** Whether the row of the call is what it was before the run waited, or says how an earlier question was answered. */
function isNotAbout(
  waiting: WaitingCall,
  { status, output, question_id: questionId }: LiveRun["context"]["decisions"][number],
): boolean {
  if (status !== "running") return false;
  if (waiting.kind === "wait") return output === null;
  return waiting.kind === "question" && questionId !== waiting.questions[0]?.id;
}

interface LostCalls {
  readonly tools: readonly ModelTool[];
  /** A call was in progress when the node was lost. */
  readonly isRestarted: boolean;
}

/**
 * Adds the calls that ended with their node to the usage of the turn, because the provider charges them. With a budget, each has a
 * reservation. Their usage is estimated: the input is that of the call that repeats them.
 */
function recordLostCalls(run: LiveRun, turn: Turn, { tools, isRestarted }: LostCalls): void {
  const { recovery, has_budget: hasBudget } = run.context;
  const row = recovery?.open_turns.find(({ id }) => id === turn.id);
  if (recovery === null || row === undefined) return;
  const { inputTokens, charsPerToken } = estimateInput(run.ports, requestOf(run, turn, { tools, toolChoice: "auto" }));
  let outputTokens = Math.ceil(row.lost_chars / charsPerToken);
  const estimate = (): ModelUsage => {
    const usage = { inputTokens, cachedInputTokens: 0, outputTokens, reasoningTokens: 0, isEstimated: true };
    // What was stored belongs to all of them together.
    outputTokens = 0;
    return usage;
  };
  if (!hasBudget) {
    if (isRestarted) for (let call = 0; call < row.lost_calls; call += 1) record(run, turn, estimate(), null);
    return;
  }
  for (const { id, turn_id: turnId, usage } of recovery.reservations) {
    if (turnId !== turn.id || turn.reservationIds.includes(id)) continue;
    const spent = usage === null ? estimate() : toModelUsage(usage);
    const recorded = record(run, turn, spent, id);
    if (usage === null) run.budget.settle([id], recorded);
  }
}

function record(run: LiveRun, turn: Turn, usage: ModelUsage, reservationId: string | null): UsageRow {
  const { ports } = run;
  const { framework } = turn.agent;
  const { model } = ports.models.describe(framework, turn.agent.model);
  const costUsd = ports.models.priceOf(framework, model, usage);
  const usageRow = toUsageRow(usage, costUsd);
  const call: ModelCallRow = {
    id: ports.newId(),
    attempt: 1,
    framework,
    model,
    status: "failed",
    error: LOST,
    finish_reason: null,
    started_at: ports.clock.now().toISOString(),
    first_token_ms: null,
    duration_ms: 0,
    ...usageRow,
  };
  recordInTurn(turn, { spent: { usage, costUsd, framework, model }, reservationId, modelCalls: [call] });
  return usageRow;
}

function toModelUsage(row: UsageRow): ModelUsage {
  return {
    inputTokens: row.input_tokens,
    cachedInputTokens: row.cached_input_tokens,
    outputTokens: row.output_tokens,
    reasoningTokens: row.reasoning_tokens,
    isEstimated: row.estimated,
  };
}
