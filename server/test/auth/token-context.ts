import { randomUUID } from "node:crypto";
import pg from "pg";
import { ensureKeys, type LoadedKeys, loadKeys } from "../../src/auth/index.ts";
import { type AccessClaims, parseAccessClaims, signAccessToken } from "../../src/auth/tokens/access-token.ts";
import { type KeyRing, openKeyRing } from "../../src/auth/tokens/key-ring.ts";
import { VerifiedTokens } from "../../src/auth/tokens/verified-tokens.ts";
import { PortalTokens } from "../../src/auth/portal/portal-tokens.ts";
import { VerifiedUserKeys } from "../../src/auth/user-keys/verified-user-keys.ts";
import { verifySignedToken } from "../../src/auth/tokens/verify-signed-token.ts";
import type { Clock } from "../../src/time/index.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../support/database.ts";
import { silentObserver } from "../support/silent-observer.ts";

const START = Date.parse("2026-03-04T05:06:07Z");

export interface TokenContext {
  readonly database: TestDatabase;
  readonly pool: pg.Pool;
  readonly clock: Clock & { advance(seconds: number): void };
  readonly nowSeconds: () => number;
  readonly baseUrl: string;
  readonly keys: LoadedKeys;
  readonly ring: KeyRing;
  readonly verifiedTokens: VerifiedTokens;
  readonly userKeys: VerifiedUserKeys;
  readonly portalTokens: PortalTokens;
  /** How often keys were read from the database since the ring was opened. */
  readonly readings: () => number;
  addUser(): Promise<string>;
  addSession(userId: string): Promise<string>;
  claimsOf(userId: string, sessionId: string): AccessClaims;
  tokenOf(userId: string, sessionId: string): Promise<string>;
}

/** Keys and users with sessions in a separate database, without passwords and mails. */
export async function openTokenContext(
  t: Cleanup,
  overrides: { readonly anonKeyOverride?: string; readonly serviceRoleKeyOverride?: string } = {},
): Promise<TokenContext> {
  const database = await createTestDatabase(t);
  const { owner, masterKey } = database;
  let nowMs = START;
  const clock = {
    now: () => new Date(nowMs),
    advance: (seconds: number) => {
      nowMs += seconds * 1000;
    },
  };
  await ensureKeys(owner, { masterKey, clock });
  const pool = new pg.Pool({ connectionString: database.url("sb_service"), max: 4 });
  pool.on("error", () => {});
  t.after(async () => {
    if (!pool.ending) await pool.end();
  });
  const options = { anonKeyOverride: null, serviceRoleKeyOverride: null, ...overrides, masterKey, clock };
  const ring = await openKeyRing({ ...options, pool, observer: silentObserver });
  let acquired = 0;
  pool.on("acquire", () => {
    acquired += 1;
  });
  const claimsOf = (userId: string, sessionId: string): AccessClaims => ({
    iss: "https://localhost:8443/auth/v1",
    sub: userId,
    aud: "authenticated",
    exp: Math.floor(nowMs / 1000) + 3600,
    iat: Math.floor(nowMs / 1000),
    email: `${userId}@example.test`,
    phone: "",
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: {},
    role: "authenticated",
    aal: "aal1",
    amr: [{ method: "password", timestamp: Math.floor(nowMs / 1000) }],
    session_id: sessionId,
    is_anonymous: false,
  });
  return {
    database,
    pool,
    clock,
    nowSeconds: () => Math.floor(nowMs / 1000),
    baseUrl: "https://localhost:8443",
    keys: await loadKeys(owner, options),
    ring,
    verifiedTokens: new VerifiedTokens(),
    userKeys: new VerifiedUserKeys({ pool, clock, observer: silentObserver, isAal2Required: true }),
    portalTokens: new PortalTokens({ masterKey, clock }),
    readings: () => acquired,
    async addUser() {
      const id = randomUUID();
      await owner.query("insert into auth.users (id, email) values ($1, $2)", [id, `${id}@example.test`]);
      return id;
    },
    async addSession(userId) {
      const id = randomUUID();
      await owner.query(
        "insert into auth.sessions (id, user_id, refresh_key_wrapped, created_at, refreshed_at) values ($1, $2, '', $3, $3)",
        [id, userId, clock.now()],
      );
      return id;
    },
    claimsOf,
    tokenOf: (userId, sessionId) => signAccessToken(ring, claimsOf(userId, sessionId)),
  };
}

/** Returns the claims of a user's token. */
export async function verifyAccessToken(ring: KeyRing, token: string, clock: Clock): Promise<AccessClaims> {
  return parseAccessClaims((await verifySignedToken(ring, token, clock)).claims);
}
