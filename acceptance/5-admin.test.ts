import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { GenerateLinkParams, SupabaseClient, User } from "@supabase/supabase-js";
import { newEmail, ok, openAdmin, openClient, PASSWORD, signInAgain, signUpNew } from "./support/clients.ts";
import { type Service, startService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";

/** The bcrypt hash of PASSWORD. */
const BCRYPT_HASH = "$2b$04$zL9EKxfly5HfgGWBLuH1QuY0Zt.fSUSrOut.0akGOgdQ0bxBj7iqG";

let service: Service;
let admin: SupabaseClient["auth"]["admin"];
before(async () => {
  service = await startService(QUICK_HASHES);
  admin = openAdmin(service).auth.admin;
});
after(() => service?.stop());

async function createUser(): Promise<User> {
  return ok(await admin.createUser({ email: newEmail(), password: PASSWORD, email_confirm: true })).user;
}

test("5 the service role creates accounts", async () => {
  const email = newEmail();
  const id = randomUUID();
  const { user } = ok(
    await admin.createUser({
      id,
      email,
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { full_name: "Ada" },
      app_metadata: { plan: "large" },
    }),
  );
  assert.deepEqual([user.id, user.email, user.role], [id, email, "authenticated"]);
  assert.deepEqual(user.user_metadata, { full_name: "Ada" });
  assert.deepEqual(ok(await admin.getUserById(id)).user.user_metadata, { full_name: "Ada" });
  assert.deepEqual(user.app_metadata, { plan: "large", provider: "email", providers: ["email"] });
  assert.ok(user.email_confirmed_at);
  const { session } = await signInAgain(service, email);
  assert.equal(session.user.app_metadata["plan"], "large");

  const taken = await admin.createUser({ email, password: PASSWORD });
  assert.deepEqual([taken.error?.status, taken.error?.code], [422, "email_exists"]);
  const weak = await admin.createUser({ email: newEmail(), password: "12345" });
  assert.equal(weak.error?.code, "weak_password");
  const nameless = await admin.createUser({ password: PASSWORD });
  assert.deepEqual([nameless.error?.status, nameless.error?.code], [400, "validation_failed"]);
});

test("5 an account that the service role creates unconfirmed cannot sign in until it is confirmed", async () => {
  const email = newEmail();
  const { user } = ok(await admin.createUser({ email, password: PASSWORD }));
  assert.equal(user.email_confirmed_at, undefined);
  const { auth } = openClient(service);
  assert.equal((await auth.signInWithPassword({ email, password: PASSWORD })).error?.code, "email_not_confirmed");
  ok(await admin.updateUserById(user.id, { email_confirm: true }));
  await signInAgain(service, email);
});

test("5 the service role can import password hashes of another system", async () => {
  const email = newEmail();
  ok(await admin.createUser({ email, password_hash: BCRYPT_HASH, email_confirm: true }));
  for (let time = 0; time < 2; time += 1) await signInAgain(service, email);
  const wrong = await openClient(service).auth.signInWithPassword({ email, password: "wrong password" });
  assert.equal(wrong.error?.code, "invalid_credentials");
  const nonsense = await admin.createUser({ email: newEmail(), password_hash: "nonsense" });
  assert.equal(nonsense.error?.code, "validation_failed");
});

test("5 accounts are listed page by page, newest first", async () => {
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1) made.push((await createUser()).id);
  for (const page of [1, 2, 3]) {
    const { users, total, nextPage, lastPage } = ok(await admin.listUsers({ page, perPage: 2 }));
    assert.equal(users.length, 2);
    assert.ok(total >= 6);
    // The client parses only one digit of a page number, which is enough for few pages.
    if (total <= 18) {
      assert.equal(nextPage, page < Math.ceil(total / 2) ? page + 1 : null);
      assert.equal(lastPage, Math.ceil(total / 2));
    }
  }
  // Other tests create accounts on the same service, so pages shift while they are read.
  const all = ok(await admin.listUsers({ perPage: 1000 })).users.map(({ id }) => id);
  assert.deepEqual(
    all.filter((id) => made.includes(id)),
    made.toReversed(),
  );
  assert.ok(ok(await admin.listUsers()).users.length <= 50);
  assert.deepEqual(ok(await admin.listUsers({ page: 10_000 })).users, []);
  const bad = await admin.listUsers({ page: -1 });
  assert.equal(bad.error?.code, "validation_failed");
});

