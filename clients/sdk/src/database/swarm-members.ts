// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { SwarmMemberStatus, SwarmRole } from "../swarms.ts";

export type SwarmMembersTable = {
  Row: {
    id: string;
    swarm_id: string;
    user_id: string | null;
    invited_email: string | null;
    role: SwarmRole;
    status: SwarmMemberStatus;
    invited_by: string | null;
    joined_at: string | null;
    created_at: string;
    expires_at: string | null;
  };
  Insert: {
    id?: string;
    swarm_id: string;
    user_id?: string | null;
    invited_email?: string | null;
    role?: SwarmRole;
    status?: SwarmMemberStatus;
    expires_at?: string | null;
    email?: string | null;
  };
  Update: {
    role?: SwarmRole;
    status?: SwarmMemberStatus;
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
