import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { importSigningKey, loadKeys, rotateRoleKeys } from "../../src/auth/index.ts";
import { authenticate } from "../../src/auth/principal/authenticate.ts";
import { resolvePrincipal } from "../../src/auth/principal/resolve-principal.ts";
import { ANON_PRINCIPAL, SERVICE_PRINCIPAL } from "../../src/db/index.ts";
import { type AccessClaims, signAccessToken } from "../../src/auth/tokens/access-token.ts";
import { VerifiedTokens } from "../../src/auth/tokens/verified-tokens.ts";
import { AppError, renderError } from "../../src/errors/index.ts";
import { openTokenContext, type TokenContext } from "./token-context.ts";

const SETTINGS = { authSessionIdleTtlSeconds: 0, authMfaEnforce: true, authReauthenticate: true };
const SECRET = "super-secret-jwt-token-with-at-least-32-characters-long";
const PUBLISHABLE = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";

let context: TokenContext;
let userId: string;
let sessionId: string;
let token: string;
let anon: string;
let service: string;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  context = await openTokenContext({ after: (close) => closers.unshift(close) }, { anonKeyOverride: PUBLISHABLE });
  const { database, clock } = context;
  await importSigningKey(database.owner, {
    masterKey: database.masterKey,
    clock,
    file: { algorithm: "HS256", text: SECRET, kid: null },
    isCurrent: false,
  });
  await context.ring.reload();
  userId = await context.addUser();
  sessionId = await context.addSession(userId);
  token = await context.tokenOf(userId, sessionId);
  ({ anonKey: anon, serviceRoleKey: service } = context.keys);
  anon = context.keys.apiKeys.find((key) => key.role === "anon" && key.token !== PUBLISHABLE)?.token ?? "";
});
after(async () => {
  for (const close of closers) await close();
});

const resolve = (apikey: string | undefined, authorization?: string) =>
  resolvePrincipal({ ...context, keyRing: context.ring, settings: SETTINGS }, { apikey, authorization });
const roleOf = async (apikey: string, authorization?: string) => (await resolve(apikey, authorization)).principal.role;

