import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeJwt } from "jose";
import { createPasswordHasher } from "../../src/auth/passwords/password-hasher.ts";
import { createAuthContext, TEST_HASH_PARAMETERS, type TestAuthContext } from "./support/auth-context.ts";
import {
  getUser,
  PASSWORD,
  refresh,
  type ShownSession,
  signIn,
  signUp,
  updateUser,
  watchHasher,
} from "./support/accounts.ts";
import { rejection } from "./support/rejection.ts";

const NEW_PASSWORD = "a new password";
const DAY_MS = 24 * 3_600_000;

test("GET /user returns the user of the token and rejects keys", async (t) => {
  const auth = await createAuthContext(t);
  const session = await signUp(auth, "ada@example.com");
  assert.deepEqual(await getUser(auth, session.access_token), session.user);
  await assert.rejects(auth.call("GET", "/user"), rejection(401, "no_authorization"));
  await assert.rejects(auth.call("GET", "/user", { token: auth.serviceRoleKey }), rejection(401, "bad_jwt"));
  await auth.database.owner.query("delete from auth.users");
  await assert.rejects(getUser(auth, session.access_token), rejection(401, "user_not_found"));
});

test("PUT /user merges metadata by key and keeps the members that the service writes", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token, user } = await signUp(auth, "ada@example.com");
  await updateUser(auth, token, { data: { theme: "dark", nested: { a: 1, b: 2 }, gone: 1 } });
  const changes = { nested: { c: 3 }, gone: null, email: "eve@example.com", email_verified: null, sub: "me" };
  const updated = await updateUser(auth, token, { data: changes });
  assert.deepEqual(updated.user_metadata, {
    ...user.user_metadata,
    theme: "dark",
    nested: { c: 3 },
  });
  assert.deepEqual((await getUser(auth, token)).user_metadata, updated.user_metadata);
  assert.deepEqual(decodeJwt(await refreshed(auth, "ada@example.com"))["user_metadata"], updated.user_metadata);
});

test("PUT /user: concurrent changes of different metadata keys are both kept, and the size limit applies to the sum", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token } = await signUp(auth, "ada@example.com");
  await Promise.all(
    Array.from({ length: 8 }, (_, place) => updateUser(auth, token, { data: { [`k${place}`]: place } })),
  );
  const { user_metadata: metadata } = await getUser(auth, token);
  for (let place = 0; place < 8; place += 1) assert.equal(metadata[`k${place}`], place);
  await updateUser(auth, token, { data: { big: "x".repeat(30_000) } });
  await assert.rejects(
    updateUser(auth, token, { data: { more: "x".repeat(3_000) } }),
    rejection(400, "validation_failed", /32768/),
  );
  await assert.rejects(updateUser(auth, token, { data: { nul: "\0" } }), rejection(400, "validation_failed"));
  const proto = await updateUser(auth, token, { data: JSON.parse('{"__proto__": {"x": 1}, "k0": null}') });
  assert.equal(Object.hasOwn(proto.user_metadata, "__proto__"), false);
  assert.equal("k0" in proto.user_metadata, false);
});

test("PUT /user rejects app_metadata and ignores members that users must not write", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token, user } = await signUp(auth, "ada@example.com");
  const body = { app_metadata: { role: "admin" } };
  await assert.rejects(updateUser(auth, token, body), rejection(403, "not_admin"));
  await updateUser(auth, token, {
    role: "service_role",
    is_anonymous: true,
    banned_until: null,
    id: "x",
    data: { a: 1 },
  });
  const now = await getUser(auth, token);
  assert.equal(now["role"], "authenticated");
  assert.equal(now.id, user.id);
  assert.deepEqual(now.app_metadata, user.app_metadata);
  await assert.rejects(updateUser(auth, token, { phone: "+49" }), rejection(400, "phone_provider_disabled"));
  await assert.rejects(updateUser(auth, token, { phone: "fax" }), rejection(400, "validation_failed", /E\.164/));
});

test("a password change ends the other sessions and keeps the current one", async (t) => {
  const auth = await createAuthContext(t);
  const session = await signUp(auth, "ada@example.com");
  const other = await signIn(auth, "ada@example.com");
  await updateUser(auth, session.access_token, { password: NEW_PASSWORD });
  await getUser(auth, session.access_token);
  await refresh(auth, session.refresh_token);
  await assert.rejects(getUser(auth, other.access_token), rejection(401, "session_not_found"));
  await assert.rejects(refresh(auth, other.refresh_token), rejection(400, "refresh_token_not_found"));
  await assert.rejects(signIn(auth, "ada@example.com"), rejection(400, "invalid_credentials"));
  await signIn(auth, "ada@example.com", NEW_PASSWORD);
});

