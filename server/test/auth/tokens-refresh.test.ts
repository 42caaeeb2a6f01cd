import assert from "node:assert/strict";
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { decodeRefreshToken, encodeRefreshToken, isRefreshTokenSigned } from "../../src/auth/tokens/refresh-token.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

const MAX_COUNTER = 2n ** 63n - 1n;
const parts = fc.record({ sessionId: fc.uuid(), counter: fc.bigInt({ min: 0n, max: MAX_COUNTER }) });
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

test("an encoded refresh token decodes and verifies with its own key only", () => {
  fc.assert(
    fc.property(parts, key, key, (token, ownKey, otherKey) => {
      const decoded = decodeRefreshToken(encodeRefreshToken(token, ownKey));
      assert.ok(decoded !== null);
      assert.deepEqual([decoded.sessionId, decoded.counter], [token.sessionId, token.counter]);
      assert.ok(isRefreshTokenSigned(decoded, ownKey));
      assert.equal(isRefreshTokenSigned(decoded, otherKey), ownKey.equals(otherKey));
    }),
  );
});

test("any changed bit invalidates a refresh token", () => {
  fc.assert(
    fc.property(parts, key, fc.nat(), (token, ownKey, place) => {
      const bytes = Buffer.from(encodeRefreshToken(token, ownKey), "base64url");
      const bit = place % (bytes.length * 8);
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const decoded = decodeRefreshToken(bytes.toString("base64url"));
      assert.ok(decoded === null || !isRefreshTokenSigned(decoded, ownKey));
    }),
  );
});

test("a forged refresh token with a right checksum fails the signature check", () => {
  const ownKey = randomBytes(32);
  const sessionId = randomUUID();
  const forged = decodeRefreshToken(encodeRefreshToken({ sessionId, counter: 7n }, randomBytes(32)));
  assert.ok(forged !== null);
  assert.equal(isRefreshTokenSigned(forged, ownKey), false);
  const genuine = decodeRefreshToken(encodeRefreshToken({ sessionId, counter: 7n }, ownKey));
  assert.ok(genuine !== null);
  assert.equal(isRefreshTokenSigned({ ...genuine, counter: 8n }, ownKey), false);
  assert.equal(isRefreshTokenSigned({ ...genuine, sessionId: randomUUID() }, ownKey), false);
});

test("the layout of a refresh token: version, session id, counter, tag, checksum", () => {
  const ownKey = Buffer.alloc(32, 1);
  const bytes = Buffer.from(
    encodeRefreshToken({ sessionId: "00112233-4455-6677-8899-aabbccddeeff", counter: 300n }, ownKey),
    "base64url",
  );
  const signed = Buffer.from("0000112233445566778899aabbccddeeffac02", "hex");
  assert.ok(bytes.subarray(0, 19).equals(signed));
  assert.ok(bytes.subarray(19, 35).equals(createHmac("sha256", ownKey).update(signed).digest().subarray(0, 16)));
  assert.equal(bytes.length, 39);
});

test("garbage decodes to null and does not throw", () => {
  const token = encodeRefreshToken({ sessionId: randomUUID(), counter: 1n }, randomBytes(32));
  for (const text of [
    "",
    " ",
    ".",
    "\0",
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    `${token}\n`,
    token.replace(/.$/, "*"),
    token.repeat(1000),
    "é".repeat(52),
    "A".repeat(52),
  ]) {
    assert.equal(decodeRefreshToken(text), null, JSON.stringify(text.slice(0, 80)));
  }
  fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => decodeRefreshToken(text) === null));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      decodeRefreshToken(Buffer.from(bytes).toString("base64url"));
    }),
  );
});

test("an impossible counter or session id throws a RangeError", () => {
  const ownKey = randomBytes(32);
  assert.throws(() => encodeRefreshToken({ sessionId: randomUUID(), counter: -1n }, ownKey), RangeError);
  assert.throws(() => encodeRefreshToken({ sessionId: randomUUID(), counter: MAX_COUNTER + 1n }, ownKey), RangeError);
  assert.throws(() => encodeRefreshToken({ sessionId: "not-one", counter: 0n }, ownKey), RangeError);
});
