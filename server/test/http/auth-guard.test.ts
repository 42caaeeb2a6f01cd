import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { loadSettings } from "../../src/config/index.ts";
import { authenticate } from "../../src/auth/principal/authenticate.ts";
import { type AuthGuard, authenticationOf, createHttpServer, type Route } from "../../src/http/index.ts";
import { openTokenContext, type TokenContext } from "../auth/token-context.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { bodyOf, exchange, startServer, type TestServer } from "./support/test-server.ts";

const answerAuthentication: Route["handler"] = (request) => authenticationOf(request);
const routes: Route[] = (["public", "apikey", "user", "service"] as const).flatMap((access) => [
  { method: "GET", path: `/try/${access}`, access, limit: null, handler: answerAuthentication },
  { method: "POST", path: `/try/${access}`, access, limit: null, handler: answerAuthentication },
]);

interface GuardedServer extends TestServer {
  readonly context: TokenContext;
  readonly anon: string;
  readonly service: string;
  readonly token: string;
  readonly userId: string;
}

async function openGuardedServer(t: TestContext): Promise<GuardedServer> {
  const context = await openTokenContext(t);
  const userId = await context.addUser();
  const token = await context.tokenOf(userId, await context.addSession(userId));
  const settings = { authSessionIdleTtlSeconds: 0, authMfaEnforce: true, authReauthenticate: true };
  const guard: AuthGuard = (rule, credentials) =>
    authenticate({ ...context, keyRing: context.ring, settings }, rule, credentials);
  const server = await startServer(t, { routes, guard });
  return { ...server, context, token, userId, anon: context.keys.anonKey, service: context.keys.serviceRoleKey };
}

