/** A message of the swarm, by column name. */
export interface TranscriptMessage {
  readonly id: string;
  readonly seq: number;
  readonly sender_type: "user" | "agent" | "system";
  readonly sender_id: string | null;
  readonly sender_name: string;
  /** Null when the message was deleted. */
  readonly content: string | null;
  readonly run_id: string | null;
  /** The content is not that of the stored message with this seq. */
  readonly isComposed?: true;
}
