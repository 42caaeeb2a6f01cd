import { estimateTokens } from "../providers/estimate-tokens.ts";
import type { ModelMessage, ModelToolCall } from "../providers/model-port.ts";
import { cutAtCharacter } from "./speaker-label.ts";
import type { TranscriptMessage } from "./transcript.ts";

/** A tool call of an earlier turn of the agent, or one that the caller has sent with its conversation. */
export interface PastCall {
  readonly id: string;
  /** Null means that the caller has sent it. */
  readonly run_id: string | null;
  /** Of the answer of the turn; null means that it has none. */
  readonly message_id: string | null;
  /** Of a turn without an answer: the message that it did not answer. */
  readonly asked_id: string | null;
  /** Of a call that the caller has sent: the number of the message after it. */
  readonly seq?: number;
  /** Of a call that the caller has sent: the message after it says nothing else. */
  readonly is_alone?: boolean;
  readonly name: string;
  /** JSON; null when it is no longer stored. */
  readonly input: string | null;
  /** Null when it is no longer stored. */
  readonly output: string | null;
  readonly is_error: boolean;
  /** The tool acts for the starter of the run. */
  readonly is_private: boolean;
}

export interface PastCalls {
  /** The newest ones of the agent, oldest first. */
  readonly made: readonly PastCall[];
  /** The agent has made older ones. */
  readonly is_cut: boolean;
  /** Those that callers have sent, oldest first. */
  readonly sent: readonly PastCall[];
}

const HEAD_CHARS = 400;
const EXPIRED = "(The result is no longer stored.)";
/** The cost of a vendor's framing of a call and its result. */
const TOKENS_PER_CALL = 12;

/** The calls of one turn as model messages: one message with all calls, then their results. */
export function renderCalls(
  calls: readonly PastCall[],
  isCut: boolean,
): { readonly toolCalls: readonly ModelToolCall[]; readonly results: readonly ModelMessage[] } {
  return {
    toolCalls: calls.map((call) => ({
      id: idOf(call),
      name: call.name,
      inputText: inputOf(call, isCut),
      ...referTo(call),
    })),
    results: calls.map((call) => ({
      role: "tool",
      toolCallId: idOf(call),
      toolName: call.name,
      output: outputOf(call, isCut),
      isError: call.is_error,
      ...referTo(call),
    })),
  };
}

/** What the caller has sent has no row of an execution. */
function referTo({ id, run_id: runId }: PastCall): { readonly executionId?: string } {
  return runId === null ? {} : { executionId: id };
}

/**
 * For each message, the calls that stand before it: those of the turn that it ended, of turns before that have no answer, and those that
 * the caller has sent.
 */
export function attachCalls(
  messages: readonly TranscriptMessage[],
  calls: readonly PastCall[],
  agentId: string,
): readonly (readonly PastCall[])[] {
  if (calls.length === 0) return [];
  const byAnswer = Map.groupBy(calls, ({ message_id: id }) => id);
  const byQuestion = Map.groupBy(calls, ({ asked_id: id }) => id);
  const bySeq = Map.groupBy(calls, ({ seq }) => seq);
  let unanswered: readonly PastCall[] = [];
  return messages.map(({ id, seq, sender_id: senderId }) => {
    const own = senderId === agentId ? (byAnswer.get(id) ?? []) : [];
    const attached = [...unanswered, ...(bySeq.get(seq) ?? []), ...own];
    unanswered = byQuestion.get(id) ?? [];
    return attached;
  });
}

/** For a model without tools. */
export function describeCalls(calls: readonly PastCall[]): string {
  return calls
    .map(
      (call) =>
        `(Result of the tool ${call.name} with the arguments ${inputOf(call, false)}: ${outputOf(call, false)})`,
    )
    .join("\n\n");
}

export function countCallTokens(calls: readonly PastCall[], isCut: boolean, charsPerToken: number): number {
  return calls.reduce(
    (sum, call) =>
      sum + estimateTokens(call.name + inputOf(call, isCut) + outputOf(call, isCut), charsPerToken) + TOKENS_PER_CALL,
    0,
  );
}

/** Unique in the prompt, and of a form that every vendor accepts, whichever vendor made the call. */
function idOf({ id }: PastCall): string {
  return `call_${id.replaceAll("-", "")}`;
}

/** Vendors parse the input, so it is not cut in the middle. */
function inputOf({ input }: PastCall, isCut: boolean): string {
  return input === null || (isCut && input.length > HEAD_CHARS) ? "{}" : input;
}

function outputOf({ input, output }: PastCall, isCut: boolean): string {
  if (output === null) return EXPIRED;
  if (!isCut) return output;
  const head = cutAtCharacter(output, HEAD_CHARS);
  const notes = [
    ...(head.length < output.length ? [`(cut here: ${output.length - head.length} more characters)`] : []),
    ...((input?.length ?? 0) > HEAD_CHARS ? ["(The arguments of the call are left out.)"] : []),
  ];
  return [head, ...notes].join("\n");
}
