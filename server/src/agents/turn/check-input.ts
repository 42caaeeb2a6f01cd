import type { TranscriptMessage } from "../context/transcript.ts";
import type { LiveRun } from "../run/live-run.ts";
import type { GuardrailFlag } from "../writer/steps.ts";
import { ModelError } from "../../errors/index.ts";
import { type Asker, subjectOf } from "./asker.ts";
import { type Guardrail, GuardrailFailure, guardrailsOf } from "../guardrails/guardrail.ts";

/** By id of the message: the text that the agent reads instead; null means that the agent does not read the message. */
export type Readings = ReadonlyMap<string, string | null>;

export const NO_READINGS: Readings = new Map();

interface Reader extends Asker {
  /** Whether the agent is about to answer the messages of this run. */
  readonly canStop: boolean;
}

interface InputCheck {
  readonly readings: Readings;
  readonly flags: readonly GuardrailFlag[];
  /** Why the agent must not answer; null when it may. */
  readonly stop: ModelError | null;
  /** The number of older messages that were not checked and are not read. */
  readonly uncheckedCount: number;
}

/** Each message is a call, unless its verdict is cached. Older messages are not read. */
const MAX_ASKED_MESSAGES = 20;
const MAX_CONCURRENT_CHECKS = 4;

/**
 * Checks what an agent reads. A message of this run that is not allowed stops the agent; an earlier one is left out, because the
 * agent would otherwise never answer again in this swarm. So is an earlier one that cannot be checked.
 */
export async function checkInput(
  run: LiveRun,
  messages: readonly TranscriptMessage[],
  reader: Reader,
): Promise<InputCheck> {
  const guardrails = guardrailsOf(run, reader.agent.id, "input");
  const foreign = guardrails.length === 0 ? [] : messages.filter((message) => isForeign(message, reader.agent.id));
  const isAsking = guardrails.some(({ kind }) => kind === "model" || kind === "webhook");
  const unchecked = isAsking ? foreign.slice(0, -MAX_ASKED_MESSAGES) : [];
  const readings = new Map<string, string | null>(unchecked.map(({ id }) => [id, null]));
  const flags: GuardrailFlag[] = [];
  const { id: runId, message_id: askedId } = run.context.run;
  const isCurrent = (message: TranscriptMessage): boolean =>
    reader.canStop && (message.run_id === runId || message.id === askedId);
  const checked = foreign.slice(unchecked.length);
  // Nothing else is asked when the agent must not answer.
  const batches = [checked.filter(isCurrent), ...inBatches(checked.filter((message) => !isCurrent(message)))];
  for (const batch of batches) {
    const results = await Promise.all(batch.map((message) => checkMessage(run, message, guardrails, reader)));
    for (const [index, message] of batch.entries()) {
      const { text, stop, flags: found } = results[index] ?? { text: null, stop: null, flags: [] };
      flags.push(...found);
      if (stop !== null && isCurrent(message)) return { readings, flags, stop, uncheckedCount: 0 };
      if (stop !== null) readings.set(message.id, null);
      else if (text !== message.content) readings.set(message.id, text);
    }
  }
  return { readings, flags, stop: null, uncheckedCount: unchecked.length };
}

/** The messages that an agent may read, in a call in which it does not answer. */
export async function readAllowed(
  run: LiveRun,
  messages: readonly TranscriptMessage[],
  reader: Asker,
): Promise<readonly TranscriptMessage[]> {
  if (run.context.guardrails.length === 0) return messages;
  const { readings } = await checkInput(run, messages, { ...reader, canStop: false });
  return applyReadings(messages, readings);
}

export function applyReadings(
  messages: readonly TranscriptMessage[],
  readings: Readings,
): readonly TranscriptMessage[] {
  if (readings.size === 0) return messages;
  return messages.flatMap((message) => {
    const content = readings.get(message.id);
    if (content === undefined) return [message];
    return content === null ? [] : [{ ...message, content, isComposed: true as const }];
  });
}

/** The agent's own messages are those of its runs. Others in its name come from a call that brings its own conversation. */
function isForeign(message: TranscriptMessage, agentId: string): boolean {
  const { sender_type: type, sender_id: senderId, run_id: runId, content } = message;
  const isOwn = type === "agent" && senderId === agentId && runId !== null;
  return !isOwn && content !== null && content.trim() !== "";
}

interface CheckedMessage {
  readonly text: string | null;
  readonly stop: ModelError | null;
  readonly flags: readonly GuardrailFlag[];
}

async function checkMessage(
  run: LiveRun,
  message: TranscriptMessage,
  guardrails: readonly Guardrail[],
  reader: Reader,
): Promise<CheckedMessage> {
  const flags: GuardrailFlag[] = [];
  // The question of an agent, and an answer of this run that no turn has read yet, are not known as messages.
  const isStored = run.transcript.includes(message) || message.id === run.context.run.message_id;
  const messageId = isStored ? message.id : null;
  const subject = subjectOf(run, reader, messageId);
  let text = message.content ?? "";
  for (const guardrail of guardrails) {
    try {
      const verdict = await run.ports.guardrails.check(guardrail, text, subject);
      if (!verdict.isTripped) continue;
      if (messageId !== null) flags.push(toFlag(messageId, guardrail, verdict.reason));
      if (guardrail.action === "block") return { text, stop: blocked(guardrail, "the message"), flags };
      text = verdict.replacement;
    } catch (error) {
      if (!(error instanceof GuardrailFailure)) throw error;
      return { text, stop: failed(guardrail, error), flags };
    }
  }
  return { text, stop: null, flags };
}

export function toFlag(messageId: string, { id, name }: Guardrail, reason: string): GuardrailFlag {
  return { message_id: messageId, guardrail_id: id, category: name, reason };
}

/** Without the reason: it may quote the text, and every member of the swarm sees the error. */
export function blocked({ name }: Guardrail, what: string): ModelError {
  return new ModelError("GUARDRAIL_BLOCKED", `The guardrail "${name}" blocked ${what}`);
}

export function failed({ name }: Guardrail, { message }: GuardrailFailure): ModelError {
  return new ModelError("GUARDRAIL_FAILED", `The guardrail "${name}" could not be checked: ${message}`, {
    isRetryable: true,
  });
}

/** The latest messages first: these are the most likely to be checked already. */
function inBatches(messages: readonly TranscriptMessage[]): TranscriptMessage[][] {
  const latest = messages.toReversed();
  const count = Math.ceil(latest.length / MAX_CONCURRENT_CHECKS);
  return Array.from({ length: count }, (_, batch) =>
    latest.slice(batch * MAX_CONCURRENT_CHECKS, (batch + 1) * MAX_CONCURRENT_CHECKS),
  );
}
