import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findClient, hashClientSecret, permittedScopes } from "../../../src/auth/oauth/clients/client.ts";
import { authEndpoints, createAuthHousekeeping } from "../../../src/auth/index.ts";
import { createFetch } from "../admin-fetch.ts";
import { openAdmin } from "../admin-fixture.ts";
import { createAuthContext, type TestAuthContext } from "../support/auth-context.ts";
import { until } from "../../support/until.ts";
import { connectPerson } from "./connect-person.ts";

const REDIRECTS = ["http://127.0.0.1:33418/callback"];
const SETTINGS = { settings: { oauthDynamicRegistrationEnabled: true } };

async function register(
  stage: TestAuthContext,
  body: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await createFetch(stage)("https://localhost:8443/auth/v1/oauth/register", {
    method: "POST",
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("a program that registers itself", () => {
  it("finds nothing where the operator has not allowed it", async (t) => {
    const stage = await createAuthContext(t);
    const { status, body } = await register(stage, { redirect_uris: REDIRECTS });
    assert.deepEqual([status, body["error_code"]], [404, "feature_disabled"]);
  });

  it("gets an id, and a secret only when it can keep one", async (t) => {
    const stage = await createAuthContext(t, SETTINGS);
    const { status, body } = await register(stage, {
      client_name: "Editor",
      redirect_uris: REDIRECTS,
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      token_endpoint_auth_method: "none",
      scope: "read run approve share secrets",
      software_id: "ignored",
    });
    assert.equal(status, 201);
    const { client_id, client_id_issued_at, created_at, updated_at, ...rest } = body;
    assert.deepEqual(rest, {
      client_name: "Editor",
      client_type: "public",
      token_endpoint_auth_method: "none",
      registration_type: "dynamic",
      redirect_uris: REDIRECTS,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "read run",
    });
    assert.equal(client_id_issued_at, Math.floor(Date.parse(String(created_at)) / 1000));
    assert.equal(created_at, updated_at);
    const stored = await findClient(stage.context, String(client_id));
    assert.ok(stored);
    assert.deepEqual(permittedScopes(stored), ["read", "run"]);

    const confidential = await register(stage, { redirect_uris: REDIRECTS });
    assert.equal(confidential.body["token_endpoint_auth_method"], "client_secret_basic");
    assert.equal(confidential.body["client_secret_expires_at"], 0);
    assert.equal(confidential.body["client_name"], "Unnamed client");
    const { secretHash } = (await findClient(stage.context, String(confidential.body["client_id"]))) ?? {};
    assert.deepEqual(secretHash, hashClientSecret(String(confidential.body["client_secret"])));
  });

  it("learns what is wrong, also in the words of RFC 7591", async (t) => {
    const stage = await createAuthContext(t, SETTINGS);
    for (const [request, error, message] of [
      [{}, "invalid_redirect_uri", /^redirect_uris: /],
      [{ redirect_uris: ["http://a.example/"] }, "invalid_redirect_uri", /^redirect_uris\.0: must be an https URL/],
      [{ redirect_uris: REDIRECTS, client_uri: "ftp://a" }, "invalid_client_metadata", /^client_uri: /],
      [{ redirect_uris: REDIRECTS, grant_types: ["implicit"] }, "invalid_client_metadata", /^grant_types: /],
      [
        { redirect_uris: REDIRECTS, token_endpoint_auth_method: "private_key_jwt" },
        "invalid_client_metadata",
        /^token_/,
      ],
      [[], "invalid_client_metadata", /JSON object/],
    ] as const) {
      const { status, body } = await register(stage, request);
      assert.deepEqual([status, body["error"]], [400, error], JSON.stringify(body));
      assert.match(String(body["error_description"]), message);
      assert.equal(body["error_description"], body["message"]);
    }
  });

  it("counts as an attempt of its address", () => {
    const endpoint = authEndpoints.find(({ path }) => path === "/oauth/register");
    assert.deepEqual([endpoint?.access, endpoint?.limit], ["public", "auth"]);
  });

  it("is one of at most as many as the operator accepts, also when many come together", async (t) => {
    const stage = await createAuthContext(t, { settings: { ...SETTINGS.settings, oauthMaxDynamicClients: 7 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(stage, { redirect_uris: REDIRECTS })));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 13);
    for (const { status, body } of refused) {
      assert.deepEqual([status, body["error_code"]], [429, "over_request_rate_limit"]);
      assert.ok(Number(body["retry_after"]) > 0);
    }
    const { rows } = await stage.context.pool.query("select count(*)::int as count from auth.oauth_clients");
    assert.deepEqual(rows, [{ count: 7 }]);
  });
});

describe("housekeeping", () => {
  it("deletes clients that nobody uses: those that registered themselves after a day, and documents after an hour", async (t) => {
    const { stage, newUser } = await openAdmin(t, SETTINGS);
    const { pool, clock, settings } = stage.context;
    const { id: userId } = await newUser();
    const add = async (name: string, registration: string, age: string): Promise<string> => {
      const { rows } = await pool.query<{ id: string }>(
        `insert into auth.oauth_clients (id, registration, name, redirect_uris, created_at)
         values ($1, $2, $1, '{https://a.example/}', $3::timestamptz - $4::interval) returning id`,
        [name, registration, clock.now(), age],
      );
      return rows[0]?.id ?? "";
    };
    await add("manual", "manual", "3 days");
    await add("new", "dynamic", "23 hours");
    await connectPerson(pool, { userId, clientId: await add("connected", "dynamic", "3 days") });
    const consented = await add("consented", "document", "3 days");
    await connectPerson(pool, { userId, clientId: consented });
    await pool.query(
      "delete from auth.sessions where id in (select id from auth.oauth_sessions where client_id = $1)",
      [consented],
    );
    await pool.query(
      `insert into auth.oauth_authorizations (client_id, redirect_uri, scopes, resource, code_challenge, expires_at)
       values ($1, 'https://a.example/', '{read}', 'x', 'x', now() + interval '10 minutes')`,
      [await add("asking", "dynamic", "3 days")],
    );
    for (const name of ["unused", "unused too"]) await add(name, "dynamic", "25 hours");
    await add("unused document", "document", "2 hours");
    await add("new document", "document", "30 minutes");

    const ending = new AbortController();
    const running = createAuthHousekeeping(
      { pool, clock },
      { settings, random: () => 0.5, intervalMs: 20, batchSize: 2 },
    ).run(ending.signal);
    const namesLeft = async (): Promise<string[]> => {
      const { rows } = await pool.query<{ name: string }>("select name from auth.oauth_clients order by name");
      return rows.map(({ name }) => name);
    };
    await until(async () => (await namesLeft()).length <= 6);
    ending.abort();
    await running;
    assert.deepEqual(await namesLeft(), ["asking", "connected", "consented", "manual", "new", "new document"]);
  });
});
