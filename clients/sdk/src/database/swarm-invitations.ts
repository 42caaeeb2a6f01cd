// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { SwarmRole } from "../swarms.ts";

export type SwarmInvitationsView = {
  Row: {
    id: string;
    swarm_id: string;
    swarm_name: string;
    role: SwarmRole;
    inviter_name: string | null;
    created_at: string;
    expires_at: string | null;
  };
  Relationships: [
    {
      foreignKeyName: "swarm_members_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
