import { newRowId, type Queryable } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError, type AuthErrorCode } from "../auth-error.ts";
import { readDecision } from "../hooks/hook.ts";
import { upsertEmailIdentity } from "../sql/identities.ts";
import { selectNewId } from "../sql/query.ts";
import type { UserRow } from "../sql/user-row.ts";
import { findUserByEmail, insertUser } from "../sql/users.ts";
import { mergeMetadata, type Metadata } from "./metadata.ts";

/** That a new account may be created: see `approveNewUser`. */
export interface Approval {
  /** The id that the account gets; undefined means a new one, and null that none may be created. */
  readonly id: string | undefined | null;
}

/** Where no hook is asked. */
export const APPROVED: Approval = { id: undefined };

/** Where there was an account. If it is deleted meanwhile, the hook must be asked about the one in its place. */
export const NOT_ASKED: Approval = { id: null };

/** The client can try again. */
export const accountChanged = (): AppError =>
  authError("conflict", "The account was changed or deleted meanwhile: try again");

export function approvedId({ id }: Approval): string | undefined {
  if (id === null) throw accountChanged();
  return id;
}

interface NewEmailUser {
  readonly approval: Approval;
  /** Normalized by `parseEmail`. */
  readonly email: string;
  readonly isConfirmed: boolean;
  /** Whether the service role vouches for the address. */
  readonly isProven?: boolean;
  /** Null for users without a password. */
  readonly passwordHash: string | null;
  /** As the client sent it; undefined when it sent none. The members that repeat the account are added. */
  readonly userMetadata?: unknown;
  /** The whole user metadata, set by administrators only. */
  readonly wholeUserMetadata?: Metadata | undefined;
  /** Set by administrators only. */
  readonly appMetadata?: unknown;
  readonly role?: string | undefined;
  readonly bannedUntil?: Date | null | undefined;
}

/** Inserts the user and the identity; a trigger inserts the profile. Throws `email_exists` for a taken address. */
export async function createEmailUser(
  context: Pick<AuthContext, "clock">,
  client: Queryable,
  user: NewEmailUser,
): Promise<UserRow> {
  const id = approvedId(user.approval) ?? (await selectNewId(client));
  const row = await insertUser(client, {
    id,
    email: user.email,
    email_confirmed_at: user.isConfirmed ? context.clock.now() : null,
    proven_email: user.isProven === true ? user.email : null,
    password_hash: user.passwordHash,
    app_metadata: { ...mergeMetadata({}, user.appMetadata ?? {}), ...EMAIL_APP_METADATA },
    user_metadata: user.wholeUserMetadata ?? {
      ...mergeMetadata({}, user.userMetadata ?? {}),
      ...emailClaims(id, user.email, user.isConfirmed),
    },
    role: user.role,
    banned_until: user.bannedUntil,
  }).catch((error: unknown) => {
    throw translateUniqueViolation(error);
  });
  await upsertEmailIdentity(client, id, user.email, user.isConfirmed);
  return row;
}

export const EMAIL_APP_METADATA: Metadata = Object.freeze({ provider: "email", providers: ["email"] });

/** Inserts a user who has signed in with an identity provider. The caller adds the identity. */
export async function createExternalUser(
  { clock }: Pick<AuthContext, "clock">,
  client: Queryable,
  { approval, email, provider, claims }: NewExternalUser,
): Promise<UserRow> {
  return insertUser(client, {
    id: approvedId(approval),
    email,
    email_confirmed_at: email === null ? null : clock.now(),
    proven_email: email,
    app_metadata: { provider, providers: [provider] },
    user_metadata: claims,
  }).catch((error: unknown) => {
    throw translateUniqueViolation(error);
  });
}

interface NewExternalUser {
  readonly approval: Approval;
  /** Normalized, and verified by the provider; null means that the account has no address. */
  readonly email: string | null;
  readonly provider: string;
  readonly claims: Metadata;
}

/** The members of user metadata that repeat the account. The service overwrites what the client sent. */
export function emailClaims(userId: string, email: string, isVerified: boolean): Metadata {
  return { sub: userId, email, email_verified: isVerified, phone_verified: false };
}

const CLAIM_NAMES: ReadonlySet<string> = new Set(Object.keys(emailClaims("", "", false)));

/** Removes the members of user metadata that only the service writes. */
export function withoutClaims(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !CLAIM_NAMES.has(name)));
}

/** Translates a unique violation on a table of accounts; returns every other error unchanged. */
export function translateUniqueViolation(error: unknown): unknown {
  switch (readConstraint(error)) {
    case "users_email_key":
      return authError("email_exists", undefined, { cause: error });
    case "users_pkey":
      return authError("user_already_exists", "A user with this id exists already", { cause: error });
    case "webauthn_credentials_credential_id_key":
      return authError("webauthn_credential_exists", undefined, { cause: error });
    default:
      return error;
  }
}

export function isEmailTaken(error: unknown): boolean {
  return isForeign(error, "email_exists");
}

export function isAccountChanged(error: unknown): boolean {
  return isForeign(error, "conflict");
}

function isForeign(error: unknown, code: AuthErrorCode): boolean {
  return error instanceof AppError && error.extra.foreign?.code === code;
}

function readConstraint(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const constraint: unknown = Reflect.get(error, "constraint");
  return Reflect.get(error, "code") === "23505" && typeof constraint === "string" ? constraint : null;
}

interface Newcomer {
  /** Null for an anonymous account, and where an identity provider gives no verified address. */
  readonly email: string | null;
  /** As the client sent it. */
  readonly data?: unknown;
  /** Default: that of an account with this address. */
  readonly appMetadata?: Readonly<Record<string, unknown>>;
  /** The client's; undefined where no request is under way. */
  readonly address: string | undefined;
}

/** Asks the hook, before the transaction that creates the account. Throws what the client gets. */
export async function approveNewUser(
  { hooks, clock }: Pick<AuthContext, "hooks" | "clock">,
  { email, data = {}, appMetadata = email === null ? {} : EMAIL_APP_METADATA, address }: Newcomer,
): Promise<Approval> {
  const hook = hooks.before_user_created;
  if (hook === null) return APPROVED;
  const now = clock.now();
  const id = newRowId(now);
  const user = {
    id,
    aud: "authenticated",
    role: "authenticated",
    email: email ?? "",
    phone: "",
    app_metadata: appMetadata,
    user_metadata: mergeMetadata({}, data),
    identities: [],
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    is_anonymous: appMetadata["provider"] === undefined,
  };
  const decision = await hook.ask({ event: { user }, address, read: (answer) => readDecision(answer, "continue") });
  if (decision?.isRejected === true) throw authError("hook_refused", decision.message);
  return { id };
}

/** The same for calls that also find accounts, about which the hook is not asked. */
export async function approveUnlessKnown(
  context: Pick<AuthContext, "hooks" | "clock" | "pool">,
  newcomer: Newcomer & { readonly email: string },
): Promise<Approval> {
  if (context.hooks.before_user_created === null) return APPROVED;
  if ((await findUserByEmail(context.pool, newcomer.email)) !== null) return NOT_ASKED;
  return approveNewUser(context, newcomer);
}
