import assert from "node:assert/strict";
import { test } from "node:test";
import { findCustomHeaderFault } from "../src/index.ts";
import { findHeaderFault } from "../src/header-rules.ts";

const TRANSPORT = [
  "host",
  "Host",
  "connection",
  "content-length",
  "Content-Length",
  "transfer-encoding",
  "keep-alive",
  "upgrade",
  "expect",
  "te",
  "trailer",
  "via",
  "http2-settings",
  "accept-encoding",
  "proxy-authorization",
  "Proxy-Connection",
  "proxy-authenticate",
];
const SENDERS = [
  "user-agent",
  "Idempotency-Key",
  "content-type",
  "content-encoding",
  "x-service-signature",
  "X-Service-Event",
  "X-Service-Identity",
  "webhook-id",
];
const FREE = ["authorization", "x-api-key", "cookie", "accept", "x-webhook-token", "servicex", "!#$%&'*+-.^_`|~"];
const BROKEN_NAMES = ["", " ", "a b", "a:b", "a\r\nb", "ü", "a\0", "(a)", "a,b", "a".repeat(257)];
const BROKEN_VALUES = ["a\r\nb: c", "a\n", "\r", "a\0", "ü", "\u007f", "\u2028", "😀", "a".repeat(4_097)];

test("connection headers are rejected for every sender", () => {
  for (const name of TRANSPORT) {
    assert.notEqual(findHeaderFault({ [name]: "x" }), null, name);
    assert.notEqual(findCustomHeaderFault({ [name]: "x" }), null, name);
  }
});

test("headers that the service sets are rejected as custom headers only", () => {
  for (const name of SENDERS) {
    assert.equal(findHeaderFault({ [name]: "x" }), null, name);
    assert.match(findCustomHeaderFault({ [name]: "x" }) ?? "", new RegExp(name, "i"));
  }
  for (const name of FREE) assert.equal(findCustomHeaderFault({ [name]: "x" }), null, name);
});

test("header names and values that are not plain text are rejected", () => {
  for (const name of BROKEN_NAMES) assert.notEqual(findHeaderFault({ [name]: "x" }), null, JSON.stringify(name));
  for (const value of BROKEN_VALUES) assert.notEqual(findHeaderFault({ "x-a": value }), null, JSON.stringify(value));
  for (const value of ["", " ", "a b\tc", "~!", "a".repeat(4_096)])
    assert.equal(findHeaderFault({ "x-a": value }), null);
  assert.notEqual(findHeaderFault({ "x-a": 1 as unknown as string }), null);
});

test("duplicate headers in any case and too many headers are rejected", () => {
  assert.match(findHeaderFault({ "X-A": "1", "x-a": "2" }) ?? "", /x-a is given twice/);
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "1"]));
  assert.equal(findCustomHeaderFault(many(20)), null);
  assert.notEqual(findCustomHeaderFault(many(21)), null);
});

test("the cache of valid header names passes no other names and no invalid values", () => {
  assert.equal(findHeaderFault({ "X-One": "1", "x-two": "2" }), null);
  assert.equal(findHeaderFault({ "X-One": "1", "x-two": "2" }), null);
  assert.notEqual(findHeaderFault({ "X-One": "1", "x-two": "a\r\nb: c" }), null);
  assert.notEqual(findHeaderFault({ "X-One": "1", "x-two": "2", "x-one": "3" }), null);
  assert.notEqual(findHeaderFault({ "X-One\nx-two": "1" }), null);
});
