import { AGENT_SETTINGS } from "@swarmbase/sdk";
import { buildContext, type Summary } from "../context/build-context.ts";
import type { PastCalls } from "../context/past-calls.ts";
import type { ContextSwarm } from "../context/render-system.ts";
import type { Participant } from "../context/speakers.ts";
import type { TranscriptMessage } from "../context/transcript.ts";
import { renderExtras } from "../model/estimate-input.ts";
import { countRecorded } from "../model/record-prompt.ts";
import { estimateTokens } from "../providers/estimate-tokens.ts";
import type { ModelMessage, ModelTool } from "../providers/model-port.ts";
import { grantOf, type LiveRun } from "../run/live-run.ts";
import type { QuestionRow } from "../writer/steps.ts";
import { applyReadings } from "./check-input.ts";
import { listLed } from "./toolset.ts";
import type { Turn } from "./turn.ts";

const MIN_CONTEXT_TOKENS = 256;

/** Leaves out the oldest third of the messages, and half of them each further time. */
export function shortenContext(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): void {
  const { contextCount: count, contextLimit: limit } = turn;
  turn.contextLimit = limit === null ? count - Math.ceil(count / 3) : Math.floor(count / 2);
  buildTurnContext(run, turn, tools);
}

/** Builds the context of the turn from the messages of the swarm. The tool calls of the turn, their results and a request to repair the answer stay. */
export function buildTurnContext(run: LiveRun, turn: Turn, tools: readonly ModelTool[]): void {
  const { models, calibration } = run.ports;
  const { agent } = turn;
  const info = models.describe(agent.framework, agent.model);
  const hasTools = tools.length > 0 && info.hasTools;
  const ratio = calibration.ratioFor(info.model);
  // The setting of an agent can exceed the context window of its model.
  const answerTokens = Math.min(
    models.maxTokens(agent.framework, agent.model, agent.settings),
    Math.floor(info.contextWindow / 2),
  );
  const context = buildContext({
    agent: {
      ...agent,
      systemPrompt: agent.system_prompt,
      leads: listLed(run, turn).map(({ id, name, role }) => ({ id, name, role, type: "agent" })),
    },
    swarm: swarmFor(run, agent),
    participants: participantsFor(run, agent.id),
    messages: applyReadings(transcriptOf(run, turn), turn.readings),
    ...(run.transcript.length > run.limits.historyLimit && { readFromSeq: run.transcript[0]?.seq ?? 0 }),
    historyLimit: turn.contextLimit ?? run.limits.historyLimit,
    summary: summaryFor(turn),
    pastCalls: pastCallsFor(turn, hasTools),
    hasTools,
    toolHistory: toolHistoryOf(turn),
    tokenBudget: Math.max(
      MIN_CONTEXT_TOKENS,
      info.contextWindow - answerTokens - estimateTokens(renderExtras(tools, agent.settings), ratio),
    ),
    charsPerToken: ratio,
  });
  turn.system = context.system;
  const own = turn.messages.slice(turn.contextLength);
  turn.messages = [...(run.images.length === 0 ? context.messages : markLastUser(context.messages)), ...own];
  turn.contextCount = context.messageCount;
  turn.contextLength = context.messages.length;
  turn.sources = context.sources;
  turn.promptedCount = countRecorded(turn, turn);
  turn.leftOut = context.trimmed;
  turn.warnings = turn.warnings.filter(({ setting }) => setting !== "context");
  if (context.trimmed !== null && (context.trimmed.reason === "budget" || turn.contextLimit !== null)) {
    const { messageCount } = context.trimmed;
    turn.warnings.push({ setting: "context", message: `left out ${messageCount} older messages`, messageCount });
  }
}

/** The context ends with a user's message. */
function markLastUser(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 && message.role === "user" ? { ...message, showsImages: true } : message,
  );
}

/** The id of the summary among the messages that guardrails check. */
export function summaryIdOf({ up_to_seq: upToSeq }: NonNullable<Turn["summary"]>): string {
  return `summary ${upToSeq}`;
}

/** The summary as the agent may read it. */
export function summaryFor({ summary, readings }: Turn): Summary | null {
  const reading = summary === null ? null : readings.get(summaryIdOf(summary));
  if (summary === null || reading === null) return null;
  return { upToSeq: summary.up_to_seq, text: reading ?? summary.text, isStored: reading === undefined };
}

function toolHistoryOf({ agent }: Turn): number {
  const { tool_history: count } = agent.settings;
  return typeof count === "number" ? count : AGENT_SETTINGS.tool_history.default;
}

/** Without tools, or without a history, there are only those that the caller has sent. */
function pastCallsFor(turn: Turn, hasTools: boolean): PastCalls | null {
  const past = turn.agent.past_calls;
  if (past === null || (hasTools && toolHistoryOf(turn) > 0)) return past;
  return { ...past, made: [], is_cut: false };
}

/** The messages of the swarm as the agent of a turn reads them: with the questions that it was asked, and the reason of a handoff. */
export function transcriptOf(run: LiveRun, turn: Turn): readonly TranscriptMessage[] {
  const { agent, asked } = turn;
  const read =
    run.questions.size === 0
      ? run.transcript
      : run.transcript.flatMap((message) => {
          const question = message.sender_id === agent.id ? run.questions.get(message.id) : undefined;
          return question === undefined ? [message] : [compose(run, question, message.seq), message];
        });
  const last = asked ?? findHandoff(run, agent.id);
  return last === null ? read : [...read, compose(run, last, (run.transcript.at(-1)?.seq ?? 0) + 1)];
}

/** What the agent that handed over says to the next one. Null means that the turn does not follow a handoff with a reason. */
function findHandoff({ finished, context }: LiveRun, agentId: string): QuestionRow | null {
  const last = finished.at(-1);
  if (last?.handoffTo !== agentId || !last.handoffReason) return null;
  const name = context.agents.find(({ id }) => id === last.agentId)?.name ?? "agent";
  return {
    by_agent_id: last.agentId,
    by_agent_name: name,
    message: `(hands the conversation over to you) ${last.handoffReason}`,
  };
}

function compose({ context }: LiveRun, question: QuestionRow, seq: number): TranscriptMessage {
  return {
    id: `${seq}:${question.by_agent_id}`,
    seq,
    sender_type: "agent",
    sender_id: question.by_agent_id,
    sender_name: question.by_agent_name,
    content: question.message,
    run_id: context.run.id,
    isComposed: true,
  };
}

/** Who takes part, as an agent is told. The roles of other agents are texts of their owners, as in `swarmFor`. */
export function participantsFor({ context }: LiveRun, agentId: string): readonly Participant[] {
  const isByGrant = grantOf(context, agentId) !== null;
  return [
    ...context.people.map(({ id, name }) => ({ id, name, type: "user" as const })),
    ...context.agents.map(({ id, name, role }) => ({
      id,
      name,
      type: "agent" as const,
      role: isByGrant && id !== agentId ? null : role,
    })),
  ];
}

/**
 * What an agent is told about the swarm. The preamble of the owner is for the owner's agents alone, and an agent that answers by a
 * grant is instructed by nobody but its owner.
 */
export function swarmFor({ context }: LiveRun, agent: { readonly id: string; readonly user_id: string }): ContextSwarm {
  const { swarm } = context;
  if (grantOf(context, agent.id) !== null) return { name: "", description: null, preamble: null };
  const { preamble } = swarm.settings;
  return { ...swarm, preamble: agent.user_id === swarm.owner_id && typeof preamble === "string" ? preamble : null };
}
