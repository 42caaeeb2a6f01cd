// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.
import type { EventActor, EventFlag } from "../event-types/shared.ts";
import type { MessageSenderType } from "../messages.ts";

/** `message.created`: A user, an agent or the system wrote a message in a swarm. */
export interface MessageCreatedData {
  message_id: string;
  swarm_id: string;
  content: string;
  sender_type: MessageSenderType;
  /** of the user or the agent */
  sender_id: string | null;
  /** the name at that time */
  sender_name: string;
  /** the run that the message belongs to */
  run_id: string | null;
  reply_to_id: string | null;
  created_at: string;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `message.updated`: A message was edited, or the last open flag on it was dismissed. */
export interface MessageUpdatedData {
  message_id: string;
  swarm_id: string;
  /** the current text */
  content: string;
  changed_fields: ("content" | "content_type" | "metadata" | "mentions" | "flagged")[];
  /** the time of the last change of the text; null without one */
  edited_at: string | null;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `message.deleted`: A message was deleted. Its text is removed; its position in the swarm is kept. */
export interface MessageDeletedData {
  message_id: string;
  swarm_id: string;
  deleted_at: string;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `message.flagged`: A member or the blocklist of the swarm flagged a message for review. */
export interface MessageFlaggedData {
  message_id: string;
  swarm_id: string;
  /** null when the message was deleted */
  content: string | null;
  flag: EventFlag;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}
