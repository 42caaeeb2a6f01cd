import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { NO_EMAIL_CHANGE } from "../one-time/issue-one-time.ts";
import {
  insertIdentity,
  lockIdentityName,
  selectIdentities,
  selectIdentity,
  updateIdentity,
} from "../sql/identities.ts";
import type { IdentityRow, UserRow } from "../sql/user-row.ts";
import { findUserByEmail, lockUser, updateUser } from "../sql/users.ts";
import { isBanned } from "../users/account-rules.ts";
import {
  accountChanged,
  type Approval,
  APPROVED,
  approveNewUser,
  createExternalUser,
  NOT_ASKED,
} from "../users/create-user.ts";
import type { Metadata } from "../users/metadata.ts";
import { recordChange } from "../users/record-change.ts";
import { withdrawIfRemoved } from "../users/withdraw-if-removed.ts";
import type { ExternalProfile } from "./profile.ts";

/** Of the session that an identity provider has begun, in `amr`. */
export const OAUTH_METHOD = "oauth";

export interface PresentedIdentity {
  /** The name of the provider. */
  readonly provider: string;
  readonly profile: ExternalProfile;
  readonly call: Pick<AuthCall, "address" | "userAgent">;
}

/** Signs in whoever has the identity. `work` runs in the same transaction. */
export async function admitIdentity<T>(
  context: AuthContext,
  presented: PresentedIdentity,
  work: (client: Queryable, user: UserRow, isNew: boolean) => Promise<T>,
): Promise<T> {
  const { pool } = context;
  const { verifiedEmail } = presented.profile;
  const known = verifiedEmail === null ? null : await findUserByEmail(pool, verifiedEmail);
  const approval = await approveNewcomer(context, presented, known);
  const result = await withdrawIfRemoved(context, known?.id ?? null, () =>
    inTransaction(pool, async (client) => {
      const { user, isNew } = await admit(context, client, { ...presented, approval });
      return work(client, user, isNew);
    }),
  );
  context.mailWakeUp.trigger();
  return result;
}

/** Whether the hook lets the account be created. */
async function approveNewcomer(
  context: AuthContext,
  { provider, profile, call }: PresentedIdentity,
  account: UserRow | null,
): Promise<Approval> {
  if (context.hooks.before_user_created === null) return APPROVED;
  const isKnown = account !== null || (await findIdentity(context.pool, provider, profile)) !== null;
  if (isKnown || !context.settings.authSignupEnabled) return NOT_ASKED;
  const appMetadata = { provider, providers: [provider] };
  const { verifiedEmail: email, claims: data } = profile;
  return approveNewUser(context, { email, data, appMetadata, address: call.address });
}

async function admit(
  context: AuthContext,
  client: Queryable,
  presented: PresentedIdentity & { readonly approval: Approval },
): Promise<{ readonly user: UserRow; readonly isNew: boolean }> {
  const { provider, profile, approval } = presented;
  const { verifiedEmail, subject } = profile;
  // Two sign-ins at once must not create two accounts.
  await lockIdentityName(client, `${provider} ${subject}`);
  if (verifiedEmail !== null) await lockIdentityName(client, verifiedEmail);
  const identity = await findIdentity(client, provider, profile);
  const account = verifiedEmail === null ? null : await findUserByEmail(client, verifiedEmail);
  const admission = decideAdmission({
    ownerId: identity?.user_id ?? null,
    account: account === null ? null : { id: account.id, isAddressProven: account.proven_email === account.email },
    isSignupEnabled: context.settings.authSignupEnabled,
  });
  switch (admission.kind) {
    case "refuse":
      throw authError(admission.code);
    case "create": {
      const { claims } = profile;
      const user = await createExternalUser(context, client, { approval, email: verifiedEmail, provider, claims });
      await storeIdentity(context, client, user, presented);
      return { user, isNew: true };
    }
    case "sign-in": {
      const user = await requireUser(context, client, admission.userId);
      const changes = {
        issuer: profile.issuer,
        identity_data: { ...identity?.identity_data, ...profile.data },
        last_sign_in_at: context.clock.now(),
      };
      // The owner may have unlinked it before the account was locked.
      if (identity === null || !(await updateIdentity(client, identity.id, changes))) throw accountChanged();
      return { user: await describeUser(client, user, profile.person), isNew: false };
    }
    case "link":
    case "take-over": {
      const user = await requireUser(context, client, admission.userId);
      // The account may have changed before it was locked.
      if (user.email !== verifiedEmail || (admission.kind === "link" && user.proven_email !== user.email))
        throw accountChanged();
      const open = admission.kind === "link" ? user : await takeOver(context, client, user, presented.call);
      return { user: await attachIdentity(context, client, open, { ...presented, sessionId: null }), isNew: false };
    }
  }
}

