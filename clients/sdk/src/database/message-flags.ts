// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { MessageFlagSource, MessageFlagStatus } from "../messages.ts";

/** Reports of messages, by people, by moderation and by guardrails. */
export type MessageFlagsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The message. It cannot change. */
    message_id: string;
    /** The swarm of the message, set by the service. */
    swarm_id: string;
    /** `moderation` is the blocklist of the swarm; `guardrail` is a row of `guardrails`. */
    source: MessageFlagSource;
    /** The user who flagged the message; null for moderation and guardrails. */
    flagged_by: string | null;
    /** A word of the application, or the name of the guardrail. */
    category: string | null;
    /** The reporter's explanation, or why the guardrail tripped. */
    reason: string | null;
    /** `upheld` and `dismissed` are decisions. */
    status: MessageFlagStatus;
    /** The user who decided. */
    resolved_by: string | null;
    /** When it was decided. */
    resolved_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** The guardrail, which may have been deleted since; null for other sources. */
    guardrail_id: string | null;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The message. It cannot change. */
    message_id: string;
    /** A word of the application, or the name of the guardrail. */
    category?: string | null;
    /** The reporter's explanation, or why the guardrail tripped. */
    reason?: string | null;
  };
  Update: {
    /** `upheld` and `dismissed` are decisions. */
    status?: MessageFlagStatus;
  };
  Relationships: [
    {
      foreignKeyName: "message_flags_message_id_fkey";
      columns: ["swarm_id", "message_id"];
      isOneToOne: false;
      referencedRelation: "messages";
      referencedColumns: ["swarm_id", "id"];
    },
  ];
};
