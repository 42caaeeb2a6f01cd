import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { until } from "../../support/until.ts";
import {
  type Body,
  errorOf,
  type OAuthStage,
  openOAuthStage,
  type Person,
  type TestClient,
} from "./support/oauth-stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: OAuthStage;
let client: TestClient;
let person: Person;

before(async () => {
  const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  stage = await openOAuthStage(cleanup, { OAUTH_DYNAMIC_REGISTRATION_ENABLED: "true" });
  client = await stage.addClient();
  person = await stage.signUp();
});
after(async () => {
  for (const close of closers) await close();
});

describe("the authorization endpoint", () => {
  test("is no endpoint for scripts: neither its answers, nor its errors, nor a preflight have headers of CORS", async () => {
    const { query } = stage.requestOf(client);
    const { query: trusted } = stage.requestOf(await stage.addClient({ registration: "manual" }));
    const url = `${stage.issuer}/oauth/authorize`;
    const asked = { origin: "https://evil.example", "access-control-request-method": "GET" };
    const calls: readonly [number, string, RequestInit][] = [
      [303, `${url}?${new URLSearchParams(query)}`, {}],
      [400, `${url}?${new URLSearchParams({ ...query, scope: "nonsense" })}`, {}],
      [303, `${url}?${new URLSearchParams({ ...trusted, scope: "nonsense" })}`, {}],
      [400, url, {}],
      [400, url, { headers: { accept: "text/html" } }],
      [405, url, { method: "POST" }],
      [405, url, { method: "HEAD" }],
      [405, url, { method: "OPTIONS" }],
      [405, url, { method: "OPTIONS", headers: asked }],
      [400, url.replace("authorize", "%61uthorize"), {}],
    ];
    for (const [expected, address, init] of calls) {
      const { status, headers } = await fetch(address, { redirect: "manual", ...init });
      const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
      assert.deepEqual([status, names], [expected, []], `${init.method ?? "GET"} ${address}`);
    }
    const elsewhere = await fetch(`${stage.issuer}/oauth/token`, { method: "OPTIONS", headers: asked });
    assert.deepEqual([elsewhere.status, elsewhere.headers.get("access-control-allow-origin")], [204, "*"]);
  });

  test("sends nobody to the address of a client that nobody has checked, before a person was asked", async () => {
    for (const registration of ["dynamic", "document", "manual"] as const) {
      const document_expires_at = registration === "document" ? new Date(8e12) : null;
      const id = registration === "document" ? "https://client.example/client.json" : undefined;
      const by = await stage.addClient({ registration, document_expires_at, ...(id !== undefined && { id }) });
      const isTrusted = registration === "manual";
      for (const [more, error] of [
        [{ scope: "nonsense" }, "invalid_scope"],
        [{ response_type: "token" }, "unsupported_response_type"],
        [{ prompt: "none" }, "login_required"],
      ] as const) {
        const answer = await stage.authorize(stage.requestOf(by, more).query);
        assert.equal(errorOf(answer), `${isTrusted ? "redirect" : 400} ${error}`, `${registration} ${error}`);
      }
    }
  });
});

describe("a consent", () => {
  test("that gives less than an earlier one also ends the codes of that one", async () => {
    const one = await stage.signUp();
    const [wide, narrow] = [
      await stage.getCode(client, one, { scope: "read write" }),
      await stage.getCode(client, one, { scope: "read", prompt: "consent" }),
    ];
    assert.equal(errorOf(await stage.redeem(client, wide.code, wide)), "400 invalid_grant");
    assert.equal((await stage.redeem(client, narrow.code, narrow)).status, 200);
  });

  test("belongs to one of two accounts that open the request at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await stage.signUp(), await stage.signUp()];
      const { id } = await stage.begin(client);
      const path = `POST /auth/v1/oauth/authorizations/${id}/consent`;
      const answers = await Promise.all(
        [one, two, one, two].map(({ token }) => stage.call(path, token, { action: "approve" })),
      );
      assert.deepEqual(
        answers.map(({ status }) => status).sort((one, other) => one - other),
        [200, 404, 404, 404],
      );
    }
  });

  test("cannot give what an operator has taken from the client since it asked", async () => {
    const manual = await stage.addClient({ registration: "manual", scopes: ["read", "approve"] });
    const begun = await stage.begin(manual, { scope: "read approve" });
    const { service_role_key: key } = stage.service.credentials;
    await stage.callOk(`PUT /auth/v1/admin/oauth/clients/${manual.id}`, key, { scope: "read" });
    const path = `/auth/v1/oauth/authorizations/${begun.id}`;
    assert.equal((await stage.call(`GET ${path}`, person.token)).status, 404);
    assert.equal((await stage.call(`POST ${path}/consent`, person.token, { action: "approve" })).status, 404);
  });

  test("cannot be released once it was given, nor by somebody else", async () => {
    const other = await stage.signUp();
    const begun = await stage.begin(client, { prompt: "consent" });
    const path = `POST /auth/v1/oauth/authorizations/${begun.id}/consent`;
    await stage.callOk(`GET /auth/v1/oauth/authorizations/${begun.id}`, person.token);
    assert.equal((await stage.call(path, other.token, { action: "release" })).status, 404);
    await stage.answer(person, begun);
    assert.equal((await stage.call(path, person.token, { action: "release" })).status, 404);
  });
});

