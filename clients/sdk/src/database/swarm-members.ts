// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { SwarmMemberStatus, SwarmRole } from "../swarms.ts";

/** The people of a swarm, and invitations that are not accepted yet. */
export type SwarmMembersTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The swarm. It cannot change. */
    swarm_id: string;
    /** The member; null until the invited address belongs to an account that accepts. */
    user_id: string | null;
    /** The invited address, in lower case. */
    invited_email: string | null;
    /** What the member may do. */
    role: SwarmRole;
    /** `active` members take part; `invited` ones have not accepted. */
    status: SwarmMemberStatus;
    /** The user who invited the member. */
    invited_by: string | null;
    /** When the member accepted. */
    joined_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the invitation expires (`INVITATION_TTL_DAYS`); null if it does not, and after it was accepted. The service sets it. */
    expires_at: string | null;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The swarm. It cannot change. */
    swarm_id: string;
    /** The member; null until the invited address belongs to an account that accepts. */
    user_id?: string | null;
    /** The invited address, in lower case. */
    invited_email?: string | null;
    /** What the member may do. */
    role?: SwarmRole;
    /** `active` members take part; `invited` ones have not accepted. */
    status?: SwarmMemberStatus;
    /** When the invitation expires (`INVITATION_TTL_DAYS`); null if it does not, and after it was accepted. The service sets it. */
    expires_at?: string | null;
    /** Another name of `invited_email`. */
    email?: string | null;
  };
  Update: {
    /** What the member may do. */
    role?: SwarmRole;
    /** `active` members take part; `invited` ones have not accepted. */
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
