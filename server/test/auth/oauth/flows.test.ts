import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createClient } from "@supabase/supabase-js";
import { createLocalJWKSet, jwtVerify } from "jose";
import * as openid from "openid-client";
import { type OAuthStage, openOAuthStage, PASSWORD, type Person, REDIRECT } from "./support/oauth-stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: OAuthStage;

before(async () => {
  stage = await openOAuthStage({ after: (close: () => Promise<void>) => void closers.unshift(close) });
});
after(async () => {
  for (const close of closers) await close();
});

/** The client library of apps, signed in as the person. */
async function clientOf(person: Person) {
  const { url, anon_key: key } = stage.service.credentials;
  const client = createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });
  await client.auth.signInWithPassword({ email: person.email, password: PASSWORD });
  return client.auth;
}

describe("a program", () => {
  test("discovers the service, is let in, refreshes, reads who the person is, and ends its session, with openid-client", async () => {
    // The library cuts the query off the address that it is called at.
    const redirectUri = "https://program.example.com/callback";
    const client = await stage.addClient({ redirect_uris: [redirectUri] });
    const person = await stage.signUp();
    const config = await openid.discovery(new URL(stage.issuer), client.id, undefined, openid.None(), {
      algorithm: "oauth2",
    });
    const verifier = openid.randomPKCECodeVerifier();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: "openid email profile read",
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: stage.url,
      state,
      nonce,
    });
    const sent = await fetch(url, { redirect: "manual" });
    const id = new URL(sent.headers.get("location") ?? "").searchParams.get("authorization_id") ?? "";
    const back = await stage.answer(person, { id });
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    assert.match(tokens.access_token, /^oat_[0-9A-Za-z]{49}$/);
    assert.equal(tokens.scope, "read openid email profile");
    assert.equal(tokens.claims()?.sub, person.id);
    assert.equal(tokens.claims()?.["email"], person.email);
    const about = await openid.fetchUserInfo(config, tokens.access_token, person.id);
    assert.deepEqual(about, { sub: person.id, email: person.email, email_verified: true });
    assert.equal(await stage.isLive(tokens.access_token), true);

    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "");
    assert.notEqual(renewed.access_token, tokens.access_token);
    assert.equal(await stage.isLive(renewed.access_token), true);
    await openid.tokenRevocation(config, renewed.refresh_token ?? "");
    assert.equal(await stage.isLive(renewed.access_token), false);
    await assert.rejects(openid.refreshTokenGrant(config, renewed.refresh_token ?? ""), { error: "invalid_grant" });
  });

  test("gets an ID token that the published keys verify, with the time of the sign-in", async () => {
    const client = await stage.addClient();
    const person = await stage.signUp();
    const { id_token: token } = await stage.connect(client, person, { scope: "openid", nonce: "n-1" });
    const keys = createLocalJWKSet(await stage.callOk("GET /auth/v1/.well-known/jwks.json"));
    const { payload } = await jwtVerify(token, keys, { issuer: stage.issuer, audience: client.id });
    assert.deepEqual([payload.sub, payload["nonce"]], [person.id, "n-1"]);
    assert.ok(Math.abs(Number(payload["auth_time"]) - Date.now() / 1000) < 120);
    assert.equal(payload["email"], undefined, "the scope email was not asked for");
  });

  test("without the grant type refresh_token gets no refresh token, and its session ends with the access token", async () => {
    const client = await stage.addClient({ grant_types: ["authorization_code"] });
    const person = await stage.signUp();
    const tokens = await stage.connect(client, person);
    assert.equal(tokens.refresh_token, undefined);
    const [row] = await stage.sql(
      `select s.not_after = o.access_expires_at as ends, extract(epoch from s.not_after - now())::int as seconds
         from auth.sessions s join auth.oauth_sessions o on o.id = s.id where o.client_id = $1`,
      [client.id],
    );
    assert.equal(row.ends, true);
    assert.ok(row.seconds > 3_500 && row.seconds <= 3_600);
  });

  test("gets the same tokens again when it repeats a refresh whose answer was lost", async () => {
    const client = await stage.addClient();
    const tokens = await stage.connect(client, await stage.signUp());
    const first = await stage.refresh(client, tokens.refresh_token);
    const again = await stage.refresh(client, tokens.refresh_token);
    assert.deepEqual([again.status, again.body], [200, first.body]);
  });

  test("authenticates with its secret in the header or in the body, as it has registered", async () => {
    const person = await stage.signUp();
    for (const method of ["client_secret_basic", "client_secret_post"] as const) {
      const client = await stage.addClient({ secret: "s:e c+r%et", token_endpoint_auth_method: method });
      const { access_token: token } = await stage.connect(client, person);
      assert.equal(await stage.isLive(token), true);
    }
  });

  test("finds the same metadata at all addresses where clients look for it", async () => {
    const paths = [
      "/auth/v1/.well-known/openid-configuration",
      "/auth/v1/.well-known/oauth-authorization-server",
      "/.well-known/openid-configuration/auth/v1",
      "/.well-known/oauth-authorization-server/auth/v1",
    ];
    const documents = await Promise.all(paths.map((path) => stage.callOk(`GET ${path}`)));
    for (const document of documents) assert.deepEqual(document, documents[0]);
    const [{ issuer, scopes_supported: scopes, code_challenge_methods_supported: methods }] = documents;
    assert.equal(issuer, stage.issuer);
    assert.deepEqual(methods, ["S256"]);
    for (const scope of ["secrets", "approve", "share"]) assert.ok(!scopes.includes(scope), scope);
  });
});

