import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newEmail, ok, openAdmin, openClient, PASSWORD, signUpNew } from "./support/clients.ts";
import { type Service, startService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";
import { readToken } from "./support/tokens.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let service: Service;
before(async () => {
  service = await startService(QUICK_HASHES);
});
after(() => service?.stop());

test("5.2 sign-up takes e-mail, password and metadata, and returns the user", async () => {
  const email = newEmail("Ada.Lovelace");
  const startedAt = Date.now();
  const { user, session } = ok(
    await openClient(service).auth.signUp({ email, password: PASSWORD, options: { data: { full_name: "Ada" } } }),
  );
  assert.ok(user);
  assert.match(user.id, UUID);
  assert.equal(user.email, email.toLowerCase());
  assert.equal(user.user_metadata["full_name"], "Ada");
  assert.deepEqual(user.app_metadata, { provider: "email", providers: ["email"] });
  assert.equal(user.aud, "authenticated");
  assert.equal(user.role, "authenticated");
  assert.ok(Math.abs(Date.parse(user.created_at) - startedAt) < 60_000, user.created_at);
  assert.ok(session, "without a mail server an account counts as confirmed at once");
});

test("5.2 sign-up with a taken address, an invalid address or a weak password returns the specific error code", async () => {
  const { email } = await signUpNew(service);
  const { auth } = openClient(service);
  const taken = await auth.signUp({ email: email.toUpperCase(), password: "another password" });
  assert.equal(taken.error?.code, "user_already_exists");
  assert.equal(taken.error?.status, 422);
  assert.equal(taken.data.session, null);

  const bad = await auth.signUp({ email: "nobody", password: PASSWORD });
  assert.equal(bad.error?.code, "validation_failed");
  assert.equal(bad.error?.status, 400);

  const weak = await auth.signUp({ email: newEmail(), password: "12345" });
  assert.equal(weak.error?.name, "AuthWeakPasswordError");
  assert.deepEqual(Reflect.get(weak.error ?? {}, "reasons"), ["length"]);
  assert.ok((await auth.signUp({ email: newEmail(), password: "123456" })).data.session, "six characters are enough");
});

test("5.3 sign-in returns the user and a session with a token of one hour", async () => {
  const email = newEmail();
  ok(await openClient(service).auth.signUp({ email, password: PASSWORD, options: { data: { full_name: "Ada" } } }));
  const nowSeconds = Math.floor(Date.now() / 1000);
  const { user, session } = ok(await openClient(service).auth.signInWithPassword({ email, password: PASSWORD }));
  assert.equal(user.email, email);
  assert.equal(user.user_metadata["full_name"], "Ada");
  assert.equal(session.user.id, user.id);
  assert.equal(session.token_type, "bearer");
  assert.equal(session.expires_in, 3600);
  assert.ok(Number.isInteger(session.expires_at));
  assert.ok(Math.abs((session.expires_at ?? 0) - nowSeconds - 3600) <= 10, String(session.expires_at));
  assert.match(session.access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  assert.ok(session.refresh_token.length >= 16);
});

test("5.3 the body on the wire is the session itself", async () => {
  const { email } = await signUpNew(service);
  const answer = await service.request("/auth/v1/token?grant_type=password", {
    method: "POST",
    headers: { apikey: service.credentials.anon_key, "content-type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers["cache-control"], "no-store");
  const { access_token, refresh_token, expires_in, expires_at, token_type, user } = answer.body;
  assert.deepEqual([expires_in, token_type], [3600, "bearer"]);
  assert.deepEqual(
    [access_token, refresh_token, expires_at].map((value) => typeof value),
    ["string", "string", "number"],
  );
  assert.equal((user as Record<string, unknown>)["email"], email);
});

test("5.3 a wrong password and an address without an account return the same response", async () => {
  const { email } = await signUpNew(service);
  const { auth } = openClient(service);
  const refusals = [];
  for (const credentials of [
    { email, password: "wrong password" },
    { email: newEmail("nobody"), password: PASSWORD },
  ]) {
    const { data, error } = await auth.signInWithPassword(credentials);
    assert.deepEqual(data, { user: null, session: null });
    refusals.push([error?.status, error?.code, error?.message]);
  }
  assert.deepEqual(refusals[0], [400, "invalid_credentials", "Invalid login credentials"]);
  assert.deepEqual(refusals[1], refusals[0]);
});

test("5.4 a refresh token gets a new access token of the same session", async () => {
  const { client, session } = await signUpNew(service);
  const { session: next } = ok(await client.auth.refreshSession());
  assert.ok(next);
  assert.notEqual(next.refresh_token, session.refresh_token);
  assert.equal(next.expires_in, 3600);
  assert.equal(readToken(next.access_token).claims["session_id"], readToken(session.access_token).claims["session_id"]);
  assert.equal(ok(await client.auth.getUser()).user.id, session.user.id);
});

test("5.4 tabs that refresh at the same time, and one that lost the response, end with the same refresh token", async () => {
  const { session } = await signUpNew(service);
  const refresh = async () => {
    const { data, error } = await openClient(service).auth.refreshSession(session);
    assert.equal(error, null);
    return data.session?.refresh_token;
  };
  const tokens = new Set(await Promise.all(Array.from({ length: 10 }, refresh)));
  assert.equal(tokens.size, 1);
  assert.ok(tokens.has(await refresh()));
});

test("5.4 an unknown refresh token is rejected and does not affect the session", async () => {
  const { client, session } = await signUpNew(service);
  const forged = `${session.refresh_token.slice(0, -6)}AAAAAA`;
  for (const refresh_token of [forged, "nonsense"]) {
    const { error } = await openClient(service).auth.refreshSession({ refresh_token });
    assert.equal(error?.code, "refresh_token_not_found");
    assert.equal(error?.status, 400);
  }
  assert.equal((await client.auth.refreshSession()).error, null);
});

test("5.4 setSession continues a session on another device of the same user", async () => {
  const { session } = await signUpNew(service);
  const { auth } = openClient(service);
  assert.equal(ok(await auth.setSession(session)).user?.id, session.user.id);
  ok(await auth.updateUser({ data: { colour: "green" } }));
  assert.equal(ok(await auth.getUser()).user.user_metadata["colour"], "green");
});

test("5.6 getUser returns the user of a token, and 401 after the user was deleted", async () => {
  const { client, email, session } = await signUpNew(service);
  const { user } = ok(await openClient(service).auth.getUser(session.access_token));
  assert.equal(user.id, session.user.id);
  assert.equal(user.email, email);
  ok(await openAdmin(service).auth.admin.deleteUser(user.id));
  const { data, error } = await client.auth.getUser(session.access_token);
  assert.equal(data.user, null);
  assert.equal(error?.status, 401);
});

test("5.6 getClaims verifies the signature without requesting the user", async () => {
  const asked: string[] = [];
  const { client, session } = await signUpNew(service, {
    fetch: (input, init) => {
      asked.push(new URL(input instanceof Request ? input.url : input).pathname);
      return fetch(input, init);
    },
  });
  asked.length = 0;
  const claims = ok(await client.auth.getClaims());
  assert.ok(claims);
  assert.equal(claims.header.alg, "ES256");
  assert.equal(claims.claims.sub, session.user.id);
  assert.equal(claims.claims.iss, `${service.credentials.url}/auth/v1`);
  assert.equal(claims.claims.aud, "authenticated");
  assert.equal(claims.claims.role, "authenticated");
  assert.equal(claims.claims.aal, "aal1");
  assert.deepEqual(
    claims.claims.amr?.map((entry) => Reflect.get(Object(entry), "method")),
    ["password"],
  );
  assert.equal(claims.claims.exp - claims.claims.iat, 3600);
  assert.equal(claims.claims["is_anonymous"], false);
  ok(await client.auth.getClaims());
  assert.deepEqual(asked, ["/auth/v1/.well-known/jwks.json"], "the keys are fetched once, and nothing else is");

  const [header, payload, signature = ""] = session.access_token.split(".");
  const forged = [header, payload, `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`].join(".");
  assert.equal((await client.auth.getClaims(forged)).error?.name, "AuthInvalidJwtError");
});

test("5.6 the JWKS and the OpenID configuration are public", async () => {
  const keys = await service.request("/auth/v1/.well-known/jwks.json");
  assert.equal(keys.status, 200);
  assert.equal(keys.headers["cache-control"], "public, max-age=600");
  const listed = keys.body["keys"] as Record<string, unknown>[];
  assert.ok(listed.length >= 1);
  for (const { kty, crv, alg, use, key_ops, kid, d } of listed) {
    assert.deepEqual(
      { kty, crv, alg, use, key_ops },
      { kty: "EC", crv: "P-256", alg: "ES256", use: "sig", key_ops: ["verify"] },
    );
    assert.equal(typeof kid, "string");
    assert.equal(d, undefined, "the private half stays inside");
  }
  const description = await service.request("/auth/v1/.well-known/openid-configuration");
  const issuer = `${service.credentials.url}/auth/v1`;
  assert.equal(description.body["issuer"], issuer);
  assert.equal(description.body["jwks_uri"], `${issuer}/.well-known/jwks.json`);
  assert.deepEqual(description.body["id_token_signing_alg_values_supported"], ["ES256"]);
});

test("5.6 the auth settings and health endpoints respond", async () => {
  const { anon_key: apikey } = service.credentials;
  const { status, body } = await service.request("/auth/v1/settings", { headers: { apikey } });
  assert.equal(status, 200);
  const { email, anonymous_users, phone, github } = body["external"] as Record<string, unknown>;
  assert.deepEqual(
    { email, anonymous_users, phone, github },
    { email: true, anonymous_users: true, phone: false, github: false },
  );
  assert.deepEqual([body["disable_signup"], body["mailer_autoconfirm"], body["saml_enabled"]], [false, true, false]);
  assert.equal((await service.request("/auth/v1/health")).status, 200);
});

test("5.10 repeated mails to one address return 429 with the time to wait", async () => {
  for (const email of [(await signUpNew(service)).email, newEmail("nobody")]) {
    const { auth } = openClient(service);
    ok(await auth.resetPasswordForEmail(email));
    const { error } = await auth.resetPasswordForEmail(email);
    assert.deepEqual([error?.status, error?.code], [429, "over_email_send_rate_limit"], "with an account or without");
    const answer = await service.request("/auth/v1/recover", {
      method: "POST",
      headers: { apikey: service.credentials.anon_key, "content-type": "application/json" },
      body: JSON.stringify({ email }),
    });
    assert.equal(answer.status, 429, answer.text);
    assert.equal(answer.body["code"], "RATE_LIMITED");
    const seconds = Number(answer.body["retry_after"]);
    assert.ok(seconds > 0 && seconds <= 60, answer.text);
    assert.equal(answer.headers["retry-after"], String(seconds));
  }
});
