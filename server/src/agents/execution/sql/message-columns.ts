import type { TranscriptMessage } from "../../context/transcript.ts";

/** What private.read_messages returns: the latest message first. Null where there is no message. */
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
      reply_to_id: columns.reply_to_id?.[index] ?? null,
      run_id: columns.run_id?.[index] ?? null,
    }))
    .reverse();
}