describe("a person", () => {
  test("sees what a program asks for, approves less, and takes it back, with the client library", async () => {
    const client = await stage.addClient({ name: "Reader", client_uri: "https://reader.example.com/" });
    const person = await stage.signUp();
    const { oauth } = await clientOf(person);
    const begun = await stage.begin(client, { scope: "read run email", state: "s-1", resource: `${stage.url}/mcp/` });
    const { data: details } = await oauth.getAuthorizationDetails(begun.id);
    assert.ok(details !== null && "client" in details);
    assert.deepEqual(
      { ...details, expires_at: null },
      {
        authorization_id: begun.id,
        redirect_uri: REDIRECT,
        client: {
          id: client.id,
          name: "Reader",
          uri: "https://reader.example.com/",
          logo_uri: "",
          host: "reader.example.com",
          registration: "dynamic",
        },
        user: { id: person.id, email: person.email },
        scope: "read run email",
        scopes: ["read", "run", "email"],
        resource: `${stage.url}/mcp`,
        is_loopback_redirect: false,
        previous: null,
        expires_at: null,
      },
    );
    const back = await stage.answer(person, begun, { action: "approve", scopes: ["read"] });
    assert.deepEqual(
      [back.searchParams.get("from"), back.searchParams.get("state"), back.searchParams.get("iss")],
      ["swarmbase", "s-1", stage.issuer],
    );
    const { body: tokens } = await stage.redeem(client, back.searchParams.get("code") ?? "", begun);
    assert.equal(tokens.scope, "read");

    const { data: grants } = await oauth.listGrants();
    assert.deepEqual(
      grants?.map(({ client: { id, name }, scopes }) => ({ id, name, scopes })),
      [{ id: client.id, name: "Reader", scopes: ["read"] }],
    );
    const { error } = await oauth.revokeGrant({ clientId: client.id });
    assert.equal(error, null);
    assert.equal((await stage.refresh(client, tokens.refresh_token)).status, 400);
    assert.deepEqual((await oauth.listGrants()).data, []);
    const actions = await stage.sql(
      "select action, client_id from auth.audit_log_entries where user_id = $1 order by created_at",
      [person.id],
    );
    assert.deepEqual(actions, [
      { action: "program_connected", client_id: client.id },
      { action: "program_disconnected", client_id: client.id },
    ]);
  });

  test("refuses a program, which is told so and nothing else", async () => {
    const client = await stage.addClient();
    const person = await stage.signUp();
    const { oauth } = await clientOf(person);
    const begun = await stage.begin(client, { state: "s-2" });
    const { data } = await oauth.denyAuthorization(begun.id, { skipBrowserRedirect: true });
    const back = new URL(data?.redirect_url ?? "").searchParams;
    assert.deepEqual([back.get("error"), back.get("state"), back.get("iss")], ["access_denied", "s-2", stage.issuer]);
    assert.equal(back.get("code"), null);
    assert.deepEqual(await stage.sql("select 1 from auth.oauth_consents where user_id = $1", [person.id]), []);
  });

  test("is not asked again while the consent covers the request, and is asked when the program or the request has changed", async () => {
    const client = await stage.addClient();
    const person = await stage.signUp();
    const show = async (more: Record<string, string>) => {
      const { id } = await stage.begin(client, more);
      return stage.callOk(`GET /auth/v1/oauth/authorizations/${id}`, person.token);
    };
    await stage.connect(client, person, { scope: "read run" });
    const begun = await stage.begin(client, { scope: "read" });
    const { redirect_url: url } = await stage.callOk(`GET /auth/v1/oauth/authorizations/${begun.id}`, person.token);
    const { body } = await stage.redeem(client, new URL(url).searchParams.get("code") ?? "", begun);
    assert.equal(body.scope, "read");

    const more = await show({ scope: "read write" });
    assert.deepEqual(more.previous.scopes, ["read", "run"]);
    assert.equal((await show({ scope: "read", resource: `${stage.url}/a2a` })).previous, null);
    for (const prompt of ["consent", "login"]) assert.equal((await show({ scope: "read", prompt })).scope, "read");
    await stage.sql("update auth.oauth_clients set name = 'Another name' where id = $1", [client.id]);
    assert.equal((await show({ scope: "read" })).previous.client_name, "A program");
    await stage.sql("update auth.oauth_clients set name = 'A program' where id = $1", [client.id]);
    await stage.sql(
      "update auth.oauth_clients set redirect_uris = redirect_uris || '{https://new.example.com/}' where id = $1",
      [client.id],
    );
    assert.deepEqual((await show({ scope: "read" })).previous.redirect_uris, [REDIRECT]);
  });

  test("is asked each time when a program on a device receives the code", async () => {
    const client = await stage.addClient({ redirect_uris: ["http://127.0.0.1/callback"] });
    const person = await stage.signUp();
    await stage.connect(client, person);
    const begun = await stage.begin(client, { redirect_uri: "http://127.0.0.1:51234/callback" });
    const details = await stage.callOk(`GET /auth/v1/oauth/authorizations/${begun.id}`, person.token);
    assert.deepEqual([details.is_loopback_redirect, details.redirect_url], [true, undefined]);
  });

  test("who gives a program less than before ends its sessions that may do more", async () => {
    const client = await stage.addClient();
    const person = await stage.signUp();
    const wide = await stage.connect(client, person, { scope: "read run", prompt: "consent" });
    const same = await stage.connect(client, person, { scope: "read run", prompt: "consent" });
    assert.equal(await stage.isLive(wide.access_token), true);
    const narrow = await stage.connect(client, person, { scope: "read", prompt: "consent" });
    assert.deepEqual(await Promise.all([wide, same, narrow].map(({ access_token: token }) => stage.isLive(token))), [
      false,
      false,
      true,
    ]);
  });

  test("binds a program to their own agents, and to no others", async () => {
    const client = await stage.addClient();
    const [person, other] = [await stage.signUp(), await stage.signUp()];
    const makeAgent = async (token: string): Promise<string> => {
      const [row] = await stage.sql(
        "insert into public.agents (user_id, name, framework) values ($1, 'Agent', 'provider_a') returning id",
        [token],
      );
      return row.id;
    };
    const [own, foreign] = [await makeAgent(person.id), await makeAgent(other.id)];
    await makeAgent(person.id);
    const begun = await stage.begin(client, { scope: "read run" });
    const path = `POST /auth/v1/oauth/authorizations/${begun.id}/consent`;
    const refused = await stage.call(path, person.token, { action: "approve", resources: { agents: [foreign] } });
    assert.equal(refused.status, 400);
    const back = await stage.answer(person, begun, { action: "approve", resources: { agents: [own] } });
    const { body } = await stage.redeem(client, back.searchParams.get("code") ?? "", begun);
    const seen = await stage.callOk("GET /rest/v1/agents?select=id", body.access_token);
    assert.deepEqual(seen, [{ id: own }]);
  });
});
