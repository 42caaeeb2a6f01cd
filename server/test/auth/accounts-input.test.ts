import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { findEmail, parseEmail } from "../../src/auth/users/email-address.ts";
import { mergeMetadata } from "../../src/auth/users/metadata.ts";
import { parseAuthBody } from "../../src/auth/parse-call.ts";
import { rejection } from "./support/rejection.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

test("normalizes e-mail addresses", () => {
  const cases: Record<string, string> = {
    " Ada@Example.COM\n": "ada@example.com",
    "a+tag@b.co": "a+tag@b.co",
    "o'brien@example.ie": "o'brien@example.ie",
    "root@localhost": "root@localhost",
    "info@bücher.example": "info@xn--bcher-kva.example",
    "info@BÜCHER.example": "info@xn--bcher-kva.example",
    "info@bu\u0308cher.example": "info@xn--bcher-kva.example",
    "a@ｅｘａｍｐｌｅ.com": "a@example.com",
  };
  for (const [given, wanted] of Object.entries(cases)) assert.equal(parseEmail(given), wanted, given);
});

test("rejects texts that are not e-mail addresses", () => {
  const bad = [
    "",
    "@",
    "ada",
    "ada@",
    "@example.com",
    "ada@@example.com",
    "ada@example..com",
    "ada@.example.com",
    "ada@example.com.",
    "ada@-example.com",
    "ada@exa mple.com",
    "a da@example.com",
    "ada\0@example.com",
    "ada@example.com\0",
    "ada@exam\0ple.com",
    "ada@example.com\r\nBcc: eve@example.com",
    "ada\u007f@example.com",
    "ada\u200b@example.com",
    "ada@exa\u200bmple.com",
    "\u202eada@example.com",
    "аda@example.com",
    "\u212aate@example.com",
    "ada@%65xample.com",
    "ada@[127.0.0.1]",
    '"ada lovelace"@example.com',
    "Ada <ada@example.com>",
    "ada@example.com,eve@example.com",
    "ada\ud800@example.com",
    `${"a".repeat(65)}@example.com`,
    `a@${"a".repeat(64)}.com`,
    `a@${"a.".repeat(200)}com`,
    `${" ".repeat(5000)}a@b.co`,
  ];
  for (const text of bad) {
    assert.throws(() => parseEmail(text), rejection(400, "validation_failed", /invalid format/), JSON.stringify(text));
  }
});

test("a normalized address is lower-case printable ASCII, fits the column and stays the same when normalized again", () => {
  const parts = fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.emailAddress(),
    fc.constantFrom("a@b.co", "@", "K@ß.example"),
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 3 }), (texts) => {
      const email = findEmail(texts.join(""));
      if (email === null) return;
      assert.match(email, /^[\x21-\x7e]{3,320}$/);
      assert.equal(email, email.toLowerCase());
      assert.equal(findEmail(email), email);
    }),
    { numRuns: 2000 },
  );
});

test("metadata: a key replaces its value, null deletes it, other keys stay", () => {
  const current = { name: "Ada", nested: { a: 1, b: 2 }, gone: true };
  assert.deepEqual(mergeMetadata(current, { nested: { c: 3 }, gone: null, absent: null, added: [null] }), {
    name: "Ada",
    nested: { c: 3 },
    added: [null],
  });
  assert.deepEqual(current, { name: "Ada", nested: { a: 1, b: 2 }, gone: true });
});

test("metadata: stores `constructor` as an ordinary key and ignores `__proto__`", () => {
  const changes: unknown = JSON.parse(
    '{"__proto__": {"isAdmin": true}, "constructor": {"prototype": {"isAdmin": true}}}',
  );
  const merged = mergeMetadata({}, changes);
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(Reflect.get(merged, "isAdmin"), undefined);
  assert.equal(Reflect.get({}, "isAdmin"), undefined);
  assert.deepEqual(Object.keys(merged), ["constructor"]);
});

test("metadata: at most 32 KiB after merging, in bytes", () => {
  const maxLength = 32_768 - '{"k":""}'.length;
  mergeMetadata({}, { k: "x".repeat(maxLength) });
  const rejected = rejection(400, "validation_failed", /larger than 32768 bytes/);
  assert.throws(() => mergeMetadata({}, { k: "x".repeat(maxLength + 1) }), rejected);
  assert.throws(() => mergeMetadata({}, { k: "ä".repeat(maxLength / 2 + 1) }), rejected);
  assert.throws(() => mergeMetadata({ k: "x".repeat(maxLength) }, { more: 1 }), rejected);
  for (const none of [[], "text", 1, true, null, undefined]) {
    assert.throws(() => mergeMetadata({}, none), rejection(400, "validation_failed", /JSON object/));
  }
});

const SCHEMA = z.object({ email: z.string(), data: z.record(z.string(), z.unknown()).optional() });

test("bodies: null counts as absent, unknown members are ignored, an error names the field", () => {
  assert.deepEqual(parseAuthBody(SCHEMA, { body: { email: "a", data: null, other: 1 } }), { email: "a" });
  assert.throws(() => parseAuthBody(SCHEMA, { body: {} }), rejection(400, "validation_failed", /^email: /));
  assert.throws(() => parseAuthBody(SCHEMA, { body: { email: 7 } }), rejection(400, "validation_failed", /^email: /));
  assert.throws(
    () => parseAuthBody(SCHEMA, { body: { email: "a", data: [1] } }),
    rejection(400, "validation_failed", /^data: /),
  );
  for (const body of [[], "text", 1, null]) {
    assert.throws(() => parseAuthBody(SCHEMA, { body }), rejection(400, "bad_json", /JSON object/));
  }
});

test("bodies: rejects values that the database cannot store at any depth", () => {
  const rejected = rejection(400, "validation_failed");
  for (const bad of ["a\0b", "\ud800", "\udc00\ud800"]) {
    assert.throws(() => parseAuthBody(SCHEMA, { body: { email: bad } }), rejected);
    assert.throws(() => parseAuthBody(SCHEMA, { body: { email: "a", data: { deep: [{ here: bad }] } } }), rejected);
    assert.throws(() => parseAuthBody(SCHEMA, { body: { email: "a", data: { [bad]: 1 } } }), rejected);
  }
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`);
  assert.throws(() => parseAuthBody(SCHEMA, { body: { email: "a", data: deep } }), rejected);
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, place) => [`k${place}`, { v: [place] }]));
  assert.ok(parseAuthBody(SCHEMA, { body: { email: "a", data: wide } }));
});
