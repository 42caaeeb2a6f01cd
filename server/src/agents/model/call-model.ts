import type { ModelCall, ModelEvent, ModelFinish, ModelToolCall } from "../providers/model-port.ts";
import { grantOf, type LiveRun, payerOf } from "../run/live-run.ts";
import type { TurnSpan } from "../tracing.ts";
import type { ModelCallRow } from "../writer/steps.ts";
import { openCallMeter, type Spent } from "./call-meter.ts";
import { createCallRecorder } from "./call-recorder.ts";
import { estimateInput } from "./estimate-input.ts";
import type { RecordedPrompt } from "./record-prompt.ts";

/** On whose behalf a model is called. */
export interface ModelCaller {
  readonly agent: { readonly id: string; readonly name: string };
  /** Null when the call belongs to no turn. */
  readonly turnId: string | null;
  readonly startChat: TurnSpan["startChat"];
  /** Called once when a call has ended, also when it failed. */
  record(calls: CallRecord): void;
}

export interface CallRecord {
  /** Null means that the call reached no provider. */
  readonly spent: Spent | null;
  /** Null when no budget applies. */
  readonly reservationId: string | null;
  readonly modelCalls: readonly ModelCallRow[];
}

/** A call of a model in a run. */
export interface RunCall {
  readonly caller: ModelCaller;
  readonly request: Omit<ModelCall, "agent" | "attempts" | "maxOutputTokens">;
  /** The output limit of an answer that no reader of the swarm sees. Null means that of the settings, which a budget may lower. */
  readonly answerTokens: number | null;
  /** Called when the budget allows the call. Returns what is recorded of the prompt. */
  describePrompt(sent: ModelCall, isCutByBudget: boolean): RecordedPrompt | undefined;
  readonly reader: AnswerReader;
}

export interface AnswerReader {
  /** The text of the answer so far. */
  readonly text: string;
  read(event: ModelEvent): void;
  /** Called after the last event of an answer. */
  end(): void;
}

/** The shortest output limit that a budget may impose: shorter answers are mostly cut off and of no use. */
const MIN_OUTPUT_TOKENS = 1_024;

/** The only path to a model. Throws BudgetSpent, RunStop, the reason of the signal, and what the model port throws. */
export async function callModel(run: LiveRun, call: RunCall): Promise<ModelFinish> {
  run.assertHeld();
  const { caller, request, answerTokens, reader } = call;
  const { models, calibration } = run.ports;
  const { framework, model, system, messages, tools, toolChoice, signal } = request;
  const info = models.describe(framework, model);
  const hasOwnLimit = answerTokens !== null;
  // A reasoning model would use up this limit before it answers.
  const settings =
    hasOwnLimit && !info.isReasoning ? { ...request.settings, max_tokens: answerTokens } : request.settings;
  const { inputTokens, imageTokens, charsPerToken } = estimateInput(run.ports, request);
  const maxOutputTokens = models.maxTokens(framework, model, settings);
  // A reasoning model needs output tokens before it answers.
  const minOutputTokens = info.isReasoning
    ? Math.max(MIN_OUTPUT_TOKENS, Math.ceil(maxOutputTokens / 2))
    : MIN_OUTPUT_TOKENS;
  const meter = await openCallMeter(run, {
    turnId: caller.turnId,
    payerId: payerOf(run.context, caller.agent.id),
    grantId: grantOf(run.context, caller.agent.id),
    framework,
    model: info.model,
    inputTokens,
    maxOutputTokens,
    minOutputTokens: hasOwnLimit ? maxOutputTokens : minOutputTokens,
    charsPerToken,
    signal,
  });
  const sent: ModelCall = {
    framework,
    model,
    system,
    messages,
    tools: info.hasTools ? tools : [],
    toolChoice: info.hasTools || toolChoice === "auto" ? toolChoice : "none",
    settings,
    signal,
    agent: { id: caller.agent.id, name: caller.agent.name },
    ...(meter.reservationId !== null && { maxOutputTokens: meter.maxOutputTokens }),
  };
  const recorder = createCallRecorder(run, {
    startChat: caller.startChat,
    signal,
    settings: hasOwnLimit ? {} : settings,
    system,
    messages,
    prompt: call.describePrompt(sent, meter.maxOutputTokens < maxOutputTokens),
  });
  let answeredBy = info.model;
  let finish: ModelFinish | null = null;
  let fault: unknown = null;
  try {
    for await (const event of models.stream({ ...sent, attempts: recorder })) {
      signal.throwIfAborted();
      meter.observe(event);
      recorder.observe(event);
      reader.read(event);
      if (event.type === "start") answeredBy = event.model;
      if (event.type !== "finish") continue;
      finish = event.reason;
      // A fallback counts tokens in another way, and images are not counted by characters.
      if (!hasOwnLimit && !event.usage.isEstimated && answeredBy === info.model && imageTokens === 0)
        calibration.learn(info.model, inputTokens, event.usage.inputTokens);
    }
    reader.end();
    signal.throwIfAborted();
    return finish ?? "other";
  } catch (error) {
    fault = error;
    throw error;
  } finally {
    const spent = meter.close();
    const modelCalls = recorder.close({ finish, error: fault, spent, text: reader.text });
    caller.record({ spent, reservationId: meter.reservationId, modelCalls });
  }
}

/** For an answer that is read as a whole. */
export function createAnswerCollector(): AnswerReader & { readonly call: ModelToolCall | null } {
  let text = "";
  let call: ModelToolCall | null = null;
  return {
    get text() {
      return text;
    },
    get call() {
      return call;
    },
    read(event) {
      if (event.type === "text") text += event.delta;
      else if (event.type === "tool_call") call ??= event.call;
    },
    end() {},
  };
}
