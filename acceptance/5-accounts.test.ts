import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newEmail, ok, openClient, PASSWORD, signInAgain, signUpNew } from "./support/clients.ts";
import { type Service, startService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";
import { readToken } from "./support/tokens.ts";

let service: Service;
before(async () => {
  service = await startService(QUICK_HASHES);
});
after(() => service?.stop());

test("5 a sign-out invalidates access tokens at once, of all sessions or of the requested scope", async () => {
  const { client: here, email, session } = await signUpNew(service);
  const { client: there, session: other } = await signInAgain(service, email);
  const isAlive = async (token: string) => (await openClient(service).auth.getUser(token)).error === null;

  assert.equal((await here.auth.signOut({ scope: "others" })).error, null);
  assert.deepEqual([await isAlive(session.access_token), await isAlive(other.access_token)], [true, false]);
  assert.equal((await there.auth.refreshSession()).error?.code, "refresh_token_not_found");

  const { session: third } = await signInAgain(service, email);
  assert.equal((await here.auth.signOut({ scope: "local" })).error, null);
  assert.deepEqual([await isAlive(session.access_token), await isAlive(third.access_token)], [false, true]);
  assert.equal(ok(await here.auth.getSession()).session, null);

  const { client: fourth } = await signInAgain(service, email);
  assert.equal((await fourth.auth.signOut()).error, null);
  assert.equal(await isAlive(third.access_token), false);
  const { error } = await openClient(service).auth.getUser(third.access_token);
  assert.equal(error?.name, "AuthSessionMissingError", "the client knows that it is signed out");
});

test("5 updateUser merges metadata by key and removes keys that are null", async () => {
  const { client } = await signUpNew(service);
  ok(await client.auth.updateUser({ data: { full_name: "Ada", tags: ["a"], nested: { deep: 1 } } }));
  const { user } = ok(await client.auth.updateUser({ data: { full_name: null, nested: { other: 2 } } }));
  const { full_name, tags, nested } = user.user_metadata;
  assert.deepEqual({ full_name, tags, nested }, { full_name: undefined, tags: ["a"], nested: { other: 2 } });
  assert.deepEqual(ok(await client.auth.getUser()).user.user_metadata, user.user_metadata);
});

test("5 a new password ends the other sessions, and the old password no longer works", async () => {
  const { client, email } = await signUpNew(service);
  const { session: other } = await signInAgain(service, email);
  assert.equal((await client.auth.updateUser({ password: PASSWORD })).error?.code, "same_password");
  assert.equal((await client.auth.updateUser({ password: "short" })).error?.code, "weak_password");
  ok(await client.auth.updateUser({ password: "a new password" }));

  assert.equal((await client.auth.getUser()).error, null, "who changed it stays");
  const { auth } = openClient(service);
  assert.equal((await auth.getUser(other.access_token)).error?.name, "AuthSessionMissingError");
  assert.equal((await auth.signInWithPassword({ email, password: PASSWORD })).error?.code, "invalid_credentials");
  assert.equal((await auth.signInWithPassword({ email, password: "a new password" })).error, null);
});

test("5 a new e-mail address applies at once without confirmation, and an address that is taken changes nothing", async () => {
  const { client, email } = await signUpNew(service);
  const expected = newEmail("new");
  const { user } = ok(await client.auth.updateUser({ email: expected }));
  assert.equal(user.email, expected);
  const { auth } = openClient(service);
  assert.equal((await auth.signInWithPassword({ email, password: PASSWORD })).error?.code, "invalid_credentials");
  assert.equal((await auth.signInWithPassword({ email: expected, password: PASSWORD })).error, null);

  const { email: taken } = await signUpNew(service);
  const { data, error } = await client.auth.updateUser({ email: taken });
  assert.equal(error, null, "the answer does not tell that the address has an account");
  assert.equal(data.user?.id, user.id);
  assert.equal(ok(await client.auth.getUser()).user.email, expected);
});

test("5 an anonymous user who adds an address stays the same user", async () => {
  const client = openClient(service);
  const { user, session } = ok(await client.auth.signInAnonymously({ options: { data: { seat: 4 } } }));
  assert.equal(user?.is_anonymous, true);
  assert.equal(user?.user_metadata["seat"], 4);
  assert.equal(readToken(session?.access_token ?? "").claims["is_anonymous"], true);

  const email = newEmail();
  const { user: known } = ok(await client.auth.updateUser({ email, password: PASSWORD }));
  assert.deepEqual([known.id, known.email, known.is_anonymous], [user?.id, email, false]);
  const { session: again } = await signInAgain(service, email);
  assert.deepEqual([again.user.id, again.user.user_metadata["seat"]], [user?.id, 4]);
});

test("5 identities are listed, and the only one cannot be removed", async () => {
  const { client, email, session } = await signUpNew(service);
  const { identities } = ok(await client.auth.getUserIdentities());
  assert.equal(identities.length, 1);
  const [identity] = identities;
  assert.ok(identity);
  assert.deepEqual([identity.provider, identity.user_id], ["email", session.user.id]);
  assert.equal(identity.identity_data?.["email"], email);
  assert.equal((await client.auth.unlinkIdentity(identity)).error?.code, "single_identity_not_deletable");
});

test("5 an identity of a provider that is not configured cannot be linked", async () => {
  const { client } = await signUpNew(service);
  const { error } = await client.auth.linkIdentity({ provider: "github" });
  assert.deepEqual([error?.status, error?.code, error?.message], [400, "oauth_provider_not_supported", NOT_ENABLED]);
  const byToken = await client.auth.linkIdentity({ provider: "google", token: "a.b.c" });
  assert.deepEqual([byToken.error?.status, byToken.error?.code], [400, "oauth_provider_not_supported"]);
});

const NOT_ENABLED = "Unsupported provider: provider is not enabled";

test("5 beyond: calls of the storage API say that it is not available", async () => {
  const bucket = openClient(service).storage.from("pictures");
  for (const { error } of [await bucket.list(), await bucket.upload("a.txt", "text"), await bucket.remove(["a.txt"])]) {
    assert.match(error?.message ?? "", /^Storage is not available/);
    assert.deepEqual([error?.name, error?.status, error?.statusCode], ["StorageApiError", 404, "404"]);
  }
});

test("5 a code for a phone number is wrong, and a malformed number is named", async () => {
  const { auth } = openClient(service);
  for (const type of ["sms", "phone_change"] as const) {
    const { error } = await auth.verifyOtp({ phone: "+491701234567", token: "123456", type });
    assert.deepEqual([error?.status, error?.code], [403, "otp_expired"]);
  }
  const { error } = await auth.verifyOtp({ phone: "0170 1234567", token: "123456", type: "sms" });
  assert.deepEqual([error?.status, error?.code], [400, "validation_failed"]);
  assert.match(error?.message ?? "", /E\.164/);
});

test("5 errors that no endpoint raises have an error code, which the client shows", async () => {
  const headers = { apikey: service.credentials.anon_key, "content-type": "application/json" };
  const data = { note: "x".repeat(1_200_000) };
  const asked: readonly [string, number, Parameters<Service["request"]>[1]][] = [
    ["/auth/v1/nowhere", 404, { headers }],
    ["/auth/v1/signup", 405, { headers }],
    ["/auth/v1/signup", 413, { method: "POST", headers, body: JSON.stringify({ data }) }],
    ["/auth/v1/signup", 415, { method: "POST", headers: { ...headers, ...TIFF }, body: "x" }],
    ["/auth/v1/settings", 401, {}],
  ];
  for (const [path, status, options] of asked) {
    const { status: given, body, headers: sent } = await service.request(path, options);
    assert.equal(given, status, path);
    assert.match(String(body["error_code"]), /^(?!unknown$)[a-z_]+$/, path);
    assert.deepEqual([sent["x-sb-error-code"], body["msg"]], [body["error_code"], body["message"]]);
  }
  const { auth } = openClient(service);
  const { error } = await auth.signUp({ email: newEmail(), password: PASSWORD, options: { data } });
  assert.deepEqual([error?.status, error?.code], [413, "request_entity_too_large"]);
});

const TIFF = { "content-type": "image/tiff" };

test("5 unsupported sign-in methods return an error", async () => {
  const { auth } = openClient(service);
  const phone = await auth.signInWithOtp({ phone: "+491701234567" });
  assert.equal(phone.error?.code, "phone_provider_disabled");
  const idToken = await auth.signInWithIdToken({ provider: "google", token: "a.b.c" });
  assert.ok(idToken.error?.status === 400 || idToken.error?.status === 422, String(idToken.error?.status));
  const sso = await auth.signInWithSSO({ domain: "example.com" });
  assert.match(sso.error?.message ?? "", /SAML 2\.0 is disabled/);
});
