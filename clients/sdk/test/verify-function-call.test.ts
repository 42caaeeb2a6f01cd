import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { verifyFunctionCall } from "../src/index.ts";

const SECRET = "a-secret-of-at-least-32-characters";
const NOW = new Date("2026-11-16T12:00:00Z");
const BODY = '{"order":"A-17"}';
const CALLER = {
  role: "authenticated",
  user_id: "01a1e5b9-cbc3-7dd4-b625-69f28c9c90ff",
  email: "zoë@example.com",
  session_id: null,
  aal: "aal1",
  request_id: "r",
  function: "send-invoice",
  method: "POST",
  query: "",
} as const;

function sign(caller: string, { secret = SECRET, body = BODY, at = NOW } = {}): Record<string, string> {
  const timestamp = String(at.getTime() / 1000);
  const signature = createHmac("sha256", secret).update(`${timestamp}.${caller}.${body}`).digest("hex");
  return {
    "X-Service-Caller": caller,
    "X-Service-Timestamp": timestamp,
    "X-Service-Signature": `sha256=${signature}`,
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

test("verifyFunctionCall returns the signed caller of a call", async () => {
  const headers = sign(encode(CALLER));
  for (const sent of [headers, new Headers(headers), Object.fromEntries(new Headers(headers))]) {
    assert.deepEqual(await verifyFunctionCall(BODY, sent, ["other", SECRET], { now: NOW }), CALLER);
  }
  const empty = sign(encode(CALLER), { body: "" });
  assert.deepEqual(await verifyFunctionCall(new Uint8Array(), empty, SECRET, { now: NOW }), CALLER);
});

test("verifyFunctionCall rejects everything else, with the reason", async () => {
  const valid = sign(encode(CALLER));
  const { "X-Service-Caller": _, ...withoutCaller } = valid;
  const cases: [headers: Record<string, string>, reason: string, body?: string][] = [
    [withoutCaller, "caller_missing"],
    [{ ...valid, "X-Service-Caller": encode({ ...CALLER, role: "service_role" }) }, "signature_mismatch"],
    [valid, "signature_mismatch", "{}"],
    [sign(encode(CALLER), { secret: "another" }), "signature_mismatch"],
    [sign(encode(CALLER), { at: new Date(NOW.getTime() - 301_000) }), "timestamp_out_of_tolerance"],
    [sign("not JSON"), "caller_malformed"],
    [sign(encode(null)), "caller_malformed"],
    [sign(encode({})), "caller_malformed"],
    // A webhook's signature covers no caller.
    [{ ...sign(""), "X-Service-Caller": encode(CALLER) }, "signature_mismatch"],
  ];
  for (const [headers, reason, body = BODY] of cases) {
    await assert.rejects(verifyFunctionCall(body, headers, SECRET, { now: NOW }), { reason }, JSON.stringify(headers));
  }
});
