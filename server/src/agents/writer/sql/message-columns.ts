import type { TranscriptMessage } from "../../context/transcript.ts";

/** The result of private.read_messages, latest message first. Null when there is no message. */
export type MessageColumns = { readonly [Name in keyof TranscriptMessage]: readonly TranscriptMessage[Name][] | null };

/** The earliest message first. */
export function toMessages(columns: MessageColumns): TranscriptMessage[] {
  const ids = columns.id ?? [];
  return ids
    .map((id, index) => ({
      id,
      seq: columns.seq?.[index] ?? 0,
      sender_type: columns.sender_type?.[index] ?? ("system" as const),
      sender_id: columns.sender_id?.[index] ?? null,
      sender_name: columns.sender_name?.[index] ?? "",
      content: columns.content?.[index] ?? null,
      run_id: columns.run_id?.[index] ?? null,
    }))
    .reverse();
}
