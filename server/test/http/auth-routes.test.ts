import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createClient } from "@supabase/supabase-js";
import type { AuthCall, AuthEndpoint } from "../../src/auth/index.ts";
import { authenticate } from "../../src/auth/principal/authenticate.ts";
import { signAccessToken } from "../../src/auth/tokens/access-token.ts";
import { wellKnownEndpoints } from "../../src/auth/well-known-endpoints.ts";
import { ANON_PRINCIPAL, SERVICE_PRINCIPAL } from "../../src/db/index.ts";
import { authRoutes } from "../../src/http/index.ts";
import { createAuthContext } from "../auth/support/auth-context.ts";
import { openTokenContext } from "../auth/token-context.ts";
import { startServer } from "./support/test-server.ts";

async function serve(t: TestContext, endpoints: readonly AuthEndpoint[]) {
  const stage = await createAuthContext(t);
  const { context } = stage;
  const server = await startServer(t, {
    routes: authRoutes(endpoints, context),
    guard: (admittance, credentials) => authenticate(context, admittance, credentials),
  });
  return { ...stage, ...server };
}

function endpoint(row: Partial<AuthEndpoint> & Pick<AuthEndpoint, "run">): AuthEndpoint {
  return { method: "GET", path: "/try", access: "public", limit: null, ...row };
}

describe("an endpoint", () => {
  it("gets the parsed call", async (t) => {
    const calls: AuthCall[] = [];
    const run = async (_context: unknown, call: AuthCall) => {
      calls.push(call);
      return { status: 200, body: {} };
    };
    const { request, anonKey } = await serve(t, [
      endpoint({ method: "POST", path: "/things/:id/parts/:part", access: "apikey", run }),
    ]);
    const { status } = await request("/auth/v1/things/a%20b/parts/%2e%2e?x=1&x=2&__proto__=evil&apikey=other&empty=", {
      method: "POST",
      headers: { apikey: anonKey, "user-agent": "probe/1", "content-type": "application/json;charset=UTF-8" },
      body: '{"email":"a@b.c"}',
    });
    assert.equal(status, 200);
    const [call] = calls;
    assert.ok(call !== undefined);
    assert.deepEqual({ ...call.params }, { id: "a b", part: ".." });
    assert.equal(call.query["x"], "1");
    assert.equal(call.query["empty"], "");
    assert.equal(call.query["toString"], undefined);
    assert.equal(call.query["missing"], undefined);
    assert.deepEqual(call.body, { email: "a@b.c" });
    assert.equal(call.headers["user-agent"], "probe/1");
    assert.equal(call.userAgent, "probe/1");
    assert.equal(call.address, "127.0.0.1");
    assert.deepEqual(call.principal, { ...ANON_PRINCIPAL, address: "ip:127.0.0.1" });
  });

  it("gets an empty object for no body, whatever the content type says", async (t) => {
    const bodies: unknown[] = [];
    const run = async (_context: unknown, call: AuthCall) => {
      bodies.push(call.body);
      return { status: 204 };
    };
    const { request } = await serve(t, [endpoint({ method: "POST", run })]);
    const headers = { "content-type": "application/json;charset=UTF-8" };
    const answer = await request("/auth/v1/try", { method: "POST", headers });
    assert.equal(answer.status, 204);
    assert.equal(answer.text, "");
    assert.equal((await request("/auth/v1/try", { method: "POST" })).status, 204);
    assert.deepEqual(bodies, [{}, {}]);
    const broken = await request("/auth/v1/try", { method: "POST", headers, body: "{" });
    assert.equal(broken.status, 400);
    assert.equal(broken.json["error_code"], "bad_json");
  });

  it("responds with its status, headers and body, and Cache-Control: no-store", async (t) => {
    const { request } = await serve(t, [
      endpoint({ path: "/list", run: async () => ({ status: 201, body: [1], headers: { "x-total-count": "1" } }) }),
      endpoint({
        path: "/redirect",
        run: async () => ({ status: 303, headers: { location: "https://app.test/#access_token=x" } }),
      }),
      endpoint({
        path: "/fault",
        run: async () => {
          throw new Error("secret detail");
        },
      }),
    ]);
    const list = await request("/auth/v1/list");
    assert.deepEqual([list.status, list.text, list.headers["x-total-count"]], [201, "[1]", "1"]);
    assert.equal(list.headers["content-type"], "application/json; charset=utf-8");
    const redirect = await request("/auth/v1/redirect");
    assert.deepEqual([redirect.status, redirect.text], [303, ""]);
    assert.equal(redirect.headers.location, "https://app.test/#access_token=x");
    const fault = await request("/auth/v1/fault");
    assert.equal(fault.status, 500);
    assert.doesNotMatch(fault.text, /secret/);
    for (const { headers } of [list, redirect, fault]) {
      assert.equal(headers["cache-control"], "no-store");
      assert.equal(headers["access-control-allow-origin"], "*");
    }
  });

  it("is not run by HEAD requests, which link scanners send", async (t) => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      return { status: 200, body: {} };
    };
    const { request } = await serve(t, [endpoint({ path: "/verify", run })]);
    const answer = await request("/auth/v1/verify?token=x", { method: "HEAD" });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.allow, "GET, OPTIONS");
    assert.equal(runs, 0);
  });

  it("with access apikey ignores an expired token", async (t) => {
    const run = async (_context: unknown, { principal }: AuthCall) => ({ status: 200, body: principal });
    const { request, anonKey, serviceRoleKey } = await serve(t, [
      endpoint({ method: "POST", path: "/token", access: "apikey", run }),
      endpoint({ path: "/user", access: "user", run }),
      endpoint({ path: "/admin/users", access: "service", run }),
    ]);
    const headers = { apikey: anonKey, authorization: "Bearer long.gone.token" };
    assert.equal((await request("/auth/v1/token", { method: "POST", headers })).status, 200);
    assert.equal((await request("/auth/v1/user", { headers })).status, 401);
    assert.equal((await request("/auth/v1/admin/users", { headers })).status, 401);
    const asService = { apikey: anonKey, authorization: `Bearer ${serviceRoleKey}` };
    assert.deepEqual((await request("/auth/v1/admin/users", { headers: asService })).json, SERVICE_PRINCIPAL);
  });
});

