// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type ReadPositionsTable = {
  Row: {
    id: string;
    swarm_id: string;
    user_id: string;
    last_read_seq: number;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    swarm_id: string;
    user_id?: string;
    last_read_seq: number;
  };
  Update: {
    last_read_seq?: number;
  };
  Relationships: [
    {
      foreignKeyName: "read_positions_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
