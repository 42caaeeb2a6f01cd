import { buildContext } from "../context/build-context.ts";
import { createEchoStripper } from "../context/echo-stripper.ts";
import { estimateTokens } from "../providers/estimate-tokens.ts";
import { participantsOf, swarmFor, transcriptOf } from "../turn/run-transcript.ts";
import { ModelError } from "../../errors/index.ts";
import type { ModelCall, ModelFinish, ModelTool, ModelToolCall, ModelUsage } from "../providers/model-port.ts";
import type { SideCallRecord } from "./call-beside.ts";
import { type CallMeter, openCallMeter } from "./call-meter.ts";
import { type CallRecorder, createCallRecorder } from "./call-recorder.ts";
import { recordTurnPrompt, type SentCall } from "./record-prompt.ts";
import type { LiveRun } from "../run/live-run.ts";
import { applyReadings } from "../turn/check-input.ts";
import { responseSchemaOf } from "../schemas/response-schema.ts";
import { listLed } from "../turn/toolset.ts";
import { measureMessages } from "../turn/turn-images.ts";
import { emitText, type Turn, warnOnce } from "../turn/turn.ts";

export interface ModelAnswer {
  readonly calls: readonly ModelToolCall[];
  readonly text: string;
  readonly finish: ModelFinish;
  /** The budget lowered the output limit of the agent's settings. */
  readonly isCutByBudget: boolean;
}

const MIN_CONTEXT_TOKENS = 256;
/** The shortest output limit that a budget may impose: shorter answers are mostly cut off and of no use. */
const MIN_OUTPUT_TOKENS = 1_024;

/** Calls the model and streams its text. Shortens the context and calls again when the model rejects it as too long. */
export async function callModel(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): Promise<ModelAnswer> {
  const lengthBefore = turn.text.length;
  for (;;) {
    try {
      return await callOnce(run, turn, tools);
    } catch (error) {
      const isTooLong = error instanceof ModelError && error.code === "CONTEXT_LENGTH_EXCEEDED";
      // The newest message always stays: it is the one to be answered.
      if (!isTooLong || turn.text.length > lengthBefore || turn.contextCount <= 1) throw error;
      shortenContext(run, turn, tools);
    }
  }
}

/** Leaves out the oldest third of the messages, and half of them each further time. */
function shortenContext(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): void {
  const { contextCount: count, contextLimit: limit } = turn;
  turn.contextLimit = limit === null ? count - Math.ceil(count / 3) : Math.floor(count / 2);
  // The tool calls of this turn, their results and a request to repair the answer stay.
  const own = turn.messages.slice(turn.contextLength);
  buildTurnContext(run, turn, tools);
  turn.messages.push(...own);
}

/** Builds the context of the turn from the messages of the swarm. */
export function buildTurnContext(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): void {
  const { models, calibration } = run.ports;
  const { agent } = turn;
  const info = models.describe(agent.framework, agent.model);
  const ratio = calibration.ratioFor(info.model);
  // The setting of an agent can exceed the context window of its model.
  const answerTokens = Math.min(maxTokensOf(run, turn), Math.floor(info.contextWindow / 2));
  const context = buildContext({
    agent: {
      ...agent,
      systemPrompt: agent.system_prompt,
      leads: listLed(run, turn).map(({ id, name, role }) => ({ id, name, role, type: "agent" })),
    },
    swarm: swarmFor(run, agent),
    participants: participantsOf(run),
    messages: applyReadings(transcriptOf(run, turn), turn.readings),
    historyLimit: turn.contextLimit ?? run.limits.historyLimit,
    tokenBudget: Math.max(
      MIN_CONTEXT_TOKENS,
      info.contextWindow - answerTokens - estimateTokens(renderExtras(turn, tools), ratio),
    ),
    charsPerToken: ratio,
  });
  turn.system = context.system;
  turn.messages = context.messages;
  turn.contextCount = context.messageCount;
  turn.contextLength = context.messages.length;
  turn.sources = context.sources;
  turn.promptedCount = 0;
  turn.warnings = turn.warnings.filter(({ setting }) => setting !== "context");
  if (context.trimmed !== null && (context.trimmed.reason === "budget" || turn.contextLimit !== null)) {
    const { messageCount } = context.trimmed;
    turn.warnings.push({ setting: "context", message: `left out ${messageCount} older messages`, messageCount });
  }
}

