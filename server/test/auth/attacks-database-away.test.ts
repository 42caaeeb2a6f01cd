import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { authEndpoints, type AuthEndpoint } from "../../src/auth/index.ts";
import type { Answer } from "../http/support/test-server.ts";
import { type DatabaseRelay, startDatabaseRelay } from "../support/database-relay.ts";
import { type Client, serveAuth } from "./attack-server.ts";
import { PASSWORD, type ShownSession, signUp } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { SoftwareAuthenticator } from "../support/software-authenticator.ts";
import { until } from "../support/until.ts";

const ID = "6f0d2b0e-0000-4000-8000-000000000000";
const email = "ada@example.com";

const AUTHENTICATOR = new SoftwareAuthenticator();
const ATTESTATION = AUTHENTICATOR.create({ challenge: "AAAA", rp: { id: "localhost" } });
const ASSERTION = AUTHENTICATOR.get({ challenge: "AAAA", rpId: "localhost" });

/** Valid bodies, with which an endpoint queries the database. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /signup": { email: "new@example.com", password: PASSWORD },
  "POST /otp": { email },
  "POST /magiclink": { email },
  "POST /recover": { email },
  "POST /resend": { email, type: "signup" },
  "POST /verify": { email, type: "email", token: "123456" },
  "PUT /user": { data: { a: 1 } },
  "POST /factors": { factor_type: "totp" },
  "POST /passkeys/registration/verify": { challenge_id: ID, credential: ATTESTATION },
  "POST /passkeys/authentication/verify": { challenge_id: ID, credential: ASSERTION },
  "PATCH /passkeys/:id": { friendly_name: "Phone" },
  "POST /factors/:id/verify": { challenge_id: ID, code: "123456" },
  "POST /admin/users": { email: "new@example.com" },
  "POST /admin/generate_link": { type: "recovery", email },
  "POST /oauth/authorizations/:id/consent": { action: "approve" },
  "POST /oauth/token": { grant_type: "refresh_token", refresh_token: "x", client_id: ID },
  "POST /oauth/revoke": { token: "x", client_id: ID },
  "POST /invite": { email: "new@example.com" },
};

const QUERIES: Readonly<Record<string, string>> = {
  "GET /verify": `?type=signup&token=${"a".repeat(64)}`,
  "GET /oauth/authorize": `?client_id=${ID}`,
  "DELETE /user/oauth/grants": `?client_id=${ID}`,
};

/** Endpoints without a query: those that respond from memory, without a provider, and unsupported ones that do not require a user. */
const WITHOUT_DATABASE =
  /^(GET \/(settings|health|authorize|admin\/sign-in-providers|\.well-known.*)|POST \/(sso|oauth\/register|admin\/sign-in-providers\/:name\/check)|\w+ \/admin\/(oauth|custom-providers).*)$/;

function nameOf({ method, path }: AuthEndpoint): string {
  return `${method} ${path}`;
}

function checkAway(name: string, { status, headers, json, text }: Answer): void {
  assert.equal(status, 503, `${name}: ${text}`);
  assert.match(headers["retry-after"] ?? "", /^\d+$/, name);
  const isOfProgram = /\/oauth\/(authorize|token|revoke) /.test(name);
  const expected = isOfProgram ? [undefined, "server_error"] : ["SERVICE_UNAVAILABLE", "Service unavailable"];
  assert.deepEqual([json["code"], json["error"]], expected, name);
  assert.doesNotMatch(
    text,
    /127\.0\.0\.1|ECONN|terminated|sb_service|select|socket/i,
    "the response contains nothing internal",
  );
}