describe("every route", () => {
  it("applies its access rule and gives its handler the principal", async (t) => {
    const { request, anon, service, token, userId } = await openGuardedServer(t);
    const status = async (access: string, headers: Record<string, string>) =>
      (await request(`/try/${access}`, { headers })).status;
    const bearer = (text: string) => ({ apikey: anon, authorization: `Bearer ${text}` });

    for (const [headers, expected] of [
      [{}, [200, 401, 401, 401]],
      [{ apikey: "wrong" }, [200, 401, 401, 401]],
      [{ authorization: `Bearer ${token}` }, [200, 401, 401, 401]],
      [{ apikey: anon }, [200, 200, 401, 401]],
      [{ apikey: service }, [200, 200, 401, 200]],
      [bearer(anon), [200, 200, 401, 403]],
      [bearer(service), [200, 200, 401, 200]],
      [bearer(token), [200, 200, 200, 403]],
      [bearer("bad"), [200, 401, 401, 401]],
      [{ apikey: service, authorization: `Bearer ${token}` }, [200, 200, 200, 403]],
    ] as const) {
      const found = [];
      for (const access of ["public", "apikey", "user", "service"]) found.push(await status(access, headers));
      assert.deepEqual(found, expected, JSON.stringify(headers).slice(0, 120));
    }
    const seen = (await request("/try/user", { headers: bearer(token) })).json as Record<string, { userId?: string }>;
    assert.equal(seen["principal"]?.userId, userId);
    assert.equal(seen["hasAuthorization"], true);
  });

  it("accepts the key in the query when there is no header", async (t) => {
    const { request, anon } = await openGuardedServer(t);
    assert.equal((await request(`/try/apikey?apikey=${anon}`)).status, 200);
    assert.equal((await request(`/try/apikey?apikey=${anon}`, { headers: { apikey: "wrong" } })).status, 401);
    assert.equal((await request(`/try/apikey?apikey=${anon}&apikey=${anon}`)).status, 401);
    assert.equal((await request("/try/apikey?apikey=")).status, 401);
  });

  it("returns 401 and 403 with the complete body and CORS headers", async (t) => {
    const { request, anon, token } = await openGuardedServer(t);
    const missing = await request("/try/apikey", { headers: { origin: "https://app.test" } });
    assert.deepEqual(missing.json, {
      error: "Unauthorized",
      code: "UNAUTHORIZED",
      message: "No API key found in request",
      details: null,
      hint: "No `apikey` request header or url param was found.",
    });
    assert.equal(missing.headers["access-control-allow-origin"], "*");
    assert.equal(missing.headers["www-authenticate"], "Bearer");
    assert.ok(missing.headers["x-request-id"]);

    const rejected = await request("/try/service", { headers: { apikey: anon, authorization: `Bearer ${token}` } });
    assert.equal(rejected.status, 403);
    assert.deepEqual(rejected.json, {
      error: "Forbidden",
      code: "FORBIDDEN",
      message: "User not allowed",
      details: null,
      hint: null,
      error_code: "not_admin",
      msg: "User not allowed",
    });
    assert.equal(rejected.headers["x-supabase-api-version"], undefined, "so that clients read error_code");
  });

  it("reports an expired token", async (t) => {
    const { request, anon, token, context } = await openGuardedServer(t);
    const headers = { apikey: anon, authorization: `Bearer ${token}` };
    assert.equal((await request("/try/user", { headers })).status, 200);
    context.clock.advance(3600);
    const { status, json, headers: answered } = await request("/try/user", { headers });
    assert.equal(status, 401);
    assert.equal(json["message"], "JWT expired");
    assert.equal(json["code"], "UNAUTHORIZED");
    assert.equal(json["error_code"], "bad_jwt");
    assert.equal(answered["proxy-status"], "swarmbase; error=PGRST303");
    assert.match(
      String(answered["www-authenticate"]),
      /^Bearer error="invalid_token", error_description="JWT expired"$/,
    );
  });

  it("rejects a user after the session has ended", async (t) => {
    const { request, anon, token, context } = await openGuardedServer(t);
    const headers = { apikey: anon, authorization: `Bearer ${token}` };
    assert.equal((await request("/try/user", { headers })).status, 200);
    await context.database.owner.query("delete from auth.sessions");
    const { status, json } = await request("/try/user", { headers });
    assert.equal(status, 401);
    assert.equal(json["error_code"], "session_not_found");
  });

  it("checks keys before the body", async (t) => {
    const { request } = await openGuardedServer(t);
    const headers = { "content-type": "application/x-unheard-of", "content-length": "10" };
    assert.equal((await request("/try/user", { method: "POST", headers, body: "0123456789" })).status, 401);
    const broken = { "content-type": "application/json" };
    assert.equal((await request("/try/user", { method: "POST", headers: broken, body: "{" })).status, 401);
  });

  it("rejects two Authorization headers", async (t) => {
    const { connect, anon, token, service } = await openGuardedServer(t);
    const send = async (lines: string[]) => {
      const head = ["GET /try/user HTTP/1.1", "Host: localhost", "Connection: close", ...lines];
      return exchange(await connect(), `${head.join("\r\n")}\r\n\r\n`);
    };
    assert.match(await send([`apikey: ${anon}`, `authorization: bearer ${token}`]), /^HTTP\/1.1 200 /);
    for (const lines of [
      [`apikey: ${anon}`, `Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`],
      [`apikey: ${anon}`, `Authorization: Bearer ${token}`, `Authorization: Bearer ${service}`],
      [`apikey: ${anon}`, `apikey: ${service}`, `Authorization: Bearer ${token}`],
      [`apikey: ${anon}`, `Authorization: Bearer ${token}é`],
    ]) {
      const answer = await send(lines);
      assert.match(answer, /^HTTP\/1.1 401 /, lines.at(-1));
      assert.equal(bodyOf(answer)["code"], "UNAUTHORIZED");
    }
    for (const evil of [`Authorization: Bearer ${token}\0`, `Authorization: Bearer \x01`]) {
      assert.match(await send([`apikey: ${anon}`, evil]), /^HTTP\/1.1 400 /, "not even HTTP");
    }
  });

  it("needs no key for a preflight, an unknown path or an unknown method", async (t) => {
    const { request, anon } = await openGuardedServer(t);
    assert.equal((await request("/try/user", { method: "OPTIONS" })).status, 204);
    assert.equal((await request("/nowhere")).status, 404);
    assert.equal((await request("/try/user", { method: "DELETE" })).status, 405);
    assert.equal((await request("/try/apikey", { method: "HEAD" })).status, 401);
    assert.equal((await request("/try/apikey", { method: "HEAD", headers: { apikey: anon } })).status, 200);
    assert.equal((await request("/health")).status, 200);
  });

  it("returns 503 and not 401 while the database is unavailable", async (t) => {
    const { request, anon, context } = await openGuardedServer(t);
    const stranger = await context.tokenOf(randomUUID(), randomUUID());
    await context.pool.end();
    const { status, json } = await request("/try/user", {
      headers: { apikey: anon, authorization: `Bearer ${stranger}` },
    });
    assert.equal(status, 503);
    assert.equal(json["code"], "SERVICE_UNAVAILABLE");
  });
});

describe("a server without a guard", () => {
  it("does not start with a route that needs one", () => {
    const settings = {
      ...loadSettings({}),
      host: "127.0.0.1",
      port: 0,
      tlsMode: "proxy",
      trustedProxies: [],
      bodyLimitBytes: 1024,
      stopTimeoutMs: 1000,
    } as const;
    for (const route of routes.filter(({ access }) => access !== "public")) {
      assert.throws(
        () => createHttpServer({ settings, tls: null, routes: [route], observer: silentObserver }),
        /needs a guard/,
      );
    }
  });
});