/** What a call sends in addition to the conversation. */
function renderExtras({ agent }: Turn, tools: readonly ModelTool[]): string {
  return JSON.stringify([tools, responseSchemaOf(agent.settings)]);
}

function maxTokensOf({ ports }: LiveRun, { agent }: Pick<Turn, "agent">): number {
  return ports.models.maxTokens(agent.framework, agent.model, agent.settings);
}

/** A call that is about to be made, reserved in the budget. */
interface PreparedCall {
  readonly call: ModelCall;
  readonly meter: CallMeter;
  readonly recorder: CallRecorder;
  /** The id of the model, also when the agent uses the default of the provider. */
  readonly model: string;
  readonly inputTokens: number;
  readonly hasImages: boolean;
  readonly isCutByBudget: boolean;
  /** The text of the turn before this call. */
  readonly textBefore: string;
}

async function callOnce(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): Promise<ModelAnswer> {
  const prepared = await prepareCall(run, turn, tools);
  const answer: StreamedAnswer = { calls: [], finish: null };
  try {
    await readAnswer(run, turn, prepared, answer);
  } catch (error) {
    if (error instanceof ModelError) turn.attempts = Math.max(turn.attempts, error.attempts);
    closeCall(turn, prepared, answer.finish, error);
    throw error;
  }
  closeCall(turn, prepared, answer.finish, null);
  const { textBefore, isCutByBudget } = prepared;
  return {
    calls: answer.calls,
    text: turn.text.slice(textBefore.length),
    finish: answer.finish ?? "other",
    isCutByBudget,
  };
}

interface InputEstimate {
  readonly inputTokens: number;
  readonly imageTokens: number;
  readonly charsPerToken: number;
}

/** The input of the next call of the turn. */
export function estimateInput({ ports }: LiveRun, turn: Turn, tools: readonly ModelTool[]): InputEstimate {
  const info = ports.models.describe(turn.agent.framework, turn.agent.model);
  const charsPerToken = ports.calibration.ratioFor(info.model);
  const { text: messagesText, imageTokens } = measureMessages(turn.messages);
  const text = turn.system + messagesText + renderExtras(turn, tools);
  return { inputTokens: estimateTokens(text, charsPerToken) + imageTokens, imageTokens, charsPerToken };
}

async function prepareCall(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): Promise<PreparedCall> {
  run.assertHeld();
  const { models } = run.ports;
  const { agent } = turn;
  const info = models.describe(agent.framework, agent.model);
  const { inputTokens, imageTokens, charsPerToken } = estimateInput(run, turn, tools);
  const maxOutputTokens = maxTokensOf(run, turn);
  const meter = await openCallMeter(run, {
    turnId: turn.id,
    framework: agent.framework,
    model: info.model,
    inputTokens,
    maxOutputTokens,
    // A reasoning model needs output tokens before it answers.
    minOutputTokens: info.isReasoning ? Math.max(MIN_OUTPUT_TOKENS, Math.ceil(maxOutputTokens / 2)) : MIN_OUTPUT_TOKENS,
    charsPerToken,
    signal: turn.signal,
  });
  const isCutByBudget = meter.maxOutputTokens < maxOutputTokens;
  if (isCutByBudget)
    warnOnce(turn, {
      setting: "max_tokens",
      message: `lowered to ${meter.maxOutputTokens}: the budget does not allow more`,
    });
  const sent: SentCall = {
    system: turn.system,
    messages: turn.messages,
    tools: info.hasTools ? tools : [],
    toolChoice: turn.mustAnswer || turn.isRepairing ? "none" : "auto",
    settings: agent.settings,
    ...(meter.reservationId !== null && { maxOutputTokens: meter.maxOutputTokens }),
  };
  const recorder = createCallRecorder(run, {
    startChat: turn.span.startChat,
    signal: turn.signal,
    settings: agent.settings,
    system: turn.system,
    messages: turn.messages,
    prompt: recordTurnPrompt(turn, sent),
  });
  const call: ModelCall = {
    framework: agent.framework,
    model: agent.model,
    ...sent,
    signal: turn.signal,
    agent: { id: agent.id, name: agent.name },
    attempts: recorder,
  };
  const { model } = info;
  const hasImages = imageTokens > 0;
  return { call, meter, recorder, model, inputTokens, hasImages, isCutByBudget, textBefore: turn.text };
}

