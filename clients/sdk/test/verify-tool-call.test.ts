import assert from "node:assert/strict";
import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { test } from "node:test";
import { type ToolCallClaims, type VerifyToolCallOptions, verifyToolCall } from "../src/index.ts";

const ISSUER = "https://service.example.com";
const AUDIENCE = "https://shop.example.com";
const NOW = new Date("2026-11-18T12:00:00Z");
const IAT = NOW.getTime() / 1000;
const BODY = '{"order":"Zoë"}';
const HEAD = { alg: "EdDSA", typ: "tool-call+jwt", kid: "one" };
const CLAIMS: ToolCallClaims = {
  iss: ISSUER,
  aud: `${AUDIENCE}/orders/7?full=1`,
  htm: "POST",
  body_sha256: createHash("sha256").update(BODY).digest("base64url"),
  tool: { id: "t", name: "orders" },
  sub: "u",
  act: { sub: "a" },
  run_id: "r",
  tool_call_id: "c",
  jti: "j",
  iat: IAT,
  exp: IAT + 60,
};

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const jwkOf = (key: KeyObject, kid: string) => ({ ...key.export({ format: "jwk" }), kid, alg: "EdDSA", use: "sig" });
const jwks = { keys: [jwkOf(publicKey, "one")] };
const OPTIONS: VerifyToolCallOptions = { issuer: ISSUER, audience: AUDIENCE, jwks, now: NOW };

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function makeToken(claims: object = CLAIMS, head: object = HEAD, key = privateKey): string {
  const signed = `${encode(head)}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
}

function makeRequest(token: string | null = makeToken()) {
  const headers: Record<string, string> = token === null ? {} : { "x-service-identity": token };
  return { method: "POST", url: "/orders/7?full=1", headers, body: BODY };
}

test("verifyToolCall returns the claims of a call, from a Request or its parts", async () => {
  const parts = makeRequest();
  const request = new Request(`${AUDIENCE}/orders/7?full=1`, parts);
  assert.deepEqual(await verifyToolCall(request, OPTIONS), CLAIMS);
  assert.equal(await request.text(), BODY);
  // A view of a larger buffer.
  const bytes = Buffer.from(`...${BODY}`).subarray(3);
  assert.deepEqual(
    await verifyToolCall({ ...parts, headers: new Headers(parts.headers), body: bytes }, OPTIONS),
    CLAIMS,
  );
  assert.deepEqual(await verifyToolCall(parts, { ...OPTIONS, issuer: `${ISSUER}/`, audience: `${AUDIENCE}/` }), CLAIMS);
  // Behind a proxy that removes a part of the path.
  const behind = { ...parts, url: "/7?full=1" };
  assert.deepEqual(await verifyToolCall(behind, { ...OPTIONS, audience: `${AUDIENCE}/orders` }), CLAIMS);

  const empty = makeToken({ ...CLAIMS, htm: "GET", body_sha256: createHash("sha256").digest("base64url") });
  const get = { method: "GET", headers: { "x-service-identity": empty } };
  assert.equal((await verifyToolCall(new Request(CLAIMS.aud, get), OPTIONS)).sub, "u");
  assert.equal((await verifyToolCall({ ...get, url: "/orders/7?full=1" }, OPTIONS)).sub, "u");
});

test("verifyToolCall rejects a token that is sent with another request, or too late", async () => {
  const at = (seconds: number): Partial<VerifyToolCallOptions> => ({ now: new Date(NOW.getTime() + seconds * 1000) });
  type Case = [reason: string, request: object, options?: Partial<VerifyToolCallOptions>];
  const cases: Case[] = [
    ["audience_mismatch", { url: "/orders/8?full=1" }],
    ["audience_mismatch", { url: "/orders/7" }],
    ["audience_mismatch", { url: undefined }],
    ["audience_mismatch", { url: "//shop.example.com/orders/7?full=1" }],
    ["audience_mismatch", {}, { audience: "https://other.example.com" }],
    ["method_mismatch", { method: "PUT" }],
    ["method_mismatch", { method: undefined }],
    ["body_mismatch", { body: "{}" }],
    ["body_mismatch", { body: null }],
    ["token_expired", {}, at(65)],
    ["token_expired", {}, { ...at(60), toleranceSeconds: 0 }],
    ["token_expired", {}, { now: new Date(Number.NaN) }],
    ["token_not_yet_valid", {}, at(-6)],
    ["issuer_mismatch", {}, { issuer: "https://other.example.com" }],
  ];
  for (const [reason, request, options] of cases)
    await assert.rejects(verifyToolCall({ ...makeRequest(), ...request }, { ...OPTIONS, ...options }), {
      name: "ToolCallVerificationError",
      reason,
    });
  for (const seconds of [-5, 64]) await verifyToolCall(makeRequest(), { ...OPTIONS, ...at(seconds) });
});

test("the audience is never that of the request, whose sender chooses it", async () => {
  const elsewhere = makeToken({ ...CLAIMS, aud: "https://evil.example.com/orders/7?full=1" });
  const parts = makeRequest(elsewhere);
  const request = new Request("https://evil.example.com/orders/7?full=1", parts);
  for (const sent of [
    request,
    { ...parts, url: request.url },
    { ...parts, headers: { ...parts.headers, host: "evil.example.com" } },
  ])
    await assert.rejects(verifyToolCall(sent, OPTIONS), { reason: "audience_mismatch" });
});

test("verifyToolCall rejects every other token, with the reason", async () => {
  const other = generateKeyPairSync("ed25519");
  const { x } = publicKey.export({ format: "jwk" });
  const [head = "", payload = "", signature = ""] = makeToken().split(".");
  const hmac = (header: object): string => {
    const signed = `${encode(header)}.${payload}`;
    const secret = Buffer.from(x ?? "", "base64url");
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  };
  const withoutExpiry: Partial<ToolCallClaims> = { ...CLAIMS };
  Reflect.deleteProperty(withoutExpiry, "exp");
  const cases: [reason: string, token: string | null][] = [
    ["token_missing", null],
    ["token_missing", ""],
    ["token_malformed", "nothing"],
    ["token_malformed", `${makeToken()}.x`],
    ["token_malformed", `${makeToken()}, ${makeToken()}`],
    ["token_malformed", `${encode(null)}.${payload}.${signature}`],
    ["token_malformed", `${head}.%.${signature}`],
    ["token_malformed", `${head}.${payload}.%`],
    ["token_malformed", makeToken(CLAIMS, { ...HEAD, crit: ["exp"] })],
    // Access tokens of the service have this type, whatever signs them.
    ["type_mismatch", makeToken(CLAIMS, { ...HEAD, typ: "JWT" })],
    ["type_mismatch", makeToken(CLAIMS, { alg: "EdDSA", kid: "one" })],
    ["algorithm_mismatch", `${encode({ ...HEAD, alg: "none" })}.${payload}.`],
    ["algorithm_mismatch", hmac({ ...HEAD, alg: "HS256" })],
    ["signature_mismatch", hmac(HEAD)],
    ["signature_mismatch", `${head}.${payload}.`],
    ["signature_mismatch", `${head}.${encode({ ...CLAIMS, sub: "v" })}.${signature}`],
    ["signature_mismatch", makeToken(CLAIMS, HEAD, other.privateKey)],
    ["key_unknown", makeToken(CLAIMS, { ...HEAD, kid: "two" })],
    ["key_unknown", makeToken(CLAIMS, { alg: "EdDSA", typ: "tool-call+jwt" })],
    ["token_expired", makeToken(withoutExpiry)],
    ["audience_mismatch", makeToken({ ...CLAIMS, aud: [CLAIMS.aud] })],
  ];
  for (const [reason, token] of cases)
    await assert.rejects(verifyToolCall(makeRequest(token), OPTIONS), { reason }, `${reason}: ${token}`);
  const keys = [
    { kid: "one", kty: "oct", k: x },
    { kid: "one", kty: "EC" },
    { kty: "OKP", crv: "Ed25519", x },
  ];
  await assert.rejects(verifyToolCall(makeRequest(), { ...OPTIONS, jwks: { keys } }), { reason: "key_unknown" });
});

test("the keys are requested once, again for an unknown key at most every 30 seconds, and after ten minutes", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: NOW });
  const issuer = `https://${randomUUID()}.example.com`;
  const requested: string[] = [];
  let answer = (): Response => Response.json(jwks);
  const { jwks: _, now: _now, ...options } = { ...OPTIONS, issuer };
  const send = async (url: string): Promise<Response> => {
    requested.push(url);
    return answer();
  };
  const verify = (kid: string): Promise<ToolCallClaims> => {
    const iat = Date.now() / 1000;
    const token = makeToken({ ...CLAIMS, iss: issuer, iat, exp: iat + 60 }, { ...HEAD, kid });
    return verifyToolCall(makeRequest(token), { ...options, fetch: send });
  };
  for (const broken of [
    () => new Response("", { status: 503 }),
    () => new Response("<html>"),
    () => Response.json({}),
  ]) {
    answer = broken;
    await assert.rejects(verify("one"), { reason: "keys_unavailable" });
  }
  answer = () => Response.json(jwks);
  requested.length = 0;
  await Promise.all([verify("one"), verify("one")]);
  await assert.rejects(verify("two"), { reason: "key_unknown" });
  assert.deepEqual(requested, [`${issuer}/.well-known/tool-calls.json`]);
  t.mock.timers.tick(31_000);
  await verify("one");
  assert.equal(requested.length, 1);
  await assert.rejects(Promise.all([verify("two"), verify("two")]), { reason: "key_unknown" });
  assert.equal(requested.length, 2);
  t.mock.timers.tick(31_000);
  answer = () => new Response("", { status: 503 });
  await assert.rejects(verify("two"), { reason: "keys_unavailable" });
  await verify("one");
  assert.equal(requested.length, 3);
  answer = () => Response.json({ keys: [jwkOf(publicKey, "two")] });
  await verify("two");
  await assert.rejects(verify("one"), { reason: "key_unknown" });
  t.mock.timers.tick(601_000);
  await verify("two");
  assert.equal(requested.length, 5);
});
