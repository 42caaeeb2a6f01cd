import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify, SignJWT } from "jose";
import pg from "pg";
import {
  checkMasterKey,
  ensureKeys,
  loadKeys,
  MasterKeyError,
  rotateRoleKeys,
  rotateSigningKey,
} from "../../src/auth/index.ts";
import { newMasterKey } from "../../src/crypto/index.ts";
import { createTestDatabase } from "../support/database.ts";

const masterKey = newMasterKey();
const noOverrides = { anonKeyOverride: null, serviceRoleKeyOverride: null };

function jwksOf(keys: readonly { readonly jwk: JWK | null }[]): JWK[] {
  return keys.map(({ jwk }) => jwk ?? assert.fail("a key of ours has a public half"));
}

function clockAt(start: string) {
  let now = new Date(start);
  return {
    now: () => now,
    advance: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000);
    },
  };
}

test("ensureKeys creates keys once and finds them at the second call", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  const first = await ensureKeys(owner, { masterKey, clock });
  assert.deepEqual(first.created, ["access_token", "role_key", "anon", "service_role"]);
  const before = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  assert.deepEqual((await ensureKeys(owner, { masterKey, clock })).created, []);
  const after = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  assert.equal(after.anonKey, before.anonKey);
  assert.equal(after.serviceRoleKey, before.serviceRoleKey);
  assert.equal(after.currentSigningKey.kid, before.currentSigningKey.kid);
});

test("ensureKeys completes an interrupted set-up", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  await owner.query("delete from private.api_keys where role = 'service_role'");
  assert.deepEqual((await ensureKeys(owner, { masterKey, clock })).created, ["service_role"]);
});

test("role keys are ES256 tokens with their role, valid for ten years, signed by a separate key", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  const keys = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  const roleKeys = keys.signingKeys.filter(({ purpose }) => purpose === "role_key");
  const verifier = createLocalJWKSet({ keys: jwksOf(roleKeys) });

  for (const [role, token] of [
    ["anon", keys.anonKey],
    ["service_role", keys.serviceRoleKey],
  ] as const) {
    const { payload, protectedHeader } = await jwtVerify(token, verifier, {
      currentDate: clock.now(),
      issuer: "swarmbase",
    });
    assert.deepEqual(payload, {
      iss: "swarmbase",
      role,
      iat: Date.parse("2026-01-02T03:04:05Z") / 1000,
      exp: Date.parse("2036-01-02T03:04:05Z") / 1000,
    });
    assert.equal(protectedHeader.alg, "ES256");
    assert.equal(protectedHeader.kid, roleKeys[0]?.kid);
  }
  assert.notEqual(keys.currentSigningKey.kid, roleKeys[0]?.kid);
  for (const jwk of jwksOf(keys.signingKeys)) {
    assert.equal(jwk.kid, await calculateJwkThumbprint(jwk));
    assert.equal("d" in jwk, false);
  }
});

test("the database holds neither a private key nor a role key in the clear", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  const keys = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  const der = keys.currentSigningKey.privateKey.export({ format: "der", type: "pkcs8" });
  const { rows } = await owner.query<{ bytes: Buffer }>(
    "select private_key_wrapped as bytes from private.signing_keys union all select token_wrapped from private.api_keys",
  );
  assert.equal(rows.length, 4);
  for (const { bytes } of rows) {
    assert.equal(bytes.indexOf(der.subarray(30)), -1);
    assert.equal(bytes.indexOf(keys.anonKey.slice(10)), -1);
  }
  const { rows: hashes } = await owner.query("select token_hash from private.api_keys where role = 'anon'");
  assert.ok(hashes[0].token_hash.equals(createHash("sha256").update(keys.anonKey).digest()));
});

test("a wrong master key is reported as such and changes nothing", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await checkMasterKey(owner, masterKey);
  await ensureKeys(owner, { masterKey, clock });
  await checkMasterKey(owner, masterKey);
  const wrong = { masterKey: newMasterKey(), clock };
  const expected = { name: "MasterKeyError", message: "MASTER_KEY does not open the keys stored in this database" };
  await assert.rejects(ensureKeys(owner, wrong), expected);
  await assert.rejects(loadKeys(owner, { ...wrong, ...noOverrides }), MasterKeyError);
  await assert.rejects(checkMasterKey(owner, wrong.masterKey), MasterKeyError);
  await assert.rejects(rotateSigningKey(owner, wrong), MasterKeyError);
  await assert.rejects(rotateRoleKeys(owner, { ...wrong, graceSeconds: 0 }), MasterKeyError);
  const { rows } = await owner.query(
    "select count(*)::int as count from private.signing_keys where status = 'current'",
  );
  assert.equal(rows[0].count, 2);
});

