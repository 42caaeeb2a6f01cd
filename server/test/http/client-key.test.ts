import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { clientKeyOf } from "../../src/http/index.ts";

const handshake = (remoteAddress: string, forwardedFor?: string): IncomingMessage =>
  ({ headers: { "x-forwarded-for": forwardedFor }, socket: { remoteAddress } }) as unknown as IncomingMessage;

test("the client key is the peer, and the forwarded address in proxy mode only", () => {
  const keyOf = (request: IncomingMessage, tlsMode: "serve" | "proxy"): string => clientKeyOf(request, { tlsMode });
  const direct = keyOf(handshake("::ffff:192.0.2.1"), "serve");
  assert.equal(keyOf(handshake("192.0.2.1", "198.51.100.7"), "serve"), direct);
  assert.equal(keyOf(handshake("10.0.0.1", "192.0.2.1"), "proxy"), direct);
  assert.equal(keyOf(handshake("192.0.2.1"), "proxy"), direct);
  assert.equal(
    keyOf(handshake("2001:db8:1:2::3"), "serve"),
    keyOf(handshake("2001:db8:1:2:ffff:ffff:ffff:ffff"), "serve"),
  );
});
