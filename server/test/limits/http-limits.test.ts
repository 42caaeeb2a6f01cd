import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { ANON_PRINCIPAL, type Principal, SERVICE_PRINCIPAL } from "../../src/db/index.ts";
import { AppError } from "../../src/errors/index.ts";
import type { AuthGuard, Route } from "../../src/http/index.ts";
import { type LimitSettings, openLimits } from "../../src/limits/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { exchange, startServer } from "../http/support/test-server.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { countSendsHere } from "./support/webhook-sends.ts";

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof startServer>>["request"]>>;

const PROXY = { tlsMode: "proxy", trustedProxies: ["127.0.0.1"] } as const;

/** The bearer names the principal: `user-1`, `service`, or `bad`; without one it is anon. */
const guard: AuthGuard = async (_admittance, { authorization }) => {
  const name = authorization?.slice("Bearer ".length);
  if (name === "bad") throw new AppError("UNAUTHORIZED", "No");
  const principal = name === "service" ? SERVICE_PRINCIPAL : name === undefined ? ANON_PRINCIPAL : userOf(name);
  return { principal, hasAuthorization: name !== undefined };
};

function userOf(userId: string): Principal {
  return { role: "authenticated", userId, claims: {}, session: null };
}

function route(path: string, row: Partial<Route> = {}): Route {
  return { method: "GET", path, access: "bearer", limit: "api", handler: () => ({ ok: true }), ...row };
}

async function serve(
  t: TestContext,
  routes: Route[],
  { isProxied = false, ...settings }: Partial<LimitSettings> & { isProxied?: boolean } = {},
) {
  const none: LimitSettings = { limitApi: 0, limitAuth: 0, limitAi: 0, limitTools: 0, limitWebhooks: 0 };
  const limits = openLimits({
    settings: { ...none, ...settings },
    store: null,
    countWebhookSend: countSendsHere(settings.limitWebhooks ?? 0),
    clock: systemClock,
    observer: silentObserver,
  });
  return startServer(t, { routes, guard, limits, ...(isProxied && { settings: PROXY }) });
}

