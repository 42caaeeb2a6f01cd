import type { Framework } from "@swarmbase/sdk";
import type { Context } from "../context/build-context.ts";
import { estimateTokens } from "../providers/estimate-tokens.ts";
import type { LiveRun } from "../run/live-run.ts";
import type { ModelCallRow } from "../writer/steps.ts";
import type { ModelFinish, ModelMessage, ModelTool, ModelToolCall } from "../providers/model-port.ts";
import type { TurnSpan } from "../tracing.ts";
import { openCallMeter, type Spent, toUsageRow } from "./call-meter.ts";
import { createCallRecorder } from "./call-recorder.ts";
import { recordPrompt, type SentCall } from "./record-prompt.ts";

/** A call of a model whose answer no reader of the swarm sees. */
export interface SideCall {
  /** Null when the call belongs to no turn. */
  readonly turnId: string | null;
  readonly framework: Framework;
  readonly model: string | null;
  readonly agent: { readonly id: string; readonly name: string };
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Of a call whose prompt is recorded. */
  readonly sources?: Context["sources"];
  /** The tool that the model must call; null: it must answer with text. */
  readonly tool: ModelTool | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly maxTokens: number;
  readonly startChat: TurnSpan["startChat"];
}

export interface SideCallRecord {
  /** Null: the call reached no provider. */
  readonly spent: Spent | null;
  /** Null when no budget applies. */
  readonly reservationId: string | null;
  readonly modelCalls: readonly ModelCallRow[];
}

interface SideAnswer {
  readonly text: string;
  readonly call: ModelToolCall | null;
}

/** `record` is called once when the call has ended, also when it failed. Throws BudgetSpent and what the model port throws. */
export async function callBeside(
  run: LiveRun,
  side: SideCall,
  record: (calls: SideCallRecord) => void,
): Promise<SideAnswer> {
  const { models, calibration } = run.ports;
  const { turnId, framework, model, agent, system, messages, tool } = side;
  const { signal } = run;
  const info = models.describe(framework, model);
  const ratio = calibration.ratioFor(info.model);
  // A reasoning model would use up this limit before it answers.
  const settings = { ...side.settings, ...(!info.isReasoning && { max_tokens: side.maxTokens }) };
  const maxOutputTokens = models.maxTokens(framework, model, settings);
  const meter = await openCallMeter(run, {
    turnId,
    framework,
    model: info.model,
    inputTokens: estimateTokens(system + JSON.stringify([messages, tool, settings]), ratio),
    maxOutputTokens,
    minOutputTokens: maxOutputTokens,
    charsPerToken: ratio,
    signal,
  });
  const sent: SentCall = {
    system,
    messages,
    tools: tool !== null && info.hasTools ? [tool] : [],
    toolChoice: tool !== null && info.hasTools ? { tool: tool.name } : "none",
    settings,
    ...(meter.reservationId !== null && { maxOutputTokens: meter.maxOutputTokens }),
  };
  const prompt = side.sources && recordPrompt(sent, side.sources);
  const { startChat } = side;
  const recorder = createCallRecorder(run, { startChat, signal, settings: {}, system, messages, prompt });
  let call: ModelToolCall | null = null;
  let text = "";
  let finish: ModelFinish | null = null;
  let fault: unknown = null;
  try {
    const stream = models.stream({
      framework,
      model,
      ...sent,
      signal,
      agent,
      attempts: recorder,
    });
    for await (const event of stream) {
      meter.observe(event);
      recorder.observe(event);
      if (event.type === "tool_call") call ??= event.call;
      else if (event.type === "text") text += event.delta;
      else if (event.type === "finish") finish = event.reason;
    }
    return { text, call };
  } catch (error) {
    fault = error;
    throw error;
  } finally {
    const spent = meter.close();
    const modelCalls = recorder.close({ finish, error: fault, spent, text });
    record({ spent, reservationId: spent === null ? null : meter.reservationId, modelCalls });
  }
}

/** Records calls that belong to no turn. */
export function recordAlone(run: LiveRun, agentId: string, { spent, reservationId, modelCalls }: SideCallRecord): void {
  if (modelCalls.length > 0)
    void run.writer.submit({ op: "add_model_calls", turn_id: null, model_agent_id: agentId, model_calls: modelCalls });
  if (spent === null) return;
  void run.writer.submit({
    op: "add_usage",
    id: run.ports.newId(),
    agent_id: agentId,
    framework: spent.framework,
    model: spent.model,
    payer_id: run.context.payer_id,
    usage: toUsageRow(spent.usage, spent.costUsd),
  });
  // Recorded in the same transaction, so that it counts once.
  if (reservationId !== null) run.budget.settle([reservationId], null);
}
