import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deriveKey, derivePassword, newMasterKey } from "../../src/crypto/index.ts";

test("derived keys never change: stored secrets and passwords depend on them", () => {
  assert.equal(
    deriveKey("a master key for tests", "stored-keys").toString("hex"),
    "7c36cf91dd8df5ea0f3cb529d0a609c0f43d938a8fa42bf0fdbef76aac59a001",
  );
  assert.equal(derivePassword("a master key for tests", "sb_user"), "7FTtuVAN1vGqt8DDUbobnLVc44Y6Kr0GFz1TGoPMH9c");
});

test("equal inputs give equal keys, different inputs different keys", () => {
  const text = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(text, text, text, text, (masterKey, purpose, otherMasterKey, otherPurpose) => {
      const key = deriveKey(masterKey, purpose);
      assert.equal(key.length, 32);
      assert.ok(key.equals(deriveKey(masterKey, purpose)));
      const isOther = masterKey !== otherMasterKey || purpose !== otherPurpose;
      assert.equal(key.equals(deriveKey(otherMasterKey, otherPurpose)), !isOther);
    }),
  );
});

test("a derived password needs no encoding in a connection string, and differs from the key of the same name", () => {
  const masterKey = newMasterKey();
  assert.match(derivePassword(masterKey, "sb_user"), /^[\w-]{43}$/);
  assert.notEqual(derivePassword(masterKey, "sb_user"), derivePassword(masterKey, "sb_service"));
  assert.notEqual(derivePassword(masterKey, "sb_user"), deriveKey(masterKey, "sb_user").toString("base64url"));
});

test("an empty master key or purpose is rejected", () => {
  assert.throws(() => deriveKey("", "purpose"), RangeError);
  assert.throws(() => deriveKey("key", ""), RangeError);
});

test("a new master key is 32 random bytes", () => {
  const keys = new Set(Array.from({ length: 100 }, newMasterKey));
  assert.equal(keys.size, 100);
  for (const key of keys) assert.equal(Buffer.from(key, "base64url").length, 32);
});