function as(name: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${name}` } };
}

function from(address: string, name?: string): { headers: Record<string, string> } {
  return {
    headers: {
      "x-forwarded-for": address,
      "x-forwarded-proto": "https",
      ...(name !== undefined && { authorization: `Bearer ${name}` }),
    },
  };
}

function leftIn({ headers }: Answer): string {
  return [headers["x-ratelimit-remaining"], headers["x-ratelimit-limit"]].join("/");
}

function isUncounted({ headers }: Answer): boolean {
  return Object.keys(headers).every((name) => !name.startsWith("x-ratelimit"));
}

describe("a counted response", () => {
  it("has the three rate-limit headers, also when it is an error", async (t) => {
    const { request } = await serve(
      t,
      [
        route("/rest/v1/a"),
        route("/rest/v1/broken", {
          handler: () => {
            throw new AppError("FORBIDDEN", "No");
          },
        }),
        route("/rest/v1/b", { method: "POST" }),
      ],
      { limitApi: 100 },
    );
    const before = Math.floor(Date.now() / 1000);
    const first = await request("/rest/v1/a", as("u"));
    const after = Math.ceil(Date.now() / 1000);
    assert.deepEqual([first.status, leftIn(first)], [200, "99/100"]);
    const reset = Number(first.headers["x-ratelimit-reset"]);
    assert.ok(reset >= before + 60 && reset <= after + 61, `${before} ${reset} ${after}`);

    const post = (headers: Record<string, string>, body: string) =>
      request("/rest/v1/b", { method: "POST", headers: { ...as("u").headers, ...headers }, body });
    const forbidden = await request("/rest/v1/broken", as("u"));
    const malformed = await post({ "content-type": "application/json" }, "{");
    const foreign = await post({ "content-type": "image/png" }, "x");
    const large = await post({ "content-type": "application/json" }, `"${"a".repeat(70_000)}"`);
    assert.deepEqual(
      [forbidden, malformed, foreign, large].map((answer) => [answer.status, leftIn(answer)]),
      [
        [403, "98/100"],
        [400, "97/100"],
        [415, "96/100"],
        [413, "95/100"],
      ],
    );
    const missing = await request("/rest/v1/nothing", as("u"));
    assert.deepEqual([missing.status, leftIn(missing)], [404, "99/100"]);
    const unknown = await request("/functions/v1/nothing");
    assert.deepEqual([unknown.status, leftIn(unknown)], [404, "98/100"]);
  });

  it("is 429 above the limit, without reading the body", async (t) => {
    let ran = 0;
    const row = route("/rest/v1/a", { method: "POST", handler: () => ({ ran: ++ran }) });
    const { request, connect } = await serve(t, [row], { limitApi: 2 });
    const headers = { ...as("u").headers, "content-type": "application/json" };
    const post = () => request("/rest/v1/a", { method: "POST", headers, body: "{}" });
    assert.deepEqual([(await post()).status, (await post()).status], [200, 200]);
    const rejected = await post();
    assert.equal(rejected.status, 429);
    assert.equal(ran, 2);
    assert.equal(leftIn(rejected), "0/2");
    const retryAfter = Number(rejected.headers["retry-after"]);
    assert.ok(retryAfter >= 1 && retryAfter <= 60);
    assert.deepEqual(rejected.json, {
      error: "Too many requests",
      code: "RATE_LIMITED",
      message: "Request rate limit reached: API requests, 2 per minute",
      details: null,
      hint: null,
      retry_after: retryAfter,
    });
    assert.match(rejected.headers["access-control-expose-headers"] ?? "", /x-ratelimit-remaining/);

    const socket = await connect();
    // The body is never sent, and the response does not wait for it.
    socket.write(
      "POST /rest/v1/a HTTP/1.1\r\nhost: a\r\nauthorization: Bearer u\r\ncontent-length: 5\r\ncontent-type: application/json\r\n\r\n",
    );
    const [chunk] = (await once(socket, "data")) as [Buffer];
    assert.match(chunk.toString(), /^HTTP\/1\.1 429/);
    socket.destroy();
  });

  it("shows the tightest limit", async (t) => {
    const routes = [route("/functions/v1/test-webhook", { limit: "webhook" }), route("/rest/v1/a")];
    const { request } = await serve(t, routes, { limitApi: 4, limitWebhooks: 2 });
    assert.equal(leftIn(await request("/functions/v1/test-webhook", as("u"))), "1/2");
    assert.equal(leftIn(await request("/rest/v1/a", as("u"))), "2/4");
    assert.equal(leftIn(await request("/rest/v1/a", as("u"))), "1/4");
    const last = await request("/functions/v1/test-webhook", as("u"));
    assert.deepEqual([last.status, leftIn(last)], [200, "0/4"]);
    const { status, json } = await request("/functions/v1/test-webhook", as("u"));
    assert.deepEqual([status, json["message"]], [429, "Request rate limit reached: API requests, 4 per minute"]);
  });
});

describe("the subject of a limit", () => {
  it("is the user from any address, otherwise the address", async (t) => {
    const { request } = await serve(t, [route("/rest/v1/a")], { limitApi: 10, isProxied: true });
    const left = async (address: string, name?: string) => leftIn(await request("/rest/v1/a", from(address, name)));
    assert.equal(await left("203.0.113.1", "u"), "9/10");
    assert.equal(await left("203.0.113.2", "u"), "8/10");
    assert.equal(await left("203.0.113.1", "v"), "9/10");
    assert.equal(await left("203.0.113.1"), "9/10");
    assert.equal(await left("203.0.113.1"), "8/10");
    assert.equal(await left("203.0.113.2"), "9/10");
    assert.equal(await left("2001:db8::1"), "9/10");
    assert.equal(await left("2001:db8::2:1"), "8/10");
    assert.equal(await left("2001:db8:0:1::1"), "9/10");
    // Addresses that the client adds left of the proxy's entry are ignored.
    assert.equal(await left("198.51.100.9, 203.0.113.1"), "7/10");
  });

  it("is the address for a rejected caller", async (t) => {
    const { request } = await serve(t, [route("/rest/v1/a")], { limitApi: 3 });
    const rejected = await request("/rest/v1/a", as("bad"));
    assert.deepEqual([rejected.status, leftIn(rejected)], [401, "2/3"]);
    assert.equal(leftIn(await request("/rest/v1/a")), "1/3");
    assert.equal((await request("/rest/v1/a", as("bad"))).status, 401);
    assert.equal((await request("/rest/v1/a", as("bad"))).status, 429);
    assert.equal((await request("/rest/v1/a")).status, 429);
    assert.equal((await request("/rest/v1/a", as("u"))).status, 200);
  });

  it("is none for the service role, health, a preflight, other paths and disabled limits", async (t) => {
    const routes = [route("/rest/v1/a"), route("/auth/v1/b", { limit: "auth" }), route("/c", { limit: null })];
    const { request } = await serve(t, routes, { limitApi: 1 });
    const preflight = { method: "OPTIONS", headers: { "access-control-request-method": "GET" } };
    for (const [path, options] of [
      ["/rest/v1/a", as("service")],
      ["/rest/v1/a", preflight],
      ["/auth/v1/b", as("u")],
      ["/c", as("u")],
      ["/health", {}],
      ["/ready", {}],
      ["/nothing", {}],
    ] as const) {
      for (const _ of [1, 2]) assert.ok(isUncounted(await request(path, options)), path);
    }
    assert.equal(leftIn(await request("/rest/v1/a", as("u"))), "0/1");
  });
});

describe("auth attempts", () => {
  const subjects: NonNullable<Route["subjects"]> = {
    email: (body) => (body as { email?: string }).email ?? null,
    session: (body) => (body as { session?: string }).session ?? null,
  };
  const post = (body: unknown, address: string) => ({
    method: "POST",
    headers: { ...from(address).headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

  it("are counted by client address, also when signed in, and by e-mail address", async (t) => {
    const row = route("/auth/v1/signup", { method: "POST", limit: "auth", subjects });
    const { request } = await serve(t, [row], { limitAuth: 2, isProxied: true });
    const attempt = (address: string, email: string) => request("/auth/v1/signup", post({ email }, address));
    assert.equal(leftIn(await attempt("203.0.113.1", "a@b.c")), "1/2");
    assert.equal(leftIn(await attempt("203.0.113.1", "d@e.f")), "0/2");
    const rejected = await attempt("203.0.113.1", "a@b.c");
    assert.equal(rejected.status, 429);
    assert.deepEqual(
      [rejected.json["code"], rejected.json["error_code"], rejected.json["msg"]],
      ["RATE_LIMITED", "over_request_rate_limit", rejected.json["message"]],
    );
    assert.equal(rejected.headers["x-sb-error-code"], "over_request_rate_limit");
    assert.equal(typeof rejected.json["retry_after"], "number");

    // One attempt is counted for this e-mail address: the body of the rejected one was not read.
    for (let host = 2; host <= 20; host += 1) {
      assert.equal((await attempt(`203.0.113.${host}`, "a@b.c")).status, 200, String(host));
    }
    const spent = await attempt("203.0.113.99", "a@b.c");
    assert.deepEqual([spent.status, leftIn(spent)], [429, "0/20"]);
    assert.equal((await attempt("203.0.113.99", "other@b.c")).status, 200);
  });

  it("include calls with a password that count as API requests too", async (t) => {
    const isAttempt = (body: unknown): boolean => typeof (body as { password?: unknown }).password === "string";
    const row = route("/auth/v1/user", { method: "POST", limit: "api", subjects: { ...subjects, isAttempt } });
    const { request } = await serve(t, [row], { limitApi: 20, limitAuth: 1, isProxied: true });
    const put = (body: object) => request("/auth/v1/user", post(body, "203.0.113.1"));
    assert.equal(leftIn(await put({})), "19/20");
    assert.equal(leftIn(await put({ password: "guess" })), "0/1");
    assert.equal((await put({ password: "guess" })).status, 429);
    assert.equal((await put({})).status, 200);
  });

  it("do not include refreshes, which are counted by session", async (t) => {
    const known = new Set(["s1", "s2"]);
    const row = route("/auth/v1/token", {
      method: "POST",
      limit: "auth",
      limitOf: () => "refresh",
      subjects,
      handler: (request) => {
        if (known.has(subjects.session(request.body) ?? "")) return { ok: true };
        throw new AppError("BAD_REQUEST", "Not a session");
      },
    });
    const { request } = await serve(t, [row], { limitApi: 3, limitAuth: 1, isProxied: true });
    const refresh = (session: string | null, address: string) =>
      request("/auth/v1/token", post(session === null ? {} : { session }, address));
    assert.equal(leftIn(await refresh("s1", "203.0.113.1")), "2/3");
    assert.equal(leftIn(await refresh("s1", "203.0.113.2")), "1/3");
    assert.equal(leftIn(await refresh("s2", "203.0.113.1")), "2/3");
    assert.equal(leftIn(await refresh("s1", "203.0.113.1")), "0/3");
    assert.equal((await refresh("s1", "203.0.113.3")).status, 429);

    // Each invented session id is new, so rejected refreshes are counted by address.
    for (const session of ["x1", "x2", null]) assert.equal((await refresh(session, "203.0.113.1")).status, 400);
    assert.equal((await refresh("x4", "203.0.113.1")).status, 429);
    assert.equal((await refresh("s2", "203.0.113.1")).status, 429);
    assert.equal(leftIn(await refresh("s2", "203.0.113.4")), "1/3");
  });
});

describe("a connection", () => {
  it("stays open after a 429", async (t) => {
    const { connect } = await serve(t, [route("/rest/v1/a")], { limitApi: 1 });
    const ask = "GET /rest/v1/a HTTP/1.1\r\nhost: a\r\n\r\n";
    const text = await exchange(
      await connect(),
      `${ask}${ask}GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    );
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ["200", "429", "200"],
    );
  });
});
