import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import pg from "pg";
import { loadKeys, revokeSigningKey, rotateRoleKeys, rotateSigningKey } from "../../src/auth/index.ts";
import { KeyRing } from "../../src/auth/tokens/key-ring.ts";
import { VerifiedTokens } from "../../src/auth/tokens/verified-tokens.ts";
import { AppError } from "../../src/errors/index.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { openTokenContext } from "./token-context.ts";

const MIN_RELOAD_INTERVAL_MS = 1_000;

test("a new key of another node is found with its first token", async (t) => {
  const { database, ring, clock, readings } = await openTokenContext(t);
  const { kid } = await rotateSigningKey(database.owner, { masterKey: database.masterKey, clock });
  assert.notEqual(ring.current.kid, kid);
  assert.equal((await ring.findKey(kid))?.kid, kid);
  assert.equal(ring.current.kid, kid, "and new tokens are signed with it");
  assert.equal(ring.jwks.length, 2);
  await ring.findKey(kid);
  assert.equal(readings(), 1);
});

test("many unknown key ids cause at most one reload per second", async (t) => {
  const { ring, readings } = await openTokenContext(t);
  const startedMs = performance.now();
  for (let round = 0; round < 20; round += 1) {
    const found = await Promise.all(Array.from({ length: 100 }, () => ring.findKey(randomUUID())));
    assert.ok(found.every((key) => key === null));
  }
  const elapsedMs = performance.now() - startedMs;
  assert.ok(readings() <= 1 + Math.floor(elapsedMs / MIN_RELOAD_INTERVAL_MS), `${readings()} in ${elapsedMs} ms`);
  assert.ok(readings() >= 1);
});

test("an unknown key id is cached as absent", async (t) => {
  const { ring, readings } = await openTokenContext(t);
  assert.equal(await ring.findKey("nobody"), null);
  assert.equal(readings(), 1);
  const realNow = performance.now.bind(performance);
  t.mock.method(performance, "now", () => realNow() + 5 * MIN_RELOAD_INTERVAL_MS);
  assert.equal(await ring.findKey("nobody"), null);
  assert.equal(readings(), 1);
  assert.equal(await ring.findKey("somebody else"), null);
  assert.equal(readings(), 2);
});

test("a key id that could not be looked up is looked up later", async (t) => {
  const { database, ring, clock } = await openTokenContext(t);
  // A whole number: a sum of fractions is rounded, so the difference could be just below the interval.
  let nowMs = Math.ceil(performance.now());
  t.mock.method(performance, "now", () => nowMs);
  assert.equal(await ring.findKey("bogus"), null);
  const { kid } = await rotateSigningKey(database.owner, { masterKey: database.masterKey, clock });
  assert.equal(await ring.findKey(kid), null, "too soon after the last reading");
  nowMs += MIN_RELOAD_INTERVAL_MS;
  assert.equal((await ring.findKey(kid))?.kid, kid);
});

test("a revoked key verifies nothing after the next reload, including cached tokens", async (t) => {
  const { database, ring, clock, verifiedTokens, tokenOf } = await openTokenContext(t);
  const token = await tokenOf(randomUUID(), randomUUID());
  const { kid: oldKid } = ring.current;
  await verifiedTokens.verify(ring, token, clock);
  assert.equal(await revokeSigningKey(database.owner, { kid: oldKid, clock }), false, "the one that signs stays");
  await rotateSigningKey(database.owner, { masterKey: database.masterKey, clock });
  await ring.reload();
  await verifiedTokens.verify(ring, token, clock);

  assert.equal(await revokeSigningKey(database.owner, { kid: oldKid, clock }), true);
  assert.equal(await revokeSigningKey(database.owner, { kid: oldKid, clock }), false);
  await ring.reload();
  await assert.rejects(verifiedTokens.verify(ring, token, clock), { code: "UNAUTHORIZED" });
  assert.equal(verifiedTokens.count, 0);
  assert.deepEqual(
    ring.jwks.map(({ kid }) => kid),
    [ring.current.kid],
  );
});

