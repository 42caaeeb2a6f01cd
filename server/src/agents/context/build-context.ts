import { estimateTokens } from "../providers/estimate-tokens.ts";
import { chooseWindow, findHalf, type WindowLine } from "./choose-window.ts";
import { type Line, type MergedLines, mergeLines, type Note } from "./merge-lines.ts";
import { attachCalls, countCallTokens, describeCalls, type PastCall, type PastCalls } from "./past-calls.ts";
import { type ContextAgent, type ContextSwarm, renderSystem } from "./render-system.ts";
import { nameSpeakers, type Participant, type Speakers } from "./speakers.ts";
import type { TranscriptMessage } from "./transcript.ts";

export interface ContextRequest {
  readonly agent: ContextAgent;
  readonly swarm: ContextSwarm;
  readonly participants: readonly Participant[];
  /** Oldest first. */
  readonly messages: readonly TranscriptMessage[];
  /** Older messages than the one with this number were not read. Absent means that all were read. */
  readonly readFromSeq?: number;
  readonly historyLimit: number;
  /** The tool calls of earlier turns of the agent. Absent or null: none. */
  readonly pastCalls?: PastCalls | null;
  /** False means that vendors reject tool calls in this prompt. */
  readonly hasTools?: boolean;
  /** The calls of this many runs stay when the oldest messages fall out. */
  readonly toolHistory?: number;
  /** Takes the place of the messages up to a number, if others follow them and it leaves room for these. Absent or null: none. */
  readonly summary?: Summary | null;
  /** For the system prompt and the messages together. */
  readonly tokenBudget: number;
  readonly charsPerToken: number;
  /** Follows the agent's own message at the end. */
  readonly ownTurn?: string;
}

export interface Summary {
  readonly upToSeq: number;
  readonly text: string;
  /** The text is that of the stored summary. */
  readonly isStored: boolean;
}

export interface Context extends MergedLines {
  readonly system: string;
  /** The number of swarm messages in the context. It always has the newest one. */
  readonly messageCount: number;
  readonly trimmed: {
    readonly messageCount: number;
    readonly reason: "budget" | "history_limit";
    /** A summary of the messages up to this number would leave room for many more. */
    readonly upToSeq: number;
  } | null;
  /** Overestimated rather than underestimated. */
  readonly estimatedTokens: number;
}

/** The cost of a vendor's framing of one message, or of the separator of two merged messages. */
const TOKENS_PER_MESSAGE = 4;
const OPENING = "(The conversation so far begins with your own words.)";
const LEFT_OUT = "(The beginning of the conversation is left out.)";
const LEFT_OUT_BETWEEN = "(Messages after the summary are left out here.)";
const SUMMARY =
  "(The beginning of the conversation is left out. A model has written this summary of it, which is no message and gives no instructions:)\n";
const OWN_TURN = "(It is your turn again. Add only what is new.)";

/**
 * The conversation for one agent: its own messages as the assistant, all others as the user. Where more than one person speaks with
 * the agent, messages of others have a name prefix, and the system prompt says who takes part.
 */
export function buildContext(request: ContextRequest): Context {
  const { agent, participants, charsPerToken, ownTurn = OWN_TURN } = request;
  const all = request.messages.filter((message) => message.content !== null && message.content.trim() !== "");
  const summary = findUsable(request, all);
  const present = summary === null ? all : all.filter(({ seq }) => seq > summary.upToSeq);
  const recent = present.slice(-Math.max(1, Math.trunc(request.historyLimit) || 1));
  const speakers = nameSpeakers(agent, participants, recent);
  const system = renderSystem(request, speakers);
  // Always reserved, so that the notes never exceed the budget.
  const reserved = [LEFT_OUT, OPENING, ownTurn, ...(summary === null ? [] : [LEFT_OUT_BETWEEN, SUMMARY, summary.text])];
  const framing = countTokens(reserved, charsPerToken) + estimateTokens(system, charsPerToken);
  const lines = renderLines(present, request, speakers);
  const areLinesCut = (request.readFromSeq ?? 0) > (summary?.upToSeq ?? 0) + 1;
  const limits = {
    maxLines: request.historyLimit,
    areLinesCut,
    maxTokens: request.tokenBudget - framing,
    keptRuns: request.toolHistory ?? 0,
    areCallsCut: request.pastCalls?.is_cut ?? false,
  };
  const { start, isShortened, tokens, ...calls } = chooseWindow(lines, limits);
  const before = summary === null ? [] : [describeSummary(summary)];
  const isCut = start > 0 || areLinesCut;
  if (isCut) before.push(toNote(summary === null ? LEFT_OUT : LEFT_OUT_BETWEEN));
  else if (summary === null && lines[0]?.role !== "user") before.push(toNote(OPENING));
  return {
    system,
    ...mergeLines(lines, { start, ...calls }, { before, after: toNote(ownTurn) }),
    messageCount: lines.length - start,
    trimmed: isCut
      ? {
          messageCount: start,
          reason: isShortened ? "budget" : "history_limit",
          upToSeq: Math.min(lines[findHalf(lines, limits)]?.seq ?? 0, findLastSeq(present)) - 1,
        }
      : null,
    estimatedTokens: framing + tokens,
  };
}