interface StreamedAnswer {
  readonly calls: ModelToolCall[];
  finish: ModelFinish | null;
}

/** Emits the text as it arrives, and collects the rest in `answer`. */
async function readAnswer(run: LiveRun, turn: Turn, prepared: PreparedCall, answer: StreamedAnswer): Promise<void> {
  const { models, calibration } = run.ports;
  const { call, meter, recorder, model, inputTokens, textBefore } = prepared;
  turn.stripper = createEchoStripper(turn.agent.name);
  for await (const event of models.stream(call)) {
    turn.signal.throwIfAborted();
    meter.observe(event);
    recorder.observe(event);
    switch (event.type) {
      case "start":
        turn.framework = event.framework;
        turn.model = event.model;
        turn.attempts = Math.max(turn.attempts, event.attempt);
        break;
      case "text":
        emitParagraph(run, turn, textBefore, turn.stripper.push(event.delta));
        break;
      case "reasoning":
        if (turn.isWithheld !== true) run.writer.delta("reasoning.delta", turn.source, event.delta);
        break;
      case "tool_call":
        answer.calls.push(event.call);
        break;
      case "warning":
        warnOnce(turn, event.warning);
        break;
      case "finish":
        answer.finish = event.reason;
        // A fallback counts tokens in another way, and images are not counted by characters.
        if (!event.usage.isEstimated && turn.model === model && !prepared.hasImages)
          calibration.learn(model, inputTokens, event.usage.inputTokens);
        break;
    }
  }
  emitParagraph(run, turn, textBefore, turn.stripper.end());
  turn.signal.throwIfAborted();
}

/** Separates the text of this call from earlier text. White space alone does not begin a paragraph. */
function emitParagraph(run: LiveRun, turn: Turn, textBefore: string, delta: string): void {
  if (turn.text !== textBefore) return emitText(run, turn, delta);
  const isBreak = textBefore !== "" && delta.trim() !== "";
  emitText(run, turn, isBreak ? `\n\n${delta.trimStart()}` : delta.trimStart());
}

/** Settles the call in the budget and in the turn, and records it. */
function closeCall(
  turn: Turn,
  { meter, recorder, textBefore }: PreparedCall,
  finish: ModelFinish | null,
  error: unknown,
): void {
  const spent = meter.close();
  const modelCalls = recorder.close({ finish, error, spent, text: turn.text.slice(textBefore.length) });
  recordInTurn(turn, { spent, reservationId: meter.reservationId, modelCalls });
}

/** The end of the turn records the usage of all its calls together. */
export function recordInTurn(turn: Turn, { spent, reservationId, modelCalls }: SideCallRecord): void {
  if (spent !== null) {
    if (reservationId !== null) turn.reservationIds.push(reservationId);
    turn.usage = addUsage(turn.usage, spent.usage);
    turn.costUsd = turn.costUsd === null || spent.costUsd === null ? null : turn.costUsd + spent.costUsd;
  }
  turn.modelCalls.push(...modelCalls);
}

function addUsage(one: ModelUsage | null, other: ModelUsage): ModelUsage {
  if (one === null) return other;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    isEstimated: one.isEstimated || other.isEstimated,
  };
}
