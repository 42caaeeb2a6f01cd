import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { test } from "node:test";
import { calculateJwkThumbprint, SignJWT } from "jose";
import { checkMasterKey, importSigningKey, rotateSigningKey } from "../../src/auth/index.ts";
import { type KeyFile, parseImportedKey } from "../../src/auth/keys/parse-imported-key.ts";
import { signAccessToken } from "../../src/auth/tokens/access-token.ts";
import { newMasterKey } from "../../src/crypto/index.ts";
import { openTokenContext, type TokenContext, verifyAccessToken } from "./token-context.ts";

const USER = randomUUID();
const SESSION = randomUUID();
const SECRET = "super-secret-jwt-token-with-at-least-32-characters-long";
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });

const privatePem = (key: KeyObject) => key.export({ format: "pem", type: "pkcs8" }).toString();
const publicPem = (key: KeyObject) => key.export({ format: "pem", type: "spki" }).toString();
const jwkText = (key: KeyObject, more: object = {}) => JSON.stringify({ ...key.export({ format: "jwk" }), ...more });

function importInto(
  { database, clock }: TokenContext,
  file: Partial<KeyFile> & Pick<KeyFile, "algorithm" | "text">,
  isCurrent = false,
) {
  const { owner, masterKey } = database;
  return importSigningKey(owner, { masterKey, clock, file: { kid: null, ...file }, isCurrent });
}

test("a public key verifies tokens that were signed elsewhere, and never signs", async (t) => {
  const context = await openTokenContext(t);
  const { kid } = await importInto(context, { algorithm: "RS256", text: publicPem(rsa.publicKey), kid: "elsewhere-1" });
  assert.equal(kid, "elsewhere-1");
  const token = await new SignJWT({ ...context.claimsOf(USER, SESSION) })
    .setProtectedHeader({ alg: "RS256", kid })
    .sign(rsa.privateKey);
  assert.equal((await verifyAccessToken(context.ring, token, context.clock)).sub, USER);
  assert.notEqual(context.ring.current.kid, kid);
  assert.deepEqual(
    context.ring.jwks.find((jwk) => jwk.kid === kid),
    { ...rsa.publicKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig", key_ops: ["verify"] },
  );
  await assert.rejects(
    importInto(context, { algorithm: "RS256", text: publicPem(rsa.publicKey), kid: "elsewhere-2" }, true),
    /Only a private key can sign/,
  );
  // The next start checks the master key against the newest key that has a private part; this one has none.
  await checkMasterKey(context.database.owner, context.database.masterKey);
});

for (const [algorithm, text, listed] of [
  ["RS256", privatePem(rsa.privateKey), true],
  ["RS256", jwkText(rsa.privateKey, { alg: "RS256", key_ops: ["sign"] }), true],
  ["ES256", privatePem(ec.privateKey), true],
  ["ES256", ec.privateKey.export({ format: "pem", type: "sec1" }).toString(), true],
  ["ES256", jwkText(ec.privateKey), true],
  ["HS256", `${SECRET}\n`, false],
  ["HS256", JSON.stringify({ kty: "oct", k: Buffer.from(SECRET).toString("base64url"), kid: "hs" }), false],
] as const) {
  test(`${algorithm} from ${text.slice(0, 27).trim()}… signs when it is made the current one`, async (t) => {
    const context = await openTokenContext(t);
    const oldToken = await context.tokenOf(USER, SESSION);
    const { kid } = await importInto(context, { algorithm, text }, true);
    await context.ring.reload();
    assert.equal(context.ring.current.kid, kid);
    assert.equal(context.ring.current.algorithm, algorithm);
    const token = await signAccessToken(context.ring, context.claimsOf(USER, SESSION));
    assert.deepEqual(JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()), {
      alg: algorithm,
      kid,
      typ: "JWT",
    });
    for (const good of [token, oldToken]) {
      assert.equal((await verifyAccessToken(context.ring, good, context.clock)).sub, USER);
    }
    assert.equal(
      context.ring.jwks.some((jwk) => jwk.kid === kid),
      listed,
    );
    assert.ok(
      context.ring.jwks.every((jwk) => !["d", "p", "q", "k"].some((name) => name in jwk)),
      "nothing secret is listed",
    );
    const { rows } = await context.database.owner.query(
      "select public_jwk::text as jwk, private_key_wrapped as wrapped from private.signing_keys where kid = $1",
      [kid],
    );
    assert.equal(rows[0].wrapped.includes(SECRET), false);
    assert.doesNotMatch(String(rows[0].jwk), /"d"|"k"/);

    const { kid: next } = await rotateSigningKey(context.database.owner, {
      masterKey: context.database.masterKey,
      clock: context.clock,
    });
    await context.ring.reload();
    assert.equal(context.ring.current.kid, next);
    assert.equal((await verifyAccessToken(context.ring, token, context.clock)).sub, USER);
  });
}

