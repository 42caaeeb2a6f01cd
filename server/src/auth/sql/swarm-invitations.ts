import type { Queryable } from "../auth-context.ts";
import { findRow } from "./query.ts";

export interface OpenInvitation {
  readonly swarmName: string;
  /** Null when the service created the invitation, or the inviter's account no longer exists. */
  readonly inviterName: string | null;
  /** Null when it does not expire. */
  readonly expiresAt: Date | null;
}

export interface InvitedPerson {
  readonly swarmId: string;
  /** Null when the person was invited by address. */
  readonly userId: string | null;
  readonly email: string;
}

/** Returns null when the invitation was answered or withdrawn, or has expired. */
export function findOpenInvitation(
  db: Queryable,
  { swarmId, userId, email }: InvitedPerson,
): Promise<OpenInvitation | null> {
  return findRow(
    db,
    `select swarm_name as "swarmName", inviter_name as "inviterName", expires_at as "expiresAt"
     from private.open_invitations
     where swarm_id = $1 and (user_id = $2 or ($2 is null and user_id is null and invited_email = $3))`,
    [swarmId, userId, email],
  );
}