function legacyToken(claims: Record<string, unknown>): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ exp: context.nowSeconds() + 60, ...claims })}`;
  return `${signed}.${createHmac("sha256", SECRET).update(signed).digest("base64url")}`;
}

function rejection(message: RegExp, status = 401) {
  return (error: unknown) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.status, status);
    assert.match(error.message, message);
    return true;
  };
}

describe("the API key", () => {
  it("is required", async () => {
    for (const missing of [undefined, ""]) {
      await assert.rejects(resolve(missing), rejection(/^No API key found in request$/));
      await assert.rejects(resolve(missing, `Bearer ${service}`), rejection(/No API key/));
    }
    const error = await resolve(undefined).catch((caught: unknown) => caught);
    const { status, body } = renderError(error);
    assert.equal(status, 401);
    assert.deepEqual(JSON.parse(body), {
      error: "Unauthorized",
      code: "UNAUTHORIZED",
      message: "No API key found in request",
      details: null,
      hint: "No `apikey` request header or url param was found.",
    });
  });

  it("must equal a known key", async () => {
    for (const wrong of ["x", anon.slice(0, -1), `${anon}, ${anon}`, token, "sb_publishable_unknown", "\0", "é"]) {
      await assert.rejects(resolve(wrong, `Bearer ${token}`), rejection(/^Invalid API key$/), wrong);
    }
  });

  it("decides the role when there is no bearer", async () => {
    assert.deepEqual(await resolve(anon), { principal: ANON_PRINCIPAL, hasAuthorization: false });
    assert.deepEqual(await resolve(PUBLISHABLE), { principal: ANON_PRINCIPAL, hasAuthorization: false });
    assert.deepEqual(await resolve(service), { principal: SERVICE_PRINCIPAL, hasAuthorization: false });
  });
});

describe("the bearer", () => {
  it("that is a key has that key's role, whatever the apikey is", async () => {
    assert.deepEqual(await resolve(anon, `Bearer ${anon}`), { principal: ANON_PRINCIPAL, hasAuthorization: true });
    assert.equal(await roleOf(anon, `Bearer ${service}`), "service_role");
    assert.equal(await roleOf(service, `Bearer ${anon}`), "anon");
    assert.equal(await roleOf(service, `Bearer ${PUBLISHABLE}`), "anon");
    assert.equal(await roleOf(service, "Bearer sb_temp_whatever"), "service_role");
    assert.equal(await roleOf(anon, "Bearer sb_secret_unknown"), "anon");
  });

  it("that is a user's token takes precedence over the key", async () => {
    for (const key of [anon, PUBLISHABLE, service]) {
      const { principal } = await resolve(key, `Bearer ${token}`);
      assert.deepEqual(principal, {
        role: "authenticated",
        userId,
        claims: context.claimsOf(userId, sessionId),
        session: { userId, sessionId, inactivitySeconds: SETTINGS.authSessionIdleTtlSeconds, isAal2Required: true },
      });
    }
  });

  it("requires aal2 unless that is switched off, or an imported key has signed it for a token without a session", async () => {
    const requires = async (claims: Partial<AccessClaims>, authMfaEnforce: boolean): Promise<boolean | undefined> => {
      const verifiedTokens = new VerifiedTokens();
      const authContext = {
        ...context,
        verifiedTokens,
        keyRing: context.ring,
        settings: { ...SETTINGS, authMfaEnforce },
      };
      const bearer = await signAccessToken(context.ring, { ...context.claimsOf(userId, sessionId), ...claims });
      const { principal } = await resolvePrincipal(authContext, { apikey: anon, authorization: `Bearer ${bearer}` });
      return principal.session?.isAal2Required;
    };
    for (const aal of ["aal1", "aal2"] as const) {
      assert.equal(await requires({ aal }, true), true, "the session's row decides");
      assert.equal(await requires({ aal }, false), false);
      assert.equal(await requires({ aal, session_id: "" }, true), aal === "aal1");
    }
  });

  it("has a case-insensitive scheme, and any other header is rejected", async () => {
    for (const scheme of ["bearer", "BEARER", "bEaReR"])
      assert.equal(await roleOf(anon, `${scheme} ${token}`), "authenticated");
    assert.equal(await roleOf(anon, `Bearer    ${token}`), "authenticated");
    for (const wrong of [
      "",
      "Bearer",
      "Bearer ",
      token,
      `Bearer${token}`,
      `Basic ${token}`,
      `Bearer ${token} ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${anon}, Bearer ${service}`,
      `Bearer ${token}\0`,
      `Token ${service}`,
      "Bearer undefined",
      "Bearer null",
      `Bearer ${service.slice(0, -1)}`,
    ]) {
      await assert.rejects(resolve(service, wrong), rejection(/unable to parse or verify/), wrong.slice(0, 30));
    }
  });

  it("of an imported key without a user has the role it names", async () => {
    assert.equal(await roleOf(anon, `Bearer ${legacyToken({ role: "anon", iss: "supabase" })}`), "anon");
    assert.equal(
      await roleOf(anon, `Bearer ${legacyToken({ role: "service_role", iss: "supabase" })}`),
      "service_role",
    );
    for (const role of ["authenticated", "postgres", "swarmbase_owner", "", undefined]) {
      await assert.rejects(resolve(anon, `Bearer ${legacyToken({ role })}`), rejection(/missing sub/), role);
    }
  });

  it("of a user acts as the user, even when it names the service role", async () => {
    const powerful = await resolve(anon, `Bearer ${legacyToken({ sub: userId, role: "service_role" })}`);
    assert.equal(powerful.principal.role, "authenticated");
    await assert.rejects(
      authenticate(
        { ...context, keyRing: context.ring, settings: SETTINGS },
        { access: "service", isBearerIgnored: false },
        { apikey: anon, authorization: `Bearer ${legacyToken({ sub: userId, role: "service_role" })}` },
      ),
      rejection(/User not allowed/, 403),
    );
  });

  it("that is a revoked key is rejected, although its signature is valid", async (t) => {
    const own = await openTokenContext(t);
    const { owner, masterKey } = own.database;
    const old = own.keys.serviceRoleKey;
    await rotateRoleKeys(owner, { masterKey, clock: own.clock, graceSeconds: 0 });
    await own.ring.reload();
    const { anonKey } = await loadKeys(owner, {
      masterKey,
      clock: own.clock,
      anonKeyOverride: null,
      serviceRoleKeyOverride: null,
    });
    const ownContext = { ...own, keyRing: own.ring, settings: SETTINGS };
    const credentials = { apikey: anonKey, authorization: `Bearer ${old}` };
    await assert.rejects(resolvePrincipal(ownContext, credentials), rejection(/JWT/));
    await assert.rejects(
      resolvePrincipal(ownContext, { apikey: old, authorization: undefined }),
      rejection(/Invalid API key/),
    );
  });
});

describe("access rules", () => {
  const admit = (access: "public" | "apikey" | "user" | "service", apikey?: string, bearer?: string, ignored = false) =>
    authenticate(
      { ...context, keyRing: context.ring, settings: SETTINGS },
      { access, isBearerIgnored: ignored },
      { apikey, authorization: bearer === undefined ? undefined : `Bearer ${bearer}` },
    );
  const code = (error: unknown) => (error instanceof AppError ? error.extra.members?.["error_code"] : error);
  const assertRejected = async (attempt: Promise<unknown>, status: number, name: string | undefined) =>
    assert.rejects(attempt, (error: unknown) => {
      assert.ok(error instanceof AppError, String(error));
      assert.deepEqual([error.status, code(error)], [status, name], error.message);
      return true;
    });

  it("public requires nothing and resolves to anon", async () => {
    for (const [key, bearer] of [
      [undefined, undefined],
      ["wrong", "wrong"],
      [service, service],
    ] as const) {
      assert.deepEqual((await admit("public", key, bearer)).principal, ANON_PRINCIPAL);
    }
  });

  it("apikey requires a key and resolves the bearer unless it is ignored", async () => {
    await assertRejected(admit("apikey"), 401, undefined);
    assert.equal((await admit("apikey", anon, token)).principal.role, "authenticated");
    await assertRejected(admit("apikey", anon, "expired.or.bad"), 401, "bad_jwt");
    assert.equal((await admit("apikey", anon, "expired.or.bad", true)).principal.role, "anon");
    assert.equal((await admit("apikey", service, token, true)).principal.role, "service_role");
    await assertRejected(admit("apikey", "wrong", token, true), 401, undefined);
  });

  it("user requires a user with a live session", async () => {
    assert.equal((await admit("user", anon, token)).principal.role, "authenticated");
    await assertRejected(admit("user", anon), 401, "no_authorization");
    await assertRejected(admit("user", service), 401, "no_authorization");
    await assertRejected(admit("user", anon, anon), 401, "bad_jwt");
    await assertRejected(admit("user", anon, service), 401, "bad_jwt");
    await assertRejected(admit("user", anon, await context.tokenOf(userId, randomUUID())), 401, "session_not_found");
    await assertRejected(admit("user", undefined, token), 401, undefined);
  });

  it("service requires the service role", async () => {
    assert.equal((await admit("service", service)).principal.role, "service_role");
    assert.equal((await admit("service", anon, service)).principal.role, "service_role");
    await assertRejected(admit("service", anon), 401, "no_authorization");
    await assertRejected(admit("service", anon, anon), 403, "not_admin");
    await assertRejected(admit("service", anon, token), 403, "not_admin");
    await assertRejected(admit("service", service, token), 403, "not_admin");
    await assertRejected(admit("service", service, "bad"), 401, "bad_jwt");
  });
});