test("5 the service role finds an account by its address", async () => {
  const { id, email = "" } = await createUser();
  const { service_role_key: key } = service.credentials;
  const find = async (query: string) => {
    const answer = await service.request(`/auth/v1/admin/users?${query}`, {
      headers: { apikey: key, authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200, answer.text);
    return (answer.body["users"] as User[]).map((user) => user.id);
  };
  assert.deepEqual(await find(`email=${encodeURIComponent(email.toUpperCase())}`), [id]);
  assert.deepEqual(await find(`filter=${encodeURIComponent(email.slice(0, -4))}`), [id]);
  assert.deepEqual(await find("filter=%25_%25"), []);
});

test("5 the service role reads and changes an account by its id", async () => {
  const { id } = await createUser();
  assert.equal(ok(await admin.getUserById(id)).user.id, id);
  const email = newEmail("new");
  const { user } = ok(
    await admin.updateUserById(id, {
      email,
      password: "a new password",
      user_metadata: { full_name: "Ada" },
      app_metadata: { plan: "small" },
    }),
  );
  assert.deepEqual([user.id, user.email, user.app_metadata["plan"]], [id, email, "small"]);
  ok(await openClient(service).auth.signInWithPassword({ email, password: "a new password" }));

  const { email: taken } = await signUpNew(service);
  assert.equal((await admin.updateUserById(id, { email: taken })).error?.code, "email_exists");
  const nobody = await admin.getUserById(randomUUID());
  assert.deepEqual([nobody.error?.status, nobody.error?.code], [404, "user_not_found"]);
  assert.equal((await admin.updateUserById(randomUUID(), { user_metadata: {} })).error?.code, "user_not_found");
});

test("5 a password that the service role sets ends every session", async () => {
  const { client, session } = await signUpNew(service);
  ok(await admin.updateUserById(session.user.id, { password: "a new password" }));
  assert.equal((await client.auth.getUser()).error?.name, "AuthSessionMissingError");
});

test("5 a ban takes effect at once and ends when it is lifted", async () => {
  const { client, email, session } = await signUpNew(service);
  const { user } = ok(await admin.updateUserById(session.user.id, { ban_duration: "24h" }));
  const hours = (Date.parse(Reflect.get(user, "banned_until") as string) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24, String(hours));
  assert.equal((await client.auth.getUser(session.access_token)).error?.status, 401);
  assert.equal((await openClient(service).auth.refreshSession(session)).error?.status, 400);
  const { auth } = openClient(service);
  assert.equal((await auth.signInWithPassword({ email, password: PASSWORD })).error?.code, "user_banned");
  assert.equal((await auth.signInWithPassword({ email, password: "wrong one" })).error?.code, "invalid_credentials");

  ok(await admin.updateUserById(session.user.id, { ban_duration: "none" }));
  await signInAgain(service, email);
  const bad = await admin.updateUserById(session.user.id, { ban_duration: "for ever" });
  assert.equal(bad.error?.code, "validation_failed");
});

test("5 deleting an account frees its address", async () => {
  const { client, email, session } = await signUpNew(service);
  ok(await admin.deleteUser(session.user.id));
  assert.equal((await client.auth.getUser(session.access_token)).error?.status, 401);
  assert.equal((await admin.getUserById(session.user.id)).error?.code, "user_not_found");
  assert.equal((await admin.deleteUser(session.user.id)).error?.code, "user_not_found");
  const again = ok(await openClient(service).auth.signUp({ email, password: PASSWORD }));
  assert.notEqual(again.user?.id, session.user.id);
});

test("5 a soft-deleted account keeps its id and no personal data", async () => {
  const { client, email, session } = await signUpNew(service);
  ok(await client.auth.updateUser({ data: { full_name: "Ada" } }));
  ok(await admin.deleteUser(session.user.id, true));
  assert.equal((await client.auth.getUser(session.access_token)).error?.status, 401);
  const { user } = ok(await admin.getUserById(session.user.id));
  assert.ok(Reflect.get(user, "deleted_at"));
  assert.doesNotMatch(JSON.stringify(user), new RegExp(`Ada|${email}`));
  const rejected = await openClient(service).auth.signInWithPassword({ email, password: PASSWORD });
  assert.equal(rejected.error?.code, "invalid_credentials");
});

test("5 the service role signs a user out with that user's token", async () => {
  const { client, email, session } = await signUpNew(service);
  const { client: other } = await signInAgain(service, email);
  assert.equal((await admin.signOut(session.access_token, "local")).error, null);
  assert.equal((await client.auth.getUser()).error?.name, "AuthSessionMissingError");
  const { session: alive } = ok(await other.auth.getSession());
  assert.equal((await admin.signOut(alive?.access_token ?? "")).error, null);
  assert.equal((await other.auth.getUser()).error?.name, "AuthSessionMissingError");
});

test("5 generateLink creates links of every type without sending a mail", async () => {
  const { email: known = "" } = await createUser();
  const fresh = [newEmail("signup"), newEmail("invite"), newEmail("magic")];
  const [signup = "", invite = "", magic = ""] = fresh;
  const cases: [GenerateLinkParams, string][] = [
    [{ type: "signup", email: signup, password: PASSWORD, options: { data: { full_name: "Ada" } } }, signup],
    [{ type: "invite", email: invite }, invite],
    [{ type: "magiclink", email: magic }, magic],
    [{ type: "magiclink", email: known }, known],
    [{ type: "recovery", email: known }, known],
  ];
  for (const [params, email] of cases) {
    const { properties, user } = ok(await admin.generateLink(params));
    assert.equal(user.email, email);
    assert.match(properties.email_otp, /^\d{6}$/);
    const link = new URL(properties.action_link);
    assert.equal(link.origin, service.credentials.url);
    assert.equal(link.pathname, "/auth/v1/verify");
    assert.equal(link.searchParams.get("token"), properties.hashed_token);
    const redirect = await service.request(properties.action_link);
    assert.equal(redirect.status, 303, params.type);
    assert.match(redirect.headers.location ?? "", /#access_token=/, params.type);
  }
  await signInAgain(service, signup);
  assert.equal(
    (await admin.generateLink({ type: "recovery", email: newEmail("nobody") })).error?.code,
    "user_not_found",
  );
  const taken = await admin.generateLink({ type: "signup", email: known, password: PASSWORD });
  assert.equal(taken.error?.code, "email_exists");
});

test("5 codes and token hashes of generated links sign in", async () => {
  const { email = "" } = await createUser();
  const { auth } = openClient(service);
  const byCode = ok(await admin.generateLink({ type: "magiclink", email })).properties;
  assert.ok(ok(await auth.verifyOtp({ email, token: byCode.email_otp, type: "magiclink" })).session);
  const byHash = ok(await admin.generateLink({ type: "recovery", email })).properties;
  assert.ok(ok(await auth.verifyOtp({ token_hash: byHash.hashed_token, type: "recovery" })).session);
});

test("5 generated links change an address when both halves are confirmed", async () => {
  const { id, email = "" } = await createUser();
  const newAddress = newEmail("new");
  for (const type of ["email_change_current", "email_change_new"] as const) {
    assert.equal(ok(await admin.getUserById(id)).user.email, email, "not before the second");
    const { properties } = ok(await admin.generateLink({ type, email, newEmail: newAddress }));
    assert.equal(properties.verification_type, type);
    assert.equal((await service.request(properties.action_link)).status, 303);
  }
  assert.equal(ok(await admin.getUserById(id)).user.email, newAddress);
});

test("5 an invitation creates an account that is not confirmed yet", async () => {
  const email = newEmail("guest");
  const { user } = ok(await admin.inviteUserByEmail(email, { data: { team: "blue" } }));
  assert.deepEqual([user.email, user.user_metadata["team"]], [email, "blue"]);
  assert.ok(user.invited_at);
  assert.equal(user.email_confirmed_at, undefined);
  const { email: known } = await signUpNew(service);
  assert.equal((await admin.inviteUserByEmail(known)).error?.code, "email_exists");
});

test("5 unsupported admin calls return an error", async () => {
  const providers = await admin.customProviders.listProviders();
  assert.equal(providers.error?.status, 404);
});
