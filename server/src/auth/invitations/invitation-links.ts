import pg from "pg";
import { inTransaction, type UserPrincipal } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { siteUrlOf } from "../one-time/links.ts";
import {
  acceptInvitation,
  declineInvitation,
  findInvitationBySecret,
  type ShownInvitation,
  storeLinkSecret,
} from "../sql/swarm-invitations.ts";
import { buildInvitationLink, hashInvitationSecret, newInvitationSecret } from "./invitation-secret.ts";

interface InvitationLink {
  readonly link: string;
  readonly secret: string;
  /** Null when the invitation does not expire. */
  readonly expires_at: Date | null;
}

/** Replaces an earlier link of the invitation. `callerId` null: the service role. */
export async function createInvitationLink(
  context: Pick<AuthContext, "pool" | "baseUrl" | "settings">,
  { invitationId, callerId }: { readonly invitationId: string; readonly callerId: string | null },
): Promise<InvitationLink> {
  const secret = newInvitationSecret();
  const secretHash = hashInvitationSecret(secret);
  const stored = await storeLinkSecret(context.pool, { invitationId, callerId, secretHash });
  if (stored === null)
    throw invitationNotFound("You manage no swarm with an open invitation by e-mail address that has this id");
  const link = buildInvitationLink(siteUrlOf(context), stored.swarm_id, secret);
  return { link, secret, expires_at: stored.expires_at };
}

interface SecretCall {
  readonly principal: UserPrincipal;
  readonly secret: string;
}

export async function findSecretInvitation(
  { pool }: Pick<AuthContext, "pool">,
  { principal, secret }: SecretCall,
): Promise<ShownInvitation> {
  const found = await findInvitationBySecret(pool, {
    secretHash: hashInvitationSecret(secret),
    userId: principal.userId,
  });
  if (found === null) throw invitationNotFound();
  return found;
}

/** Makes the user a member, or deletes the invitation. The account must have the invited address. */
export async function answerInvitation(
  { pool }: Pick<AuthContext, "pool">,
  { principal, secret, isAccepted }: SecretCall & { readonly isAccepted: boolean },
): Promise<{ readonly swarm_id: string }> {
  const presented = { secretHash: hashInvitationSecret(secret), userId: principal.userId };
  const answer = isAccepted ? acceptInvitation : declineInvitation;
  const answered = await inTransaction(pool, (client) => answer(client, presented)).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.constraint !== "swarm_members_swarm_id_user_id_key") throw error;
    throw invitationNotFound("You are a member of the swarm already, or it has another invitation for you");
  });
  if (answered === null) throw invitationNotFound();
  return answered;
}

/** One error for a secret that is wrong, used, withdrawn or expired, and for an account with another address. */
function invitationNotFound(
  message = "No open invitation has this secret, or it is for another address than that of your account",
): AppError {
  return new AppError("INVITATION_NOT_FOUND", message);
}
