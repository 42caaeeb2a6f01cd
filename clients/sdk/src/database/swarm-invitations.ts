// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { SwarmRole } from "../swarms.ts";

/** Your own open invitations, with the names that help to decide about them. */
export type SwarmInvitationsView = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The swarm. */
    swarm_id: string;
    /** The name of the swarm. */
    swarm_name: string;
    /** The role that you would have. */
    role: SwarmRole;
    /** The name of the person who invited you, or their e-mail address. */
    inviter_name: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the invitation expires; null if it does not. */
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
