import { createHash } from "node:crypto";
import { API_KEY_SCOPES, type ApiKeyResources, type ApiKeyScope } from "@swarmbase/sdk";
import { inTransaction, type UserPrincipal, type Queryable } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { recordChange } from "../users/record-change.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { hasVerifiedFactor } from "../sql/mfa-factors.ts";
import {
  countUserKeys,
  deleteUserKey,
  findForeignResources,
  findKeyOfRequest,
  insertUserKey,
  storeKeyOfRequest,
  type UserKeyRow,
} from "../sql/user-keys.ts";
import { getUserById, lockUser } from "../sql/users.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";
import { makeUserKey } from "./key-format.ts";

type KeyContext = Pick<AuthContext, "pool" | "clock" | "observer" | "settings">;

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;

interface NewKeyRequest {
  readonly principal: UserPrincipal;
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  /** Null means that the key is not bound to agents and swarms. */
  readonly resources: ApiKeyResources | null;
  /** Null means that the key expires never, or as late as the operator permits; absent, in 90 days or as early as the operator requires. */
  readonly expiresAt?: Date | null | undefined;
  /** The Idempotency-Key of the request; null means that it has none. */
  readonly idempotencyKey: string | null;
  readonly address: string;
}

/** Creates a key for the signed-in user. The result has the only copy of the key. */
export async function createUserKey(
  { pool, clock, observer, settings }: KeyContext,
  { principal, name, scopes, resources, expiresAt, idempotencyKey, address }: NewKeyRequest,
): Promise<{ readonly key: string; readonly row: UserKeyRow }> {
  const limits = findLatestExpiry(clock.now(), settings.apiKeyMaxTtlDays);
  requireExpiry(clock.now(), expiresAt ?? null, limits);
  const { key, hash, prefix } = makeUserKey();
  const requestKey =
    idempotencyKey === null ? null : `api-key:${createHash("sha256").update(idempotencyKey).digest("hex")}`;
  const row = await inTransaction(pool, async (client) => {
    // The lock of the user makes the limit exact.
    const { user, session } = await lockPrincipal(client, { principal });
    // Whatever AUTH_MFA_ENFORCE says: a key made with a stolen password would outlast the theft.
    if (session.aal !== "aal2" && (await hasVerifiedFactor(client, user.id)))
      throw authError("insufficient_aal", "AAL2 session is required to create API keys when MFA is enabled.", {
        status: 403,
      });
    if (requestKey !== null) await removeLostKey(client, user.id, requestKey);
    if ((await countUserKeys(client, user.id)) >= settings.apiKeysPerUser)
      throw new AppError("API_KEY_LIMIT_REACHED", `You may have ${settings.apiKeysPerUser} API keys; revoke one first`);
    if (resources !== null) await requireOwnResources(client, user.id, resources);
    const created = await insertUserKey(client, {
      user_id: user.id,
      name,
      scopes: API_KEY_SCOPES.filter((scope) => scopes.includes(scope)),
      resources,
      prefix,
      expires_at: expiresAt === undefined ? findDefaultExpiry(clock.now(), limits) : (expiresAt ?? limits),
      hash,
      aal: session.aal,
    });
    if (requestKey !== null) await storeKeyOfRequest(client, { userId: user.id, requestKey, id: created.id });
    await recordChange({ clock, settings }, client, {
      action: "api_key_created",
      user,
      sessionId: created.id,
      address,
    });
    return created;
  });
  observer.note("api_key.created", { userId: row.user_id, id: row.id, scopes: row.scopes, expiresAt: row.expires_at });
  return { key, row };
}

/**
 * A key is shown once, so a request that is repeated because its response was lost cannot get it again: the new key takes its
 * place. A key that was used was not lost.
 */
async function removeLostKey(client: Queryable, userId: string, requestKey: string): Promise<void> {
  const earlier = await findKeyOfRequest(client, userId, requestKey);
  if (earlier === null) return;
  if (earlier.is_used)
    throw new AppError("IDEMPOTENCY_KEY_REUSED", "An API key that was created with this Idempotency-Key is in use");
  await deleteUserKey(client, { id: earlier.id, userId });
}

function findLatestExpiry(now: Date, maxDays: number): Date | null {
  return maxDays === 0 ? null : new Date(now.getTime() + maxDays * DAY_MS);
}

function findDefaultExpiry(now: Date, latest: Date | null): Date {
  const wanted = new Date(now.getTime() + DEFAULT_DAYS * DAY_MS);
  return latest !== null && latest < wanted ? latest : wanted;
}

async function requireOwnResources(client: Queryable, userId: string, resources: ApiKeyResources): Promise<void> {
  const [foreign] = await findForeignResources(client, userId, resources);
  if (foreign === undefined) return;
  const noun = foreign.kind === "agents" ? "agents" : "swarms";
  throw new AppError("VALIDATION_ERROR", `resources.${noun} names ${foreign.id}, which is not one of your ${noun}`, {
    details: { [`resources.${noun}`]: "must name your own" },
  });
}

function requireExpiry(now: Date, expiresAt: Date | null, latest: Date | null): void {
  if (expiresAt === null) return;
  const fault =
    expiresAt <= now
      ? "must be in the future"
      : latest !== null && expiresAt > latest
        ? `must be at most ${latest.toISOString()}`
        : null;
  if (fault === null) return;
  throw new AppError("VALIDATION_ERROR", `expires_at ${fault}`, { details: { expires_at: fault } });
}

interface RevokeRequest {
  readonly id: string;
  /** Null means the service role, which may revoke the key of any user. */
  readonly userId: string | null;
  readonly address: string;
}

/** Takes effect on all nodes with the next request: each checks the row. Also cancels the runs of the key. */
export async function revokeUserKey(context: KeyContext, { id, userId, address }: RevokeRequest): Promise<void> {
  const { pool, observer } = context;
  const revoke = async (client: Queryable): Promise<string> => {
    // Everything that deletes sessions locks the user first.
    if (userId !== null) await lockUser(client, userId);
    const deleted = await deleteUserKey(client, { id, userId });
    if (deleted === null) throw new AppError("API_KEY_NOT_FOUND", "You have no API key with this id");
    const user = await getUserById(client, deleted.user_id);
    await recordChange(context, client, { action: "api_key_revoked", user, sessionId: id, address });
    return deleted.user_id;
  };
  // The runs of the key are cancelled with it.
  const ownerId = await retryAfterDeadlock(() => inTransaction(pool, revoke));
  observer.note("api_key.revoked", { userId: ownerId, id });
}