describe("while the database is unavailable", () => {
  const open: (() => Promise<void>)[] = [];
  const t = { after: (close: () => Promise<void>) => void open.push(close) };
  let auth: TestAuthContext;
  let relay: DatabaseRelay;
  let ask: Client;
  let ada: ShownSession;

  before(async () => {
    auth = await createAuthContext(t);
    relay = await startDatabaseRelay(t, auth.database.url("sb_service"));
    const pool = new pg.Pool({ connectionString: relay.url, max: 5, connectionTimeoutMillis: 20_000 });
    pool.on("error", () => {});
    pool.on("connect", (client) => client.on("error", () => {}));
    t.after(() => pool.end());
    ask = await serveAuth(t as Parameters<typeof serveAuth>[0], auth, { pool });
    ada = await signUp(auth, email);
  });
  after(async () => {
    for (const close of open.toReversed()) await close();
  });

  const callAll = async (check: (name: string, answer: Answer) => void): Promise<number> => {
    let count = 0;
    for (const endpoint of authEndpoints) {
      const name = nameOf(endpoint);
      if (WITHOUT_DATABASE.test(name)) continue;
      const grants = name === "POST /token" ? ["password", "refresh_token", "pkce"] : [""];
      for (const grant of grants) {
        const body = {
          "": BODIES[name] ?? {},
          password: { email, password: PASSWORD },
          refresh_token: { refresh_token: ada.refresh_token },
          pkce: { auth_code: "a", code_verifier: "b" },
        }[grant];
        const query = QUERIES[name] ?? `?grant_type=${grant}`;
        const access = endpoint.path === "/oauth/userinfo" ? "user" : endpoint.access;
        const token = { user: ada.access_token, service: auth.serviceRoleKey }[access as "user" | "service"];
        const path = endpoint.path.replace(/:\w+/g, ID) + query;
        const isRead = endpoint.method === "GET";
        check(
          `${name} ${grant}`,
          await ask(endpoint.method, path, { ...(token && { token }), ...(!isRead && { body }) }),
        );
        count += 1;
      }
    }
    return count;
  };

  it("every endpoint returns 503 and no 4xx", async () => {
    await relay.cut();
    assert.ok((await callAll(checkAway)) > 30);
  });

  it("endpoints without a query continue to work", async () => {
    for (const path of ["/settings", "/health", "/.well-known/jwks.json", "/.well-known/openid-configuration"]) {
      assert.equal((await ask("GET", path)).status, 200, path);
    }
    const unknown = await ask("GET", "/settings", { apikey: "of-nobody-that-is-known" });
    assert.ok([401, 503].includes(unknown.status));
    const forged = `${ada.access_token.slice(0, -4)}AAAA`;
    assert.equal((await ask("GET", "/user", { token: forged })).status, 401);
  });

  it("calls that fail in the middle return 503 too", async () => {
    await relay.restore();
    let isCut = false;
    // A connection that was lost earlier can be detected only now: such a call never reached the endpoint, and is repeated.
    const insist = async (call: () => Promise<Answer>): Promise<Answer> => {
      for (;;) {
        const answer = await call();
        if (answer.status !== 503 || isCut) return answer;
        await wait(10);
      }
    };
    await auth.database.owner.query("begin; select 1 from auth.users for update");
    try {
      const waiting = [
        insist(() => ask("POST", "/token?grant_type=password", { body: { email, password: PASSWORD } })),
        insist(() => ask("PUT", "/user", { token: ada.access_token, body: { data: { a: 1 } } })),
        insist(() => ask("GET", "/reauthenticate", { token: ada.access_token })),
      ];
      // On another connection than the lock: within a transaction, pg_stat_activity does not change.
      const areWaiting = until(async () => {
        const { rows } = await auth.context.pool.query(
          `select count(*)::int as count from pg_locks l join pg_stat_activity a using (pid)
            where not l.granted and a.datname = current_database()`,
        );
        return rows[0].count === waiting.length;
      });
      const early = await Promise.race([areWaiting, ...waiting]);
      assert.equal(early, undefined, `answered before the middle: ${early?.status} ${early?.text}`);
      isCut = true;
      await relay.cut();
      for (const answer of await Promise.all(waiting)) checkAway("broken", answer);
    } finally {
      await auth.database.owner.query("rollback");
    }
  });

  it("everything works again when it is back", async () => {
    await relay.restore();
    const { rows } = await auth.database.owner.query("select count(*)::int as users from auth.users");
    assert.equal(rows[0].users, 1, "nothing was half done");
    await callAll((name, { status, text }) => assert.ok(status < 500, `${name}: ${text}`));
    const again = await ask("POST", "/token?grant_type=password", { body: { email, password: PASSWORD } });
    assert.equal(again.status, 200, again.text);
  });
});