describe("the token of a program", () => {
  test("that has only scopes of identity reads, writes and calls nothing", async () => {
    const one = await stage.signUp();
    const agent = await added(one, "Own");
    await stage.callOk("POST /rest/v1/swarms", one.token, { name: "Own" });
    const { access_token: token } = await stage.connect(client, one, { scope: "openid email" });
    const refused: string[] = [];
    for (const { name } of await stage.sql(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition`,
    )) {
      const read = await stage.call(`GET /rest/v1/${name}?select=*`, token);
      if (read.status === 403) refused.push(name);
      else assert.deepEqual(read, { status: 200, body: [] }, name);
      const { status } = await stage.call(`POST /rest/v1/${name}`, token, { name: "New" });
      assert.ok(status === 400 || status === 403, `${name}: ${status}`);
    }
    for (const name of ["agents", "swarms", "models", "profiles"]) assert.ok(refused.includes(name), name);
    const asked = { agent_id: agent.id, message: "Hello", stream: false };
    assert.equal((await stage.call("POST /functions/v1/agent-respond", token, asked)).status, 403);
    for (const name of ["agent-grants", "webhooks", "test-webhook", "request-signing", "api-keys", "invitations"])
      assert.equal((await stage.call(`POST /functions/v1/${name}`, token, {})).status, 403, name);
  });

  test("that is bound to an agent stays bound when the agent is gone", async () => {
    const one = await stage.signUp();
    const [{ id: agent }] = [await added(one, "Bound")];
    await added(one, "Other");
    const begun = await stage.begin(client);
    const code =
      (
        await stage.answer(one, begun, { action: "approve", resources: { agents: [agent], swarms: [] } })
      ).searchParams.get("code") ?? "";
    const { body: tokens } = await stage.redeem(client, code, begun);
    const list = async (token: string): Promise<unknown[]> => stage.callOk("GET /rest/v1/agents?select=id", token);
    assert.deepEqual(await list(tokens.access_token), [{ id: agent }]);
    await stage.call(`DELETE /rest/v1/agents?id=eq.${agent}`, one.token);
    assert.deepEqual(await list(tokens.access_token), []);
    const { body: refreshed } = await stage.refresh(client, tokens.refresh_token);
    assert.deepEqual(await list(refreshed.access_token), []);
    const again = await stage.begin(client);
    const url = new URL((await stage.callOk(`GET /auth/v1/oauth/authorizations/${again.id}`, one.token)).redirect_url);
    const { body: remembered } = await stage.redeem(client, url.searchParams.get("code") ?? "", again);
    assert.deepEqual(await list(remembered.access_token), []);
  });

  test("that was given before the second factor was set up ends with it", async () => {
    const one = await stage.signUp();
    const tokens = await stage.connect(client, one);
    await stage.sql("insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'webauthn', 'verified')", [
      one.id,
    ]);
    const before = await stage.call("GET /rest/v1/agents", tokens.access_token);
    assert.ok(before.status === 401 || before.status === 403, String(before.status));
    const { body } = await stage.refresh(client, tokens.refresh_token);
    const after = await stage.call("GET /rest/v1/agents", body.access_token ?? "");
    assert.ok(after.status === 401 || after.status === 403, String(after.status));
    const info = await stage.call("GET /auth/v1/oauth/userinfo", body.access_token ?? "");
    assert.ok(info.status === 401 || info.status === 403, String(info.status));
  });
});

async function added({ token }: Person, name: string): Promise<Body> {
  await stage.callOk("POST /rest/v1/agents", token, { name });
  const [row] = await stage.callOk(`GET /rest/v1/agents?select=id&name=eq.${name}`, token);
  return row;
}

describe("a token of one kind", () => {
  test("is none of another kind", async () => {
    const one = await stage.signUp();
    const begun = await stage.getCode(client, one, { scope: "read openid" });
    const { body: tokens } = await stage.redeem(client, begun.code, begun);
    const made = { action: "create", name: "key", scopes: ["read"] };
    const { key } = await stage.callOk("POST /functions/v1/api-keys", one.token, made);
    const bare = String(tokens.refresh_token).replace("ort_", "");
    const kinds: Record<string, string> = {
      access: tokens.access_token,
      refresh: tokens.refresh_token,
      bare,
      identity: tokens.id_token,
      code: begun.code,
      session: one.token,
      sessionRefresh: one.refreshToken,
      sessionRefreshAsProgram: `ort_${one.refreshToken}`,
      key,
      keyAsAccess: key.replace("sk_", "oat_"),
      accessAsKey: String(tokens.access_token).replace("oat_", "sk_"),
    };
    const accepted: Record<string, string[]> = {};
    for (const [kind, value] of Object.entries(kinds)) {
      const results: Record<string, number> = {
        rest: (await stage.call("GET /rest/v1/agents", value)).status,
        user: (await stage.call("GET /auth/v1/user", value)).status,
        grants: (await stage.call("GET /auth/v1/user/oauth/grants", value)).status,
        userinfo: (await stage.call("GET /auth/v1/oauth/userinfo", value)).status,
        personRefresh:
          kind === "sessionRefresh"
            ? 0
            : (await stage.call("POST /auth/v1/token?grant_type=refresh_token", null, { refresh_token: value })).status,
        clientRefresh: kind === "refresh" ? 0 : (await stage.refresh(client, value)).status,
        redeem: kind === "code" ? 0 : (await stage.redeem(client, value, begun)).status,
        pkce: (
          await stage.call("POST /auth/v1/token?grant_type=pkce", null, {
            auth_code: value,
            code_verifier: begun.verifier,
          })
        ).status,
        idToken: (
          await stage.call("POST /auth/v1/token?grant_type=id_token", null, { id_token: value, provider: "google" })
        ).status,
        magic: (await stage.call("POST /auth/v1/verify", null, { token_hash: value, type: "magiclink" })).status,
      };
      if (!["access", "refresh"].includes(kind)) await stage.post("/oauth/revoke", client, { token: value });
      accepted[kind] = Object.entries(results)
        .filter(([, status]) => status > 0 && status < 300)
        .map(([name]) => name);
    }
    assert.deepEqual(Object.fromEntries(Object.entries(accepted).filter(([, names]) => names.length > 0)), {
      access: ["rest", "userinfo"],
      session: ["rest", "user", "grants"],
      key: ["rest"],
    });
    assert.equal(await stage.isLive(tokens.access_token), true);
    assert.equal((await stage.call("GET /rest/v1/agents", key)).status, 200);
  });
});

describe("what ends the sessions of programs", () => {
  test("is repeated when it deadlocks with something that ends them, too", async () => {
    const { service_role_key: key } = stage.service.credentials;
    const ends: readonly [string, (one: Person) => Promise<{ readonly status: number }>][] = [
      ["a new password", ({ token }) => stage.call("PUT /auth/v1/user", token, { password: "another good password" })],
      ["a ban", ({ id }) => stage.call(`PUT /auth/v1/admin/users/${id}`, key, { ban_duration: "1h" })],
      ["a sign-out by an operator", ({ id }) => stage.call(`POST /auth/v1/admin/users/${id}/logout`, key)],
    ];
    for (const [name, end] of ends) {
      const one = await stage.signUp();
      const tokens = await stage.connect(client, one);
      const [{ id }] = await stage.sql("select id from auth.oauth_sessions where user_id = $1", [one.id]);
      const other = new pg.Client({ connectionString: stage.database.adminUrl });
      await other.connect();
      try {
        await other.query("begin; set local deadlock_timeout = '30s'");
        await other.query("select from auth.sessions where id = $1 for update", [id]);
        const ended = end(one);
        const isWaiting = async () =>
          (await other.query("select from pg_locks where not granted and pid <> pg_backend_pid()")).rowCount !== 0;
        await until(isWaiting);
        await other.query("select from auth.users where id = $1 for update", [one.id]);
        await other.query("commit");
        assert.ok((await ended).status < 300, `${name}: ${(await ended).status}`);
        assert.equal(await stage.isLive(tokens.access_token), false, name);
      } finally {
        await other.end();
      }
    }
  });
});