test("API keys must match exactly, and new ones are accepted without a restart", async (t) => {
  const own = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
  const secret = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz";
  const context = await openTokenContext(t, { anonKeyOverride: own, serviceRoleKeyOverride: secret });
  const { database, ring, clock } = context;
  const { masterKey, owner } = database;
  const stored = await loadKeys(owner, { masterKey, clock, anonKeyOverride: null, serviceRoleKeyOverride: null });
  assert.equal(ring.findApiKeyRole(own), "anon");
  assert.equal(ring.findApiKeyRole(secret), "service_role");
  assert.equal(ring.findApiKeyRole(stored.anonKey), "anon");
  assert.equal(ring.findApiKeyRole(stored.serviceRoleKey), "service_role");
  for (const wrong of ["", own.slice(0, -1), `${own} `, own.toLowerCase(), stored.anonKey.slice(1), "x".repeat(1e6)]) {
    assert.equal(ring.findApiKeyRole(wrong), null);
  }

  await rotateRoleKeys(owner, { masterKey, clock, graceSeconds: 60 });
  const renewed = await loadKeys(owner, { masterKey, clock, anonKeyOverride: null, serviceRoleKeyOverride: null });
  assert.equal(ring.findApiKeyRole(renewed.serviceRoleKey), null);
  assert.equal(await ring.findNewApiKeyRole(renewed.serviceRoleKey), "service_role");
  assert.equal(ring.findApiKeyRole(stored.serviceRoleKey), "service_role", "while its grace lasts");
  clock.advance(60);
  assert.equal(ring.findApiKeyRole(stored.serviceRoleKey), null, "and not a reading longer");
  assert.equal(ring.findApiKeyRole(secret), "service_role");
});

test("while the database is unavailable, known keys work and an unknown one is a 503", async (t) => {
  const { database, keys, clock, tokenOf, ring: running } = await openTokenContext(t);
  const nowhere = new pg.Pool({ connectionString: "postgresql://nobody@127.0.0.1:1/none" });
  t.after(() => nowhere.end());
  const options = { pool: nowhere, masterKey: database.masterKey, clock, observer: silentObserver };
  const ring = new KeyRing({ ...options, anonKeyOverride: null, serviceRoleKeyOverride: null }, keys);
  const token = await tokenOf(randomUUID(), randomUUID());
  assert.equal((await new VerifiedTokens().verify(ring, token, clock)).kid, running.current.kid);
  for (const kid of ["new-1", "new-2"]) {
    await assert.rejects(ring.findKey(kid), (error) => error instanceof AppError && error.status === 503);
  }
});

test("watch ends with its signal and survives an unavailable database", async (t) => {
  const { database, keys, clock } = await openTokenContext(t);
  const nowhere = new pg.Pool({ connectionString: "postgresql://nobody@127.0.0.1:1/none" });
  t.after(() => nowhere.end());
  const noted = Promise.withResolvers<string>();
  const observer = { ...silentObserver, note: (name: string) => noted.resolve(name) };
  const options = { pool: nowhere, masterKey: database.masterKey, clock, observer };
  const ring = new KeyRing({ ...options, anonKeyOverride: null, serviceRoleKeyOverride: null }, keys);
  const stopping = new AbortController();
  const watching = ring.watch(stopping.signal, { everyMs: 5 });
  assert.equal(await noted.promise, "keys.reload_failed");
  stopping.abort();
  await watching;
  assert.equal(ring.current.kid, keys.currentSigningKey.kid);
});

test("verified tokens: a bounded LRU cache, in which no entry outlives its token", async (t) => {
  const { ring, clock, tokenOf } = await openTokenContext(t);
  const verified = new VerifiedTokens({ maxCount: 2 });
  const [first, second, third] = await Promise.all(
    Array.from({ length: 3 }, () => tokenOf(randomUUID(), randomUUID())),
  );
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const kept = await verified.verify(ring, first, clock);
  await verified.verify(ring, second, clock);
  assert.equal(await verified.verify(ring, first, clock), kept, "the same answer, not a new check");
  const other = await verified.verify(ring, second, clock);
  await verified.verify(ring, first, clock);
  await verified.verify(ring, third, clock);
  assert.equal(verified.count, 2);
  assert.equal(await verified.verify(ring, first, clock), kept);
  assert.notEqual(await verified.verify(ring, second, clock), other);

  clock.advance(3600);
  await assert.rejects(verified.verify(ring, second, clock), { message: "JWT expired" });
  await assert.rejects(verified.verify(ring, `${second}x`, clock));
  assert.ok(verified.count <= 2);
});