test("a rejected password change changes nothing", async (t) => {
  const hasher = watchHasher(createPasswordHasher(TEST_HASH_PARAMETERS));
  const auth = await createAuthContext(t, { hasher });
  const { access_token: token } = await signUp(auth, "ada@example.com");
  const other = await signIn(auth, "ada@example.com");
  const ask = (body: unknown) => updateUser(auth, token, body);
  const asked = { ...hasher.asked };
  await assert.rejects(ask({ password: "short" }), rejection(422, "weak_password"));
  await assert.rejects(ask({ password: "x".repeat(10_000_000) }), rejection(400, "validation_failed", /1024/));
  assert.deepEqual(hasher.asked, asked);
  await assert.rejects(ask({ password: PASSWORD }), rejection(422, "same_password"));
  const wrong = { password: NEW_PASSWORD, current_password: "wrong" };
  await assert.rejects(ask(wrong), rejection(400, "current_password_invalid"));
  await assert.rejects(ask({ password: NEW_PASSWORD, email: "no address" }), rejection(400, "validation_failed"));
  const large = { password: NEW_PASSWORD, data: { big: "x".repeat(33_000) } };
  await assert.rejects(ask(large), rejection(400, "validation_failed", /32768/));
  await getUser(auth, other.access_token);
  await signIn(auth, "ada@example.com");
  await ask({ password: NEW_PASSWORD, current_password: PASSWORD });
});

test("a session that a password change has ended cannot change the password back", async (t) => {
  const real = createPasswordHasher(TEST_HASH_PARAMETERS);
  let meanwhile: () => Promise<void> = async () => {};
  const auth = await createAuthContext(t, {
    hasher: {
      verify: real.verify,
      hash: async (password) => {
        await meanwhile();
        return real.hash(password);
      },
    },
  });
  const owner = await signUp(auth, "ada@example.com");
  const thief = await signIn(auth, "ada@example.com");
  meanwhile = async () => {
    meanwhile = async () => {};
    await updateUser(auth, owner.access_token, { password: NEW_PASSWORD });
  };
  await assert.rejects(
    updateUser(auth, thief.access_token, { password: "of the thief" }),
    rejection(401, "session_not_found"),
  );
  await signIn(auth, "ada@example.com", NEW_PASSWORD);
});

test("a password change requires a mailed code when the sign-in is old", async (t) => {
  const auth = await createAuthContext(t, {
    settings: { authAccessTokenTtlSeconds: 2 * 86_400 },
  });
  const { access_token: token } = await signUp(auth, "ada@example.com");
  await updateUser(auth, token, { password: NEW_PASSWORD });
  auth.clock.advance(DAY_MS + 1000);
  const third = { password: "a third password" };
  await assert.rejects(updateUser(auth, token, third), rejection(400, "reauthentication_needed"));
  await assert.rejects(
    updateUser(auth, token, { ...third, nonce: "000000" }),
    rejection(422, "reauthentication_not_valid"),
  );
  await auth.call("GET", "/reauthenticate", { token });
  const nonce = auth.mails.at(-1)?.values.code;
  assert.equal(auth.mails.at(-1)?.kind, "reauthentication");
  await updateUser(auth, token, { data: { harmless: true } });
  await updateUser(auth, token, { ...third, nonce });
  await signIn(auth, "ada@example.com", "a third password");
  await assert.rejects(
    updateUser(auth, token, { password: "a fourth one", nonce }),
    rejection(422, "reauthentication_not_valid"),
  );
});

test("changes of the account require an aal2 session when the user has a verified factor", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token, user } = await signUp(auth, "ada@example.com");
  await auth.database.owner.query(
    `insert into auth.mfa_factors (user_id, factor_type, status, secret_wrapped) values ($1, 'totp', 'verified', '')`,
    [user.id],
  );
  await assert.rejects(updateUser(auth, token, { password: NEW_PASSWORD }), rejection(401, "insufficient_aal"));
  await assert.rejects(updateUser(auth, token, { email: "new@example.com" }), rejection(401, "insufficient_aal"));
  await assert.rejects(updateUser(auth, token, { data: { a: 1 } }), rejection(401, "insufficient_aal"));
  await auth.database.owner.query("update auth.sessions set aal = 'aal2'");
  await updateUser(auth, token, { password: NEW_PASSWORD });
});

test("with autoconfirm, an address changes at once in all rows that contain it", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token, user } = await signUp(auth, "ada@example.com");
  const updated = await updateUser(auth, token, { email: "Countess@Example.com", data: { title: "Countess" } });
  assert.equal(updated.email, "countess@example.com");
  assert.equal(updated.user_metadata["email"], "countess@example.com");
  assert.equal(updated.user_metadata["title"], "Countess");
  assert.equal(updated.identities[0]?.["email"], "countess@example.com");
  assert.equal("new_email" in updated, false);
  const { rows } = await auth.database.owner.query("select email from public.profiles where id = $1", [user.id]);
  assert.deepEqual(rows, [{ email: "countess@example.com" }]);
  await signIn(auth, "countess@example.com");
  await assert.rejects(signIn(auth, "ada@example.com"), rejection(400, "invalid_credentials"));
});

