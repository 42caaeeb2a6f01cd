import { buildContext } from "../context/build-context.ts";
import { createEchoStripper } from "../context/echo-stripper.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { ModelError } from "../providers/model-error.ts";
import type { ModelCall, ModelFinish, ModelTool, ModelToolCall, ModelUsage } from "../providers/model-port.ts";
import { openCallMeter } from "./call-meter.ts";
import type { LiveRun } from "./live-run.ts";
import { say, type Turn, warnOnce } from "./turn.ts";

export interface ModelAnswer {
  readonly calls: readonly ModelToolCall[];
  readonly text: string;
  readonly finish: ModelFinish;
  /** The budget had room for less output than the agent's settings allow. */
  readonly isCutByBudget: boolean;
}

const MIN_CONTEXT_TOKENS = 256;
/** The shortest output limit that a budget may impose: shorter answers are mostly cut off and of no use. */
const LEAST_OUTPUT_TOKENS = 1_024;

/** One call of the model: what it says is shown as it comes. A context that the model finds too long is shortened and sent again. */
export async function callModel(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): Promise<ModelAnswer> {
  const lengthBefore = turn.text.length;
  for (;;) {
    try {
      return await callOnce(run, turn, tools);
    } catch (error) {
      const isTooLong = error instanceof ModelError && error.code === "CONTEXT_LENGTH_EXCEEDED";
      // The newest message always stays: without it the model would answer a question that nobody asked.
      if (!isTooLong || turn.text.length > lengthBefore || turn.contextCount <= 1) throw error;
      shortenContext(run, turn, tools);
    }
  }
}

/** Leaves out the oldest third of the messages, and half of them each further time. */
function shortenContext(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): void {
  const { contextCount: count, contextLimit: limit, messages } = turn;
  turn.contextLimit = limit === null ? count - Math.ceil(count / 3) : Math.floor(count / 2);
  const firstResult = messages.findIndex(({ role }) => role === "tool");
  buildTurnContext(run, turn, tools);
  // What happened since the turn began stays: the calls and their results belong together.
  if (firstResult > 0) turn.messages.push(...messages.slice(firstResult - 1));
}

/** Fills in what the model reads of the swarm. */
export function buildTurnContext(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): void {
  const { models, calibration } = run.ports;
  const { agent } = turn;
  const facts = models.describe(agent.framework, agent.model);
  const ratio = calibration.ratioFor(facts.model);
  // An agent may set more than its model can hold.
  const answerTokens = Math.min(maxTokensOf(run, turn), Math.floor(facts.contextWindow / 2));
  const context = buildContext({
    agent: { id: agent.id, name: agent.name, role: agent.role, systemPrompt: agent.system_prompt },
    participants: [
      ...run.scene.people.map(({ id, name }) => ({ id, name, type: "user" as const })),
      ...run.scene.agents.map(({ id, name, role }) => ({ id, name, type: "agent" as const, role })),
    ],
    messages: withAsked(run, turn),
    historyLimit: turn.contextLimit ?? run.limits.historyLimit,
    tokenBudget: Math.max(
      MIN_CONTEXT_TOKENS,
      facts.contextWindow - answerTokens - estimateTokens(JSON.stringify(tools), ratio),
    ),
    charsPerToken: ratio,
  });
  turn.system = context.system;
  turn.messages = context.messages;
  turn.contextCount = context.messageCount;
  turn.warnings = turn.warnings.filter(({ setting }) => setting !== "context");
  if (context.trimmed !== null && (context.trimmed.reason === "budget" || turn.contextLimit !== null)) {
    const { messageCount } = context.trimmed;
    turn.warnings.push({ setting: "context", message: `left out ${messageCount} older messages`, messageCount });
  }
}

function withAsked(run: LiveRun, { asked }: Turn): LiveRun["transcript"] {
  if (asked === null) return run.transcript;
  return [
    ...run.transcript,
    {
      id: asked.byAgentId,
      seq: (run.transcript.at(-1)?.seq ?? 0) + 1,
      sender_type: "agent",
      sender_id: asked.byAgentId,
      sender_name: asked.byAgentName,
      content: asked.words,
      reply_to_id: null,
      run_id: run.scene.run.id,
    },
  ];
}

function maxTokensOf({ ports }: LiveRun, { agent }: Pick<Turn, "agent">): number {
  return ports.models.maxTokens(agent.framework, agent.model, agent.settings);
}

