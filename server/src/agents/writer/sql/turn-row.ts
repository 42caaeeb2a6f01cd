import type { PastCalls } from "../../context/past-calls.ts";
import type { TranscriptMessage } from "../../context/transcript.ts";
import type { SpeakingAgent } from "../steps.ts";

/** A turn that begins or continues. */
export interface TurnRow {
  readonly agent: Omit<SpeakingAgent, "past_calls">;
  readonly conversation: Conversation;
}

/** The result of private.read_conversation. */
interface Conversation {
  /** The latest message first. Null when there is no message. */
  readonly messages: { readonly [Name in keyof TranscriptMessage]: readonly TranscriptMessage[Name][] | null };
  /** By the id of the turn. */
  readonly past_calls: Readonly<Record<string, PastCalls | null>>;
}

/** The agent with what it reads, the earliest message first. */
export function readTurn(
  { agent, conversation: { messages, past_calls: calls } }: TurnRow,
  turnId: string,
): { readonly agent: SpeakingAgent; readonly messages: readonly TranscriptMessage[] } {
  const ids = messages.id ?? [];
  return {
    agent: { ...agent, past_calls: calls[turnId] ?? null },
    messages: ids
      .map((id, index) => ({
        id,
        seq: messages.seq?.[index] ?? 0,
        sender_type: messages.sender_type?.[index] ?? ("system" as const),
        sender_id: messages.sender_id?.[index] ?? null,
        sender_name: messages.sender_name?.[index] ?? "",
        content: messages.content?.[index] ?? null,
        run_id: messages.run_id?.[index] ?? null,
      }))
      .reverse(),
  };
}
