// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { MessageFlagSource, MessageFlagStatus } from "../messages.ts";

export type MessageFlagsTable = {
  Row: {
    id: string;
    message_id: string;
    swarm_id: string;
    source: MessageFlagSource;
    flagged_by: string | null;
    category: string | null;
    reason: string | null;
    status: MessageFlagStatus;
    resolved_by: string | null;
    resolved_at: string | null;
    created_at: string;
    guardrail_id: string | null;
  };
  Insert: {
    id?: string;
    message_id: string;
    category?: string | null;
    reason?: string | null;
  };
  Update: {
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