/** A trigger removes what gives access, or sends data elsewhere. The owner of the address gets a mail. */
async function takeOver(
  context: AuthContext,
  client: Queryable,
  user: UserRow,
  { address }: Pick<AuthCall, "address">,
): Promise<UserRow> {
  const now = context.clock.now();
  await recordChange(context, client, { action: "access_removed", user, sessionId: null, address });
  return updateUser(client, user.id, {
    access_removed_at: now,
    password_hash: null,
    email_confirmed_at: user.email_confirmed_at ?? now,
    proven_email: user.email,
    ...NO_EMAIL_CHANGE,
  });
}

/** Adds the identity to an account, whose owner gets a mail. */
export async function attachIdentity(
  context: AuthContext,
  client: Queryable,
  user: UserRow,
  presented: PresentedIdentity & { readonly sessionId: string | null },
): Promise<UserRow> {
  const { profile, call, sessionId } = presented;
  const { address } = call;
  await storeIdentity(context, client, user, presented);
  await recordChange(context, client, { action: "identity_linked", user, sessionId, address });
  const named = await updateUser(client, user.id, { app_metadata: await listProviders(client, user) });
  return describeUser(client, named, profile.person);
}

function storeIdentity(
  { clock }: Pick<AuthContext, "clock">,
  client: Queryable,
  user: UserRow,
  { provider, profile }: PresentedIdentity,
): Promise<void> {
  const { subject, issuer, data } = profile;
  return insertIdentity(client, {
    user_id: user.id,
    provider,
    provider_id: subject,
    issuer,
    identity_data: data,
    last_sign_in_at: clock.now(),
  });
}

async function requireUser(context: AuthContext, client: Queryable, id: string): Promise<UserRow> {
  const user = await lockUser(client, id);
  if (user === null) throw authError("user_not_found");
  if (isBanned(context, user)) throw authError("user_banned");
  return user;
}

const MAX_METADATA_BYTES = 30_000;

/** The name and the picture follow the provider; the address does not. */
async function describeUser(client: Queryable, user: UserRow, person: Metadata): Promise<UserRow> {
  const described = { ...user.user_metadata, ...person };
  const size = Buffer.byteLength(JSON.stringify(described));
  return size > MAX_METADATA_BYTES ? user : updateUser(client, user.id, { user_metadata: described });
}

/** The app metadata with the providers of the identities that the user has now, the first one first. */
export async function listProviders(client: Queryable, { id, app_metadata: known }: UserRow): Promise<Metadata> {
  const providers = [...new Set((await selectIdentities(client, [id])).map(({ provider }) => provider))];
  const isKept = providers.some((provider) => provider === known["provider"]);
  return { ...known, provider: isKept ? known["provider"] : providers[0], providers };
}

export interface AdmissionFacts {
  /** The account that has the identity; null means none. */
  readonly ownerId: string | null;
  /** The account with the address that the provider calls verified; null means that there is none, or that the provider does not say so. */
  readonly account: { readonly id: string; readonly isAddressProven: boolean } | null;
  readonly isSignupEnabled: boolean;
}

type Admission =
  | { readonly kind: "sign-in"; readonly userId: string }
  | { readonly kind: "create" }
  /** `take-over`: after everything that gave access to the account is removed, because nobody has ever proven its address. */
  | { readonly kind: "link" | "take-over"; readonly userId: string }
  | { readonly kind: "refuse"; readonly code: "signup_disabled" };

/**
 * The identity decides before the address does, which can change at the provider. An address that the provider does not call
 * verified decides nothing.
 */
export function decideAdmission({ ownerId, account, isSignupEnabled }: AdmissionFacts): Admission {
  if (ownerId !== null) return { kind: "sign-in", userId: ownerId };
  if (account !== null) return { kind: account.isAddressProven ? "link" : "take-over", userId: account.id };
  return isSignupEnabled ? { kind: "create" } : { kind: "refuse", code: "signup_disabled" };
}

/** Throws when the identity belongs to an issuer that the provider had before: the same subject can be somebody else there. */
export async function findIdentity(
  client: Queryable,
  provider: string,
  { subject, issuer }: ExternalProfile,
): Promise<IdentityRow | null> {
  const identity = await selectIdentity(client, provider, subject);
  if (identity === null || identity.issuer === null || identity.issuer === issuer) return identity;
  throw authError("bad_oauth_callback", `The provider ${provider} had another issuer: give this one a name of its own`);
}
