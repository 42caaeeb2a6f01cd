// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** Earlier texts of edited messages. */
export type MessageRevisionsTable = {
  Row: {
    /** The edited message. */
    message_id: string;
    /** 1 is the first text. */
    revision: number;
    /** The swarm. */
    swarm_id: string;
    /** The text before the edit. */
    content: string;
    /** The user who replaced it. */
    edited_by: string | null;
    /** When it was replaced. */
    created_at: string;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "message_revisions_message_id_fkey";
      columns: ["swarm_id", "message_id"];
      isOneToOne: false;
      referencedRelation: "messages";
      referencedColumns: ["swarm_id", "id"];
    },
  ];
};
