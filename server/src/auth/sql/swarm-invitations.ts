import type { Queryable } from "../../db/index.ts";
import { findRow } from "./query.ts";

interface OpenInvitation {
  readonly id: string;
  readonly swarmName: string;
  /** Null when the service created the invitation, or the inviter's account no longer exists. */
  readonly inviterName: string | null;
  /** Null when it does not expire. */
  readonly expiresAt: Date | null;
}

interface InvitedPerson {
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
    `select id, swarm_name as "swarmName", inviter_name as "inviterName", expires_at as "expiresAt"
     from private.open_invitations
     where swarm_id = $1 and (user_id = $2 or ($2 is null and user_id is null and invited_email = $3))`,
    [swarmId, userId, email],
  );
}

export async function storeMailSecret(db: Queryable, invitationId: string, secretHash: Buffer): Promise<void> {
  await db.query(
    `with invitation as (select id from public.swarm_members where id = $1 for key share)
     insert into private.invitation_secrets (member_id, way, secret_hash) select id, 'mail', $2 from invitation
     on conflict (member_id, way) do update set secret_hash = excluded.secret_hash, created_at = now()`,
    [invitationId, secretHash],
  );
}

interface LinkSecret {
  readonly invitationId: string;
  /** Null means the service role. */
  readonly callerId: string | null;
  readonly secretHash: Buffer;
}

/** Null unless the invitation is open, by address, and of a swarm that the caller manages. */
export function storeLinkSecret(
  db: Queryable,
  { invitationId, callerId, secretHash }: LinkSecret,
): Promise<{ readonly swarm_id: string; readonly expires_at: Date | null } | null> {
  return findRow(
    db,
    `with invitation as (
       select m.id, m.swarm_id, m.expires_at from public.swarm_members m
       where m.id = $1 and m.status = 'invited' and m.user_id is null and (m.expires_at is null or m.expires_at > now())
         and ($2::uuid is null or exists (
           select 1 from public.swarm_members manager
           where manager.swarm_id = m.swarm_id and manager.user_id = $2 and manager.status = 'active'
             and manager.role in ('owner', 'admin')))
       for key share of m
     ), stored as (
       insert into private.invitation_secrets (member_id, way, secret_hash) select id, 'link', $3 from invitation
       on conflict (member_id, way) do update set secret_hash = excluded.secret_hash, created_at = now()
     )
     select swarm_id, expires_at from invitation`,
    [invitationId, callerId, secretHash],
  );
}

/** A row of the view `swarm_invitations`. */
export interface ShownInvitation {
  readonly id: string;
  readonly swarm_id: string;
  readonly swarm_name: string;
  readonly role: string;
  readonly inviter_name: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

interface PresentedSecret {
  readonly secretHash: Buffer;
  readonly userId: string;
}

/** The open invitation of this secret, if it is for the address of the account. */
const PRESENTED = `
  select i.* from private.invitation_secrets s
  join private.open_invitations i on i.id = s.member_id and i.user_id is null
  join auth.users u on u.id = $2 and u.email = i.invited_email and u.deleted_at is null
  where s.secret_hash = $1`;

export function findInvitationBySecret(
  db: Queryable,
  { secretHash, userId }: PresentedSecret,
): Promise<ShownInvitation | null> {
  return findRow(
    db,
    `select id, swarm_id, swarm_name, role, inviter_name, created_at, expires_at from (${PRESENTED}) i`,
    [secretHash, userId],
  );
}

type Answered = { readonly swarm_id: string };

/** Two concurrent answers wait for each other, and the second finds no open invitation. */
export async function acceptInvitation(
  client: Queryable,
  { secretHash, userId }: PresentedSecret,
): Promise<Answered | null> {
  await actAs(client, userId);
  return findRow(
    client,
    `with joined as (
       update public.swarm_members m set status = 'active', user_id = $2, invited_email = null
       where m.id = (select id from (${PRESENTED}) i) and m.status = 'invited' and m.user_id is null
       returning m.id, m.swarm_id
     ), used as (
       delete from private.invitation_secrets where member_id in (select id from joined)
     )
     select swarm_id from joined`,
    [secretHash, userId],
  );
}

export async function declineInvitation(
  client: Queryable,
  { secretHash, userId }: PresentedSecret,
): Promise<Answered | null> {
  await actAs(client, userId);
  return findRow(
    client,
    `delete from public.swarm_members m where m.id = (select id from (${PRESENTED}) i) and m.status = 'invited'
     returning m.swarm_id`,
    [secretHash, userId],
  );
}

/** The events of the transaction name the user as their actor. */
async function actAs(client: Queryable, userId: string): Promise<void> {
  const claims = JSON.stringify({ sub: userId, role: "authenticated" });
  await client.query("select set_config('request.jwt.claims', $1, true)", [claims]);
}