async function callOnce(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): Promise<ModelAnswer> {
  const { models, calibration } = run.ports;
  const { agent } = turn;
  const facts = models.describe(agent.framework, agent.model);
  const ratio = calibration.ratioFor(facts.model);
  const inputTokens = estimateTokens(turn.system + JSON.stringify(turn.messages) + JSON.stringify(tools), ratio);
  const maxOutputTokens = maxTokensOf(run, turn);
  const meter = await openCallMeter(run, {
    turnId: turn.id,
    framework: agent.framework,
    model: facts.model,
    inputTokens,
    maxOutputTokens,
    // A model that reasons needs room for that before it answers.
    leastOutputTokens: facts.isReasoning
      ? Math.max(LEAST_OUTPUT_TOKENS, Math.ceil(maxOutputTokens / 2))
      : LEAST_OUTPUT_TOKENS,
    charsPerToken: ratio,
    signal: turn.signal,
  });
  const isCutByBudget = meter.maxOutputTokens < maxOutputTokens;
  if (isCutByBudget)
    warnOnce(turn, {
      setting: "max_tokens",
      message: `lowered to ${meter.maxOutputTokens}: the budget has no room for more`,
    });

  const calls: ModelToolCall[] = [];
  const textBefore = turn.text;
  let finish: ModelFinish | null = null;
  turn.stripper = createEchoStripper(agent.name);
  const speak = (delta: string): void => {
    // Blanks alone do not begin a paragraph.
    const isBreak = textBefore !== "" && turn.text === textBefore && delta.trim() !== "";
    say(run, turn, isBreak ? `\n\n${delta.trimStart()}` : turn.text === textBefore ? delta.trimStart() : delta);
  };
  const span = turn.span.startChat({
    framework: agent.framework,
    model: facts.model,
    settings: agent.settings,
    system: turn.system,
    messages: turn.messages,
  });
  const call: ModelCall = {
    framework: agent.framework,
    model: agent.model,
    system: turn.system,
    messages: turn.messages,
    tools: facts.hasTools ? tools : [],
    toolChoice: turn.mustAnswer ? "none" : "auto",
    settings: agent.settings,
    ...(meter.reservationId !== null && { maxOutputTokens: meter.maxOutputTokens }),
    signal: turn.signal,
    agent: { id: agent.id, name: agent.name },
    ...(span.traceparent !== undefined && { traceparent: span.traceparent }),
  };
  let errorType: string | null = null;
  try {
    for await (const event of models.stream(call)) {
      turn.signal.throwIfAborted();
      meter.hear(event);
      switch (event.type) {
        case "start":
          turn.framework = event.framework;
          turn.model = event.model;
          turn.attempts = Math.max(turn.attempts, event.attempt);
          break;
        case "text":
          speak(turn.stripper.push(event.delta));
          break;
        case "reasoning":
          run.ledger.delta("reasoning.delta", turn.source, event.delta);
          break;
        case "tool_call":
          calls.push(event.call);
          break;
        case "warning":
          warnOnce(turn, event.warning);
          break;
        case "finish":
          finish = event.reason;
          // A fallback has its own way to count tokens.
          if (!event.usage.isEstimated && turn.model === facts.model)
            calibration.learn(facts.model, inputTokens, event.usage.inputTokens);
          break;
      }
    }
    speak(turn.stripper.end());
    turn.signal.throwIfAborted();
  } catch (error) {
    errorType = error instanceof ModelError ? error.code : "aborted";
    if (error instanceof ModelError) turn.attempts = Math.max(turn.attempts, error.attempts);
    throw error;
  } finally {
    const spent = meter.close();
    if (spent !== null) {
      if (meter.reservationId !== null) turn.reservationIds.push(meter.reservationId);
      turn.usage = addUsage(turn.usage, spent.usage);
      turn.costUsd = turn.costUsd === null || spent.costUsd === null ? null : turn.costUsd + spent.costUsd;
    }
    span.end({
      errorType,
      model: turn.model,
      ...(spent !== null && { usage: spent.usage }),
      text: turn.text.slice(textBefore.length),
      ...(finish !== null && { finishReason: finish }),
    });
  }
  return { calls, text: turn.text.slice(textBefore.length), finish: finish ?? "other", isCutByBudget };
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
