// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Json, JsonObject } from "../json.ts";
import type { MessageContentType, MessageSenderType } from "../messages.ts";

/** What people and agents say in a swarm. */
export type MessagesTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The swarm. It cannot change. */
    swarm_id: string;
    /** The number of the message in its swarm. */
    seq: number;
    /** Only the service role can send for agents and the system. */
    sender_type: MessageSenderType;
    /** `sender_user_id` or `sender_agent_id`, also after the sender was deleted. */
    sender_id: string | null;
    /** The user who wrote the message. */
    sender_user_id: string | null;
    /** The agent that wrote the message. */
    sender_agent_id: string | null;
    /** The name of the sender at the time of writing. */
    sender_name: string;
    /** The sender's account or agent no longer exists. */
    sender_deleted: boolean;
    /** The text; null after the message was deleted. */
    content: string | null;
    /** How to display `content`. */
    content_type: MessageContentType;
    /** The message of the same swarm that this one replies to. */
    reply_to_id: string | null;
    /** The run in which an agent wrote the message. */
    run_id: string | null;
    /** The turn in which an agent wrote the message. */
    turn_id: string | null;
    /** Why an agent stopped writing. */
    finish_reason: string | null;
    /** Ids of mentioned agents and users. */
    mentions: string[];
    /** Anything the application wants to store with the message. */
    metadata: JsonObject;
    /** An id of the sender that makes a repeated insert a conflict (409). */
    client_message_id: string | null;
    /** When `content` changed last. */
    edited_at: string | null;
    /** When the message was deleted. */
    deleted_at: string | null;
    /** The user who deleted the message. */
    deleted_by: string | null;
    /** A flag on the message is open or upheld. */
    flagged: boolean;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** The parsed value of an answer with a `response_schema`. Only the service writes it. */
    data: Json | null;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The swarm. It cannot change. */
    swarm_id: string;
    /** Only the service role can send for agents and the system. */
    sender_type?: MessageSenderType;
    /** The user who wrote the message. */
    sender_user_id?: string | null;
    /** The agent that wrote the message. */
    sender_agent_id?: string | null;
    /** The text; null after the message was deleted. */
    content: string;
    /** How to display `content`. */
    content_type?: MessageContentType;
    /** The message of the same swarm that this one replies to. */
    reply_to_id?: string | null;
    /** Ids of mentioned agents and users. */
    mentions?: string[];
    /** Anything the application wants to store with the message. */
    metadata?: JsonObject;
    /** An id of the sender that makes a repeated insert a conflict (409). */
    client_message_id?: string | null;
  };
  Update: {
    /** The text; null after the message was deleted. */
    content?: string | null;
    /** How to display `content`. */
    content_type?: MessageContentType;
    /** Ids of mentioned agents and users. */
    mentions?: string[];
    /** Anything the application wants to store with the message. */
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
