// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** How far each user has read a swarm. */
export type ReadPositionsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The swarm. It cannot change. */
    swarm_id: string;
    /** The user; by default the caller. */
    user_id: string;
    /** `seq` of the last message that the user has read; 0 for none. */
    last_read_seq: number;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The swarm. It cannot change. */
    swarm_id: string;
    /** The user; by default the caller. */
    user_id?: string;
    /** `seq` of the last message that the user has read; 0 for none. */
    last_read_seq: number;
  };
  Update: {
    /** `seq` of the last message that the user has read; 0 for none. */
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