test("the key id comes from the option, the file, or the key itself", async () => {
  const parse = (file: Pick<KeyFile, "algorithm" | "text"> & Partial<KeyFile>) =>
    parseImportedKey({ kid: null, ...file });
  const text = jwkText(ec.publicKey, { kid: "in-file" });
  assert.equal((await parse({ algorithm: "ES256", text, kid: "given" })).kid, "given");
  assert.equal((await parse({ algorithm: "ES256", text })).kid, "in-file");
  const thumbprint = await calculateJwkThumbprint(ec.publicKey.export({ format: "jwk" }));
  assert.equal((await parse({ algorithm: "ES256", text: publicPem(ec.publicKey) })).kid, thumbprint);
  const secret = await parse({ algorithm: "HS256", text: SECRET });
  const again = await parse({ algorithm: "HS256", text: SECRET });
  assert.notEqual(secret.kid, again.kid, "made from nothing that it could give away");
  assert.deepEqual(secret.plain, Buffer.from(SECRET));
});

test("unsuitable keys are rejected with a reason", async (t) => {
  const context = await openTokenContext(t);
  const small = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const encrypted = rsa.privateKey
    .export({ format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "x" })
    .toString();
  for (const [file, reason] of [
    [{ algorithm: "HS256", text: "short" }, /at least 32 bytes/],
    [{ algorithm: "HS256", text: "" }, /at least 32 bytes/],
    [{ algorithm: "HS256", text: publicPem(rsa.publicKey) }, /PEM file/],
    [{ algorithm: "HS256", text: jwkText(rsa.publicKey) }, /kind oct/],
    [{ algorithm: "RS256", text: publicPem(ec.publicKey) }, /RSA key/],
    [{ algorithm: "RS256", text: publicPem(small.publicKey) }, /2048 bits/],
    [{ algorithm: "RS256", text: encrypted }, /encrypted/],
    [{ algorithm: "RS256", text: SECRET }, /neither a JWK nor a PEM/],
    [{ algorithm: "ES256", text: publicPem(p384.publicKey) }, /P-256/],
    [{ algorithm: "ES256", text: jwkText(ec.publicKey, { x: "AA" }) }, /cannot be read|not a key/],
    [{ algorithm: "ES256", text: jwkText(ec.publicKey, { alg: "ES384" }) }, /for ES384/],
    [{ algorithm: "ES256", text: "{" }, /neither a JWK nor a PEM/],
    [{ algorithm: "ES256", text: jwkText(ec.publicKey), kid: "a b" }, /printable ASCII/],
    [{ algorithm: "ES256", text: jwkText(ec.publicKey), kid: "" }, /printable ASCII/],
    [{ algorithm: "ES256", text: jwkText(ec.publicKey), kid: context.ring.current.kid }, /already exists/],
  ] as const) {
    await assert.rejects(importInto(context, file), { name: "KeyImportError", message: reason }, `${reason}`);
  }
  const { owner } = context.database;
  const { rows } = await owner.query("select count(*)::int as count from private.signing_keys");
  assert.equal(rows[0].count, 2);
  await assert.rejects(
    importSigningKey(owner, {
      masterKey: newMasterKey(),
      clock: context.clock,
      file: { algorithm: "ES256", text: jwkText(ec.privateKey), kid: null },
      isCurrent: true,
    }),
    { name: "MasterKeyError" },
  );
});
