/** A message of the swarm as the context needs it, oldest first by seq. Names are the columns'. */
export interface TranscriptMessage {
  readonly id: string;
  readonly seq: number;
  readonly sender_type: "user" | "agent" | "system";
  readonly sender_id: string | null;
  readonly sender_name: string;
  /** Null where the message was deleted. */
  readonly content: string | null;
  readonly reply_to_id: string | null;
  readonly run_id: string | null;
}
