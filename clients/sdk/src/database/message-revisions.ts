// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type MessageRevisionsTable = {
  Row: {
    message_id: string;
    revision: number;
    swarm_id: string;
    content: string;
    edited_by: string | null;
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