describe("the JWKS endpoint", () => {
  it("is public, cacheable for ten minutes, and contains no secret", async (t) => {
    const { request, context } = await serve(t, wellKnownEndpoints);
    const { status, json, headers } = await request("/auth/v1/.well-known/jwks.json");
    assert.equal(status, 200);
    assert.equal(headers["cache-control"], "public, max-age=600");
    const [key, ...others] = json["keys"] as Record<string, unknown>[];
    assert.deepEqual(others, []);
    assert.deepEqual(Object.keys(key ?? {}).toSorted(), ["alg", "crv", "key_ops", "kid", "kty", "use", "x", "y"]);
    assert.deepEqual(
      [key?.["kid"], key?.["alg"], key?.["key_ops"]],
      [context.keyRing.current.kid, "ES256", ["verify"]],
    );
  });

  it("is named by the OpenID configuration", async (t) => {
    const { request, context } = await serve(t, wellKnownEndpoints);
    const { json } = await request("/auth/v1/.well-known/openid-configuration");
    assert.equal(json["issuer"], `${context.baseUrl}/auth/v1`);
    assert.equal(json["jwks_uri"], `${context.baseUrl}/auth/v1/.well-known/jwks.json`);
    assert.deepEqual(json["id_token_signing_alg_values_supported"], ["ES256"]);
  });

  it("is sufficient for supabase-js to verify a token locally", async (t) => {
    const { request, context, anonKey } = await serve(t, wellKnownEndpoints);
    const paths: string[] = [];
    const client = createClient("https://localhost:1", anonKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: {
        fetch: async (input) => {
          const url = new URL(input instanceof Request ? input.url : input);
          paths.push(url.pathname);
          const { status, text } = await request(`${url.pathname}${url.search}`);
          return new Response(text, { status });
        },
      },
    });
    const { claimsOf } = await openTokenContext(t);
    const nowSeconds = Math.floor(Date.now() / 1000);
    const sub = "0190a6a0-0000-7000-8000-000000000001";
    const token = await signAccessToken(context.keyRing, {
      ...claimsOf(sub, sub),
      iat: nowSeconds,
      exp: nowSeconds + 60,
    });
    const { data, error } = await client.auth.getClaims(token);
    assert.equal(error, null);
    assert.equal(data?.claims.sub, sub);
    assert.deepEqual(paths, ["/auth/v1/.well-known/jwks.json"]);
  });
});
