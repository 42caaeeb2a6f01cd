import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { createClient } from "@supabase/supabase-js";
import { findClient, hashClientSecret } from "../../../src/auth/oauth/clients/client.ts";
import { createFetch } from "../admin-fetch.ts";
import { type AdminFixture, openAdmin } from "../admin-fixture.ts";
import { collectClosers } from "../one-time-closers.ts";
import { connectPerson } from "./connect-person.ts";

type Result = { readonly data: unknown; readonly error: unknown };

function ok<R extends Result>(result: R): NonNullable<Extract<R, { error: null }>["data"]> {
  assert.equal(result.error, null);
  return result.data as NonNullable<Extract<R, { error: null }>["data"]>;
}

const APP = { client_name: "App", redirect_uris: ["https://app.example.com/callback"] };

describe("clients that operators create", () => {
  let fixture: AdminFixture;
  let api: ReturnType<typeof createClient>["auth"]["admin"]["oauth"];
  const closers = collectClosers();
  before(async () => {
    fixture = await openAdmin(closers);
    api = createClient("https://localhost:8443", fixture.stage.serviceRoleKey, {
      global: { fetch: createFetch(fixture.stage) },
      auth: { persistSession: false, autoRefreshToken: false },
    }).auth.admin.oauth;
  });

  it("are created with a secret that no later answer has", async () => {
    const created = ok(
      await api.createClient({ ...APP, client_uri: "https://app.example.com", scope: "read run share" }),
    );
    const { client_secret: secret = "", ...shown } = created;
    assert.match(secret, /^[\w-]{43}$/);
    const { client_id, created_at, updated_at, ...rest } = shown;
    assert.deepEqual(rest, {
      client_name: "App",
      client_type: "confidential",
      token_endpoint_auth_method: "client_secret_basic",
      registration_type: "manual",
      client_uri: "https://app.example.com",
      redirect_uris: APP.redirect_uris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "read run share",
    });
    assert.equal(created_at, updated_at);
    assert.deepEqual(ok(await api.getClient(client_id)), shown);
    const client = await findClient(fixture.stage.context, client_id);
    assert.deepEqual(client?.secretHash, hashClientSecret(secret));
    assert.deepEqual(client.scopes, ["read", "run", "share"]);
  });

  it("are changed member by member", async () => {
    const { client_id: id, client_secret } = ok(await api.createClient({ ...APP, scope: "read" }));
    const redirect_uris = ["com.example.app:/callback", "http://127.0.0.1/callback", "com.example.app:/callback"];
    const changed = ok(await api.updateClient(id, { redirect_uris, logo_uri: "https://app.example.com/logo.png" }));
    assert.deepEqual(changed.redirect_uris, redirect_uris.slice(0, 2));
    assert.deepEqual([changed.client_name, changed.scope, changed.client_secret], ["App", "read", undefined]);
    assert.equal(changed.logo_uri, "https://app.example.com/logo.png");
    const without = ok(await api.updateClient(id, { client_name: "Other", logo_uri: "" }));
    assert.deepEqual(
      [without.client_name, without.logo_uri, without.redirect_uris],
      ["Other", undefined, redirect_uris.slice(0, 2)],
    );
    assert.deepEqual((await findClient(fixture.stage.context, id))?.secretHash, hashClientSecret(client_secret ?? ""));
  });

  it("get and lose a secret with the method by which they prove who they are", async () => {
    const { client_id: id, ...created } = ok(await api.createClient({ ...APP, token_endpoint_auth_method: "none" }));
    assert.deepEqual([created.client_type, created.client_secret], ["public", undefined]);
    const refused = await api.regenerateClientSecret(id);
    assert.deepEqual([refused.error?.status, refused.error?.code], [422, "validation_failed"]);
    const secretOf = async () => (await findClient(fixture.stage.context, id))?.secretHash;
    const first = ok(await api.updateClient(id, { token_endpoint_auth_method: "client_secret_post" }));
    assert.deepEqual(await secretOf(), hashClientSecret(first.client_secret ?? ""));
    const other = ok(await api.updateClient(id, { token_endpoint_auth_method: "client_secret_basic" }));
    assert.equal(other.client_secret, undefined);
    const second = ok(await api.regenerateClientSecret(id));
    assert.notEqual(second.client_secret, first.client_secret);
    assert.deepEqual(await secretOf(), hashClientSecret(second.client_secret ?? ""));
    assert.equal(ok(await api.updateClient(id, { token_endpoint_auth_method: "none" })).client_type, "public");
    assert.equal(await secretOf(), null);
  });

  it("are listed by pages, the newest first", async () => {
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) ids.unshift(ok(await api.createClient(APP)).client_id);
    const first = ok(await api.listClients({ page: 1, perPage: 2 }));
    assert.deepEqual(
      first.clients.map(({ client_id }) => client_id),
      ids.slice(0, 2),
    );
    assert.equal(first.aud, "authenticated");
    assert.deepEqual([first.nextPage, first.total], [2, await fixture.count("auth.oauth_clients")]);
    assert.equal(JSON.stringify(first).includes('secret"'), false);
    const second = ok(await api.listClients({ page: 2, perPage: 2 }));
    assert.equal(second.clients[0]?.client_id, ids[2]);
    assert.equal((await api.listClients({ perPage: 0 })).error?.code, "validation_failed");
  });

  it("are refused with the name of the wrong member", async () => {
    for (const [body, message] of [
      [{ ...APP, client_name: "" }, /^client_name: /],
      [{ ...APP, client_name: undefined }, /^client_name: /],
      [{ ...APP, client_name: "x".repeat(101) }, /^client_name: /],
      [{ ...APP, client_name: "App\u202Egpj" }, /^client_name: /],
      [{ ...APP, redirect_uris: [] }, /^redirect_uris: /],
      [{ ...APP, redirect_uris: Array(21).fill("https://a.example/") }, /^redirect_uris: /],
      [{ ...APP, redirect_uris: "https://a.example/" }, /^redirect_uris: /],
      [
        { ...APP, redirect_uris: ["https://a.example/", "https://b.example/#x"] },
        /^redirect_uris\.1: must not have a fragment$/,
      ],
      [{ ...APP, client_uri: "http://a.example/" }, /^client_uri: must be an https URL$/],
      [{ ...APP, logo_uri: "javascript:alert(1)" }, /^logo_uri: must be an https URL$/],
      [{ ...APP, grant_types: ["authorization_code", "password"] }, /^grant_types: "password" is not one of/],
      [{ ...APP, grant_types: ["refresh_token"] }, /^grant_types: must include authorization_code$/],
      [{ ...APP, response_types: ["token"] }, /^response_types: /],
      [{ ...APP, scope: "read secrets" }, /^scope: "secrets" is not one of read, /],
      [{ ...APP, token_endpoint_auth_method: "private_key_jwt" }, /^token_endpoint_auth_method: /],
    ] as const) {
      const { error } = await api.createClient(body as never);
      assert.deepEqual([error?.status, error?.code], [400, "validation_failed"], JSON.stringify(body));
      assert.match(error?.message ?? "", message);
    }
  });

  it("are not found under other ids, nor by anybody but the service role", async () => {
    for (const id of [randomUUID(), "x", "%00", encodeURIComponent("https://app.example.com/client.json")])
      for (const { error } of [
        await api.getClient(id),
        await api.updateClient(id, { client_name: "x" }),
        await api.regenerateClientSecret(id),
        await api.deleteClient(id),
      ])
        assert.deepEqual([error?.status, error?.code], [404, "oauth_client_not_found"]);
    const { tokens } = await fixture.newUser();
    const asUser = fixture.stage.call("GET", "/admin/oauth/clients", { token: tokens.access_token });
    await assert.rejects(asUser, { message: "User not allowed" });
  });

  it("end with all their sessions, and the people who had connected them find an audit entry", async () => {
    const { context } = fixture.stage;
    const { client_id: id } = ok(await api.createClient(APP));
    const { client_id: otherId } = ok(await api.createClient(APP));
    const ada = await fixture.newUser();
    const lost = await connectPerson(context.pool, { userId: ada.id, clientId: id });
    const kept = await connectPerson(context.pool, { userId: ada.id, clientId: otherId });
    assert.equal((await api.deleteClient(id)).error, null);
    assert.equal(await findClient(context, id), null);
    for (const table of ["auth.sessions", "public.api_keys", "auth.oauth_sessions"]) {
      const { rows } = await context.pool.query(`select id from ${table} where id = any($1)`, [[lost, kept]]);
      assert.deepEqual(rows, [{ id: kept }], table);
    }
    const entries =
      "select action, host(ip) as ip, client_id from auth.audit_log_entries where user_id = $1 and action like 'program%'";
    const { rows } = await context.pool.query(entries, [ada.id]);
    assert.deepEqual(rows, [{ action: "program_disconnected", ip: "127.0.0.1", client_id: id }]);
  });
});