test("with autoconfirm, a change to a taken address changes nothing and mails its owner", async (t) => {
  const auth = await createAuthContext(t);
  await signUp(auth, "eve@example.com");
  const { access_token: token } = await signUp(auth, "ada@example.com");
  assert.equal((await updateUser(auth, token, { email: "eve@example.com" })).email, "ada@example.com");
  assert.deepEqual(
    auth.mails.map(({ kind, to }) => [kind, to]),
    [["address_taken", "eve@example.com"]],
  );
});

test("concurrent changes to one address: exactly one succeeds", async (t) => {
  const auth = await createAuthContext(t);
  const sessions = await Promise.all(Array.from({ length: 5 }, (_, place) => signUp(auth, `user${place}@example.com`)));
  const change = { email: "wanted@example.com" };
  await Promise.allSettled(sessions.map(({ access_token: token }) => updateUser(auth, token, change)));
  const { rows } = await auth.database.owner.query("select count(*)::int as count from auth.users where email = $1", [
    change.email,
  ]);
  assert.equal(rows[0].count, 1);
});

test("without autoconfirm, an address changes after its confirmation, and a taken address gets the same response", async (t) => {
  const auth = await createAuthContext(t, { settings: { authAutoconfirm: false } });
  const token = await confirmedSession(auth, "ada@example.com");
  await confirmedSession(auth, "eve@example.com");
  const other = await confirmedSession(auth, "bob@example.com");
  auth.mails.length = 0;
  const free = await updateUser(auth, token, { email: "new@example.com" });
  const freeMails = auth.mails.splice(0).map(({ kind, to }) => [kind, to]);
  const taken = await updateUser(auth, other, { email: "eve@example.com" });
  const takenMails = auth.mails.splice(0).map(({ kind, to }) => [kind, to]);
  assert.equal(free.email, "ada@example.com");
  assert.equal(free["new_email"], "new@example.com");
  assert.equal(taken["new_email"], "eve@example.com");
  assert.deepEqual(Object.keys(taken).toSorted(), Object.keys(free).toSorted());
  assert.deepEqual(freeMails, [
    ["email_change_current", "ada@example.com"],
    ["email_change_new", "new@example.com"],
  ]);
  assert.deepEqual(takenMails, [
    ["email_change_current", "bob@example.com"],
    ["address_taken", "eve@example.com"],
  ]);
});

test("an anonymous user becomes permanent with an address and a password", async (t) => {
  const auth = await createAuthContext(t);
  const { body } = await auth.call("POST", "/signup", { body: {} });
  const { access_token: token, user, refresh_token: refreshToken } = body as ShownSession;
  await assert.rejects(
    updateUser(auth, token, { password: NEW_PASSWORD }),
    rejection(422, "validation_failed", /anonymous/),
  );
  const updated = await updateUser(auth, token, { email: "ada@example.com", password: NEW_PASSWORD });
  assert.equal(updated.id, user.id);
  assert.equal(updated.is_anonymous, false);
  assert.equal(updated.identities.length, 1);
  assert.deepEqual(updated.app_metadata, { provider: "email", providers: ["email"] });
  assert.equal(decodeJwt((await refresh(auth, refreshToken)).access_token)["is_anonymous"], false);
  assert.equal((await signIn(auth, "ada@example.com", NEW_PASSWORD)).user.id, user.id);
});

test("without autoconfirm, an anonymous user stays anonymous until the address is confirmed", async (t) => {
  const auth = await createAuthContext(t, { settings: { authAutoconfirm: false } });
  const { body } = await auth.call("POST", "/signup", { body: {} });
  const { access_token: token, user } = body as ShownSession;
  const waiting = await updateUser(auth, token, { email: "ada@example.com", password: NEW_PASSWORD });
  assert.equal(waiting.is_anonymous, true);
  assert.equal(waiting["new_email"], "ada@example.com");
  await assert.rejects(signIn(auth, "ada@example.com", NEW_PASSWORD), rejection(400, "invalid_credentials"));
  const mail = auth.mails.at(-1)!;
  assert.equal(mail.to, "ada@example.com");
  await auth.call("POST", "/verify", {
    body: { type: "email_change", email: "ada@example.com", token: mail.values.code },
  });
  const signedIn = await signIn(auth, "ada@example.com", NEW_PASSWORD);
  assert.equal(signedIn.user.id, user.id);
  assert.equal(signedIn.user.is_anonymous, false);
});

async function confirmedSession(auth: TestAuthContext, email: string): Promise<string> {
  await auth.call("POST", "/signup", { body: { email, password: PASSWORD } });
  await auth.database.owner.query("update auth.users set email_confirmed_at = now() where email = $1", [email]);
  return (await signIn(auth, email)).access_token;
}

async function refreshed(auth: TestAuthContext, email: string): Promise<string> {
  return (await signIn(auth, email)).access_token;
}
