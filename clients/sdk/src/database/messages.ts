// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Json, JsonObject } from "../json.ts";
import type { MessageContentType, MessageSenderType } from "../messages.ts";

export type MessagesTable = {
  Row: {
    id: string;
    swarm_id: string;
    seq: number;
    sender_type: MessageSenderType;
    sender_id: string | null;
    sender_user_id: string | null;
    sender_agent_id: string | null;
    sender_name: string;
    sender_deleted: boolean;
    content: string | null;
    content_type: MessageContentType;
    reply_to_id: string | null;
    run_id: string | null;
    turn_id: string | null;
    finish_reason: string | null;
    mentions: string[];
    metadata: JsonObject;
    client_message_id: string | null;
    edited_at: string | null;
    deleted_at: string | null;
    deleted_by: string | null;
    flagged: boolean;
    created_at: string;
    data: Json | null;
  };
  Insert: {
    id?: string;
    swarm_id: string;
    sender_type?: MessageSenderType;
    sender_user_id?: string | null;
    sender_agent_id?: string | null;
    content: string;
    content_type?: MessageContentType;
    reply_to_id?: string | null;
    mentions?: string[];
    metadata?: JsonObject;
    client_message_id?: string | null;
  };
  Update: {
    content?: string | null;
    content_type?: MessageContentType;
    mentions?: string[];
    metadata?: JsonObject;
  };
  Relationships: [
    {
      foreignKeyName: "messages_reply_to_id_fkey";
      columns: ["swarm_id", "reply_to_id"];
      isOneToOne: false;
      referencedRelation: "messages";
      referencedColumns: ["swarm_id", "id"];
    },
    {
      foreignKeyName: "messages_run_id_fkey";
      columns: ["swarm_id", "run_id"];
      isOneToOne: false;
      referencedRelation: "runs";
      referencedColumns: ["swarm_id", "id"];
    },
    {
      foreignKeyName: "messages_sender_agent_id_fkey";
      columns: ["sender_agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "messages_sender_agent_id_fkey";
      columns: ["sender_agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "messages_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
