import assert from "node:assert/strict";
import { test } from "node:test";
import { decideAllowedCidrs } from "../../src/webhooks/index.ts";

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

for (const [host, nodeEnv, given, expected] of [
  ["127.0.0.1", "development", null, LOOPBACK],
  ["127.8.0.1", "test", null, LOOPBACK],
  ["::1", "development", null, LOOPBACK],
  ["localhost", "development", null, LOOPBACK],
  ["127.0.0.1", "production", null, []],
  ["0.0.0.0", "development", null, []],
  ["127.0.0.1.example.test", "development", null, []],
  ["0.0.0.0", "production", ["10.0.0.0/8"], ["10.0.0.0/8"]],
  ["127.0.0.1", "development", ["10.0.0.0/8"], ["10.0.0.0/8"]],
] as const)
  test(`HOST ${host}, ${nodeEnv}, ${given === null ? "nothing" : given.join()} given: ${expected.join() || "none"}`, () =>
    assert.deepEqual(decideAllowedCidrs({ host, nodeEnv, webhookAllowedCidrs: given }), expected));