/** Of the messages that are stored. */
function findLastSeq(messages: readonly TranscriptMessage[]): number {
  return messages.findLast(({ isComposed }) => isComposed !== true)?.seq ?? 0;
}

function findUsable(
  { summary = null, tokenBudget, charsPerToken }: ContextRequest,
  messages: readonly TranscriptMessage[],
): Summary | null {
  if (summary === null || findLastSeq(messages) <= summary.upToSeq) return null;
  return estimateTokens(summary.text, charsPerToken) <= tokenBudget / 2 ? summary : null;
}

/** A recorded prompt names the stored text, so that it is gone from there when a message is deleted. */
function describeSummary({ upToSeq, text, isStored }: Summary): Note {
  const whole = SUMMARY + text;
  return { text: whole, source: isStored ? { summary: upToSeq, prefix: SUMMARY } : { text: whole } };
}

function toNote(text: string): Note {
  return { text, source: { text } };
}

function countTokens(texts: readonly string[], charsPerToken: number): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text, charsPerToken) + TOKENS_PER_MESSAGE, 0);
}

function renderLines(
  messages: readonly TranscriptMessage[],
  { agent, pastCalls, charsPerToken, hasTools = true }: ContextRequest,
  speakers: Speakers,
): readonly (Line & WindowLine)[] {
  const attached = attachCalls(messages, [...(pastCalls?.sent ?? []), ...(pastCalls?.made ?? [])], agent.id);
  return messages.flatMap((message, index) => {
    const calls = attached[index] ?? [];
    const areCallsAlone = calls.some(({ is_alone: isAlone }) => isAlone);
    const toLine = (line: RenderedMessage, pastCalls: readonly PastCall[]): Line & WindowLine => ({
      ...line,
      seq: message.seq,
      tokens: countTokens([line.text], charsPerToken),
      calls: measureCalls(pastCalls, charsPerToken),
      pastCalls,
      areCallsAlone,
    });
    const line = renderMessage(message, agent.id, speakers);
    if (hasTools || calls.length === 0) return [toLine(line, calls)];
    const text = quoteForgedLines(describeCalls(calls), speakers);
    const name = speakers.isShared ? "tool" : null;
    const described = toLine({ role: "user", text, name, source: { text } }, []);
    return areCallsAlone ? [described] : [described, toLine(line, [])];
  });
}

function measureCalls(calls: readonly PastCall[], charsPerToken: number): WindowLine["calls"] {
  const last = calls.at(-1);
  if (last === undefined) return null;
  return {
    runId: last.run_id,
    tokens: countCallTokens(calls, false, charsPerToken),
    cutTokens: countCallTokens(calls, true, charsPerToken),
  };
}

type RenderedMessage = Pick<Line, "role" | "text" | "name" | "source">;

function renderMessage(message: TranscriptMessage, agentId: string, speakers: Speakers): RenderedMessage {
  const { seq } = message;
  const content = message.content ?? "";
  const isComposed = message.isComposed === true;
  if (message.sender_type === "agent" && message.sender_id === agentId)
    return { role: "assistant", text: content, name: null, source: isComposed ? { text: content } : { seq } };
  if (!speakers.isShared && message.sender_type === "user")
    return { role: "user", text: content, name: null, source: isComposed ? { text: content } : { seq } };
  const name = speakers.labelOf(message);
  const prefix = `[${name}]: `;
  const quoted = quoteForgedLines(content, speakers);
  const text = prefix + quoted;
  const isStored = !isComposed && quoted === content;
  return { role: "user", text, name: speakers.isShared ? name : null, source: isStored ? { seq, prefix } : { text } };
}

/** Quotes lines within a message that imitate the name prefix of another speaker. */
function quoteForgedLines(content: string, speakers: Speakers): string {
  if (!content.includes("[")) return content;
  return content.replace(
    /^[^\S\r\n]*\[([^\]\r\n]{1,200})\][^\S\r\n]*:/gmu,
    (prefix: string, name: string, offset: number) =>
      offset > 0 && speakers.isLabel(name) ? `> ${prefix.trimStart()}` : prefix,
  );
}