test("a wrapped key that was moved to another row cannot be unwrapped", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  await owner.query(
    `update private.api_keys set token_wrapped = (select token_wrapped from private.api_keys where role = 'service_role')
      where role = 'anon'`,
  );
  await assert.rejects(loadKeys(owner, { masterKey, clock, ...noOverrides }), MasterKeyError);
});

test("rotating the signing key: the new key signs, tokens of the old key stay valid", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  const before = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  const { kid: oldKid, privateKey } = before.currentSigningKey;
  const token = await new SignJWT({ sub: "somebody" })
    .setProtectedHeader({ alg: "ES256", kid: oldKid })
    .sign(privateKey);

  clock.advance(60);
  const { kid } = await rotateSigningKey(owner, { masterKey, clock });
  const after = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  assert.equal(after.currentSigningKey.kid, kid);
  assert.notEqual(kid, oldKid);
  assert.equal(after.anonKey, before.anonKey);
  const accessKeys = after.signingKeys.filter(({ purpose }) => purpose === "access_token");
  assert.deepEqual(
    accessKeys.map(({ kid: id, status }) => [id, status]),
    [
      [kid, "current"],
      [oldKid, "previous"],
    ],
  );
  await jwtVerify(token, createLocalJWKSet({ keys: jwksOf(accessKeys) }));

  clock.advance(30 * 24 * 3600);
  await rotateSigningKey(owner, { masterKey, clock });
  const later = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  assert.ok(!later.signingKeys.some(({ kid: id }) => id === oldKid), "a key that no token can be of any more is gone");
});

test("concurrent rotations leave one current key", async (t) => {
  const { owner, url } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  const clients = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const client = new pg.Client({ connectionString: url("swarmbase_owner") });
      await client.connect();
      return client;
    }),
  );
  try {
    await Promise.all(clients.map((client) => rotateSigningKey(client, { masterKey, clock })));
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
  const { rows } = await owner.query(
    "select status, count(*)::int as count from private.signing_keys where purpose = 'access_token' group by 1 order by 1",
  );
  assert.deepEqual(rows, [
    { status: "current", count: 1 },
    { status: "previous", count: 5 },
  ]);
});

test("rotating role keys at once: the old ones are no longer accepted", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  const before = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  clock.advance(60);
  await rotateRoleKeys(owner, { masterKey, clock, graceSeconds: 0 });
  const after = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  assert.notEqual(after.anonKey, before.anonKey);
  assert.notEqual(after.serviceRoleKey, before.serviceRoleKey);
  assert.deepEqual(
    after.apiKeys.map(({ token }) => token).toSorted(),
    [after.anonKey, after.serviceRoleKey].toSorted(),
  );
  const oldKid = decodeProtectedHeader(before.anonKey).kid;
  assert.ok(!after.signingKeys.some(({ kid }) => kid === oldKid));
});

test("rotating role keys with a grace period: both are accepted until it ends", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  const before = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  clock.advance(60);
  const { oldKeysEndAt } = await rotateRoleKeys(owner, { masterKey, clock, graceSeconds: 3600 });
  assert.equal(oldKeysEndAt.toISOString(), "2026-01-02T04:05:05.000Z");
  const during = await loadKeys(owner, { masterKey, clock, ...noOverrides });
  assert.notEqual(during.anonKey, before.anonKey);
  assert.equal(during.apiKeys.length, 4);
  assert.deepEqual(during.apiKeys.find(({ token }) => token === before.anonKey)?.revokedAt, oldKeysEndAt);
  clock.advance(3601);
  assert.equal((await loadKeys(owner, { masterKey, clock, ...noOverrides })).apiKeys.length, 2);

  await rotateRoleKeys(owner, { masterKey, clock, graceSeconds: 3600 });
  await rotateRoleKeys(owner, { masterKey, clock, graceSeconds: 0 });
  assert.equal((await loadKeys(owner, { masterKey, clock, ...noOverrides })).apiKeys.length, 2, "ends a grace too");
});

test("keys from the environment take precedence, and the stored ones stay accepted", async (t) => {
  const { owner } = await createTestDatabase(t);
  const clock = clockAt("2026-01-02T03:04:05Z");
  await ensureKeys(owner, { masterKey, clock });
  const keys = await loadKeys(owner, { masterKey, clock, anonKeyOverride: "mine", serviceRoleKeyOverride: null });
  assert.equal(keys.anonKey, "mine");
  assert.deepEqual(keys.apiKeys[0], { role: "anon", token: "mine", revokedAt: null });
  assert.equal(keys.apiKeys.length, 3);
});
