import assert from "node:assert/strict";
import { test } from "node:test";
import { PortalTokens } from "../../src/auth/portal/portal-tokens.ts";
import { authenticate } from "../../src/auth/index.ts";
import { openTokenContext } from "./token-context.ts";

const RULE = { access: "bearer-alone", isBearerIgnored: false, isOfPortal: true } as const;

test("a token of the portal is valid for 15 minutes, on every node with the master key, and on no other service", async (t) => {
  const context = await openTokenContext(t);
  const { clock, portalTokens, database, addUser } = context;
  const userId = await addUser();
  const { token, expiresAt } = portalTokens.make(userId);
  assert.equal(expiresAt.getTime() - clock.now().getTime(), 900_000);
  const settings = { authSessionIdleTtlSeconds: 60, authMfaEnforce: true, authReauthenticate: true };
  const enter = (bearer = token, rule: Parameters<typeof authenticate>[1] = RULE) =>
    authenticate({ ...context, keyRing: context.ring, settings }, rule, {
      apikey: undefined,
      authorization: `Bearer ${bearer}`,
    });

  clock.advance(899);
  const { principal } = await enter();
  assert.deepEqual([principal.userId, principal.role, principal.scopes], [userId, "authenticated", ["portal"]]);
  assert.equal(new PortalTokens({ masterKey: database.masterKey, clock }).verify(token).userId, userId);
  const elsewhere = new PortalTokens({ masterKey: `${database.masterKey}x`, clock });
  assert.throws(() => elsewhere.verify(token), { code: "UNAUTHORIZED" });
  // The case of the id does not matter, and a route that does not name the portal is closed.
  assert.equal((await enter(portalTokens.make(userId.toUpperCase()).token)).principal.userId, userId);
  for (const keyScope of ["checked", ["read"], null] as const)
    await assert.rejects(enter(token, { ...RULE, isOfPortal: false, keyScope }), { code: "FORBIDDEN" });

  clock.advance(1);
  await assert.rejects(enter(), { code: "UNAUTHORIZED", message: "JWT expired" });
});
