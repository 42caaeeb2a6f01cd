import type { PromptPart } from "@swarmbase/sdk";
import type { ModelMessage } from "../providers/model-port.ts";
import { estimateTokens } from "../providers/estimate-tokens.ts";
import { type ContextAgent, type ContextSwarm, renderSystem } from "./render-system.ts";
import { nameSpeakers, type Participant, type Speakers } from "./speakers.ts";
import type { TranscriptMessage } from "./transcript.ts";

export interface ContextRequest {
  readonly agent: ContextAgent;
  readonly swarm: ContextSwarm;
  readonly participants: readonly Participant[];
  /** Oldest first. */
  readonly messages: readonly TranscriptMessage[];
  readonly historyLimit: number;
  /** For the system prompt and the messages together. */
  readonly tokenBudget: number;
  readonly charsPerToken: number;
  /** Follows the agent's own message at the end. */
  readonly ownTurn?: string;
}

export interface Context {
  readonly system: string;
  /** Begins and ends with a user's message, and roles alternate, as every vendor accepts. */
  readonly messages: ModelMessage[];
  /** For each of the messages, what it consists of. */
  readonly sources: readonly (readonly PromptPart[])[];
  /** The number of swarm messages in the context. It always has the newest one. */
  readonly messageCount: number;
  readonly trimmed: { readonly messageCount: number; readonly reason: "budget" | "history_limit" } | null;
  /** Overestimated rather than underestimated. */
  readonly estimatedTokens: number;
}

interface Line {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Of the author; null for own messages, and where only one person speaks with the agent. */
  readonly name: string | null;
  readonly source: PromptPart;
}

/** The cost of a vendor's framing of one message, or of the separator of two merged messages. */
const TOKENS_PER_MESSAGE = 4;
const SEPARATOR = "\n\n";
const OPENING = "(The conversation so far begins with your own words.)";
const OWN_TURN = "(It is your turn again. Add only what is new.)";

/**
 * The conversation for one agent: its own messages as the assistant, all others as the user. Where more than one person speaks with
 * the agent, messages of others have a name prefix, and the system prompt says who takes part.
 */
export function buildContext(request: ContextRequest): Context {
  const { agent, participants, charsPerToken, ownTurn = OWN_TURN } = request;
  const present = request.messages.filter((message) => message.content !== null && message.content.trim() !== "");
  const recent = present.slice(-Math.max(1, Math.trunc(request.historyLimit) || 1));
  const speakers = nameSpeakers(agent, participants, recent);
  const system = renderSystem(request, speakers);

  const lines: Line[] = [];
  let estimatedTokens = estimateTokens(system, charsPerToken) + framingCost(ownTurn, charsPerToken);
  for (const message of recent.toReversed()) {
    const line = renderLine(message, agent.id, speakers);
    const tokens = estimateTokens(line.text, charsPerToken) + TOKENS_PER_MESSAGE;
    if (lines.length > 0 && estimatedTokens + tokens > request.tokenBudget) break;
    estimatedTokens += tokens;
    lines.push(line);
  }

  const droppedCount = present.length - lines.length;
  const reason = lines.length < recent.length ? "budget" : "history_limit";
  return {
    system,
    ...mergeLines(lines.reverse(), ownTurn),
    messageCount: lines.length,
    trimmed: droppedCount > 0 ? { messageCount: droppedCount, reason } : null,
    estimatedTokens,
  };
}

/** Always reserved, so that the two notes never exceed the budget. */
function framingCost(ownTurn: string, charsPerToken: number): number {
  return estimateTokens(OPENING, charsPerToken) + estimateTokens(ownTurn, charsPerToken) + 2 * TOKENS_PER_MESSAGE;
}

function renderLine(message: TranscriptMessage, agentId: string, speakers: Speakers): Line {
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

function mergeLines(lines: readonly Line[], ownTurn: string): Pick<Context, "messages" | "sources"> {
  const merged: { role: "user" | "assistant"; content: string; starts?: number[]; names?: string[] }[] = [];
  const sources: PromptPart[][] = [];
  const note = (content: string): void => {
    // A note is not a message of the swarm, so it has no starts.
    merged.push({ role: "user", content, starts: [] });
    sources.push([{ text: content }]);
  };
  if (lines[0]?.role !== "user") note(OPENING);
  for (const { role, text, name, source } of lines) {
    const last = merged.at(-1);
    if (last?.role === role) {
      last.starts ??= [0];
      last.starts.push(last.content.length + SEPARATOR.length);
      last.content += SEPARATOR + text;
      if (name !== null) last.names?.push(name);
      sources.at(-1)?.push(source);
    } else {
      merged.push({ role, content: text, ...(name !== null && { names: [name] }) });
      sources.push([source]);
    }
  }
  if (merged.at(-1)?.role === "assistant") note(ownTurn);
  return { messages: merged, sources };
}
