import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { UnwrapError, unwrapSecret, wrapSecret } from "../../src/crypto/index.ts";

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));

test("a wrapped secret can be unwrapped with the same key and context", () => {
  fc.assert(
    fc.property(bytes, fc.string(), (plain, context) => {
      const key = randomBytes(32);
      assert.ok(unwrapSecret(key, wrapSecret(key, plain, context), context).equals(plain));
    }),
  );
});

test("another context or another key does not unwrap a secret", () => {
  fc.assert(
    fc.property(bytes, fc.string(), fc.string(), (plain, context, otherContext) => {
      fc.pre(context !== otherContext);
      const key = randomBytes(32);
      const wrapped = wrapSecret(key, plain, context);
      assert.throws(() => unwrapSecret(key, wrapped, otherContext), UnwrapError);
      assert.throws(() => unwrapSecret(randomBytes(32), wrapped, context), UnwrapError);
    }),
  );
});

test("a single changed bit of a wrapped secret, including its version, is detected", () => {
  const key = randomBytes(32);
  const wrapped = wrapSecret(key, Buffer.from("secret"), "context");
  for (let bit = 0; bit < wrapped.length * 8; bit++) {
    const changed = Buffer.from(wrapped);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(() => unwrapSecret(key, changed, "context"), UnwrapError);
  }
});

test("a truncated wrapped secret is rejected", () => {
  const key = randomBytes(32);
  const wrapped = wrapSecret(key, Buffer.from("secret"), "context");
  for (let length = 0; length < wrapped.length; length++) {
    assert.throws(() => unwrapSecret(key, wrapped.subarray(0, length), "context"), UnwrapError);
  }
});

test("wrapping a secret twice gives different bytes, and neither contains it", () => {
  const key = randomBytes(32);
  const plain = Buffer.from("the same long secret text");
  const [first, second] = [wrapSecret(key, plain, "c"), wrapSecret(key, plain, "c")];
  assert.ok(!first.equals(second));
  assert.equal(first.indexOf(plain), -1);
  assert.equal(first[0], 1);
});

test("a key of the wrong length is a RangeError", () => {
  assert.throws(() => wrapSecret(randomBytes(16), Buffer.of(), ""), RangeError);
  assert.throws(() => unwrapSecret(randomBytes(31), Buffer.alloc(40), ""), RangeError);
});
