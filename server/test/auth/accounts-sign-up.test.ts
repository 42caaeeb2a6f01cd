import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeJwt } from "jose";
import { createPasswordHasher } from "../../src/auth/passwords/password-hasher.ts";
import { createAuthContext, TEST_HASH_PARAMETERS } from "./support/auth-context.ts";
import { PASSWORD, type ShownSession, type ShownUser, signIn, signUp, watchHasher } from "./support/accounts.ts";
import { rejection } from "./support/rejection.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const withMail = { authAutoconfirm: false };

test("sign-up with autoconfirm: a session, and user, identity and profile rows", async (t) => {
  const auth = await createAuthContext(t);
  const { status, body } = await auth.call("POST", "/signup", {
    body: {
      email: " Ada@Example.com ",
      password: PASSWORD,
      data: { full_name: "Ada Lovelace", email_verified: "no", sub: "me" },
      gotrue_meta_security: {},
      code_challenge: null,
      code_challenge_method: null,
    },
  });
  const session = body as ShownSession;
  assert.equal(status, 200);
  assert.equal(session.token_type, "bearer");
  assert.equal(session.expires_in, 3600);
  const { user } = session;
  assert.match(user.id, UUID);
  assert.equal(user.email, "ada@example.com");
  assert.deepEqual(user.app_metadata, { provider: "email", providers: ["email"] });
  assert.deepEqual(user.user_metadata, {
    full_name: "Ada Lovelace",
    sub: user.id,
    email: "ada@example.com",
    email_verified: true,
    phone_verified: false,
  });
  assert.equal(user.identities.length, 1);
  assert.equal(user.identities[0]?.["provider"], "email");
  assert.ok(user["email_confirmed_at"] && user["last_sign_in_at"]);
  const claims = decodeJwt(session.access_token);
  assert.equal(claims.sub, user.id);
  assert.deepEqual(
    (claims["amr"] as { method: string }[]).map(({ method }) => method),
    ["password"],
  );

  const { rows } = await auth.database.owner.query("select * from public.profiles where id = $1", [user.id]);
  assert.equal(rows[0].full_name, "Ada Lovelace");
  assert.equal(rows[0].email, "ada@example.com");
  assert.equal(auth.mails.length, 0);
  assert.ok((await signIn(auth, "ADA@example.com")).access_token);
});

test("sign-up with autoconfirm: rejects a taken address", async (t) => {
  const auth = await createAuthContext(t);
  await signUp(auth, "ada@example.com");
  await assert.rejects(signUp(auth, "ADA@EXAMPLE.COM", "other password"), rejection(422, "user_already_exists"));
  await signIn(auth, "ada@example.com");
});

test("sign-up: concurrent sign-ups with one address create one user", async (t) => {
  const auth = await createAuthContext(t);
  const attempts = await Promise.allSettled(Array.from({ length: 12 }, () => signUp(auth, "ada@example.com")));
  assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 1);
  for (const attempt of attempts) {
    if (attempt.status === "rejected") rejection(422, "user_already_exists")(attempt.reason);
  }
  const { rows } = await auth.database.owner.query(
    `select (select count(*)::int from auth.users) as users, (select count(*)::int from auth.identities) as identities,
            (select count(*)::int from auth.sessions) as sessions, (select count(*)::int from public.profiles) as profiles`,
  );
  assert.deepEqual(rows[0], { users: 1, identities: 1, sessions: 1, profiles: 1 });
});

test("sign-up without autoconfirm: returns a user without a session and sends a mail", async (t) => {
  const auth = await createAuthContext(t, { settings: withMail });
  const { status, body } = await auth.call("POST", "/signup", {
    body: { email: "ada@example.com", password: PASSWORD },
  });
  const user = body as ShownUser;
  assert.equal(status, 200);
  assert.equal("access_token" in user, false);
  assert.equal("email_confirmed_at" in user, false);
  assert.equal(user.user_metadata["email_verified"], false);
  assert.ok(user["confirmation_sent_at"]);
  assert.deepEqual(
    auth.mails.map(({ to, kind }) => ({ to, kind })),
    [{ to: "ada@example.com", kind: "confirmation" }],
  );
  await assert.rejects(signIn(auth, "ada@example.com"), rejection(400, "email_not_confirmed"));
  await assert.rejects(signIn(auth, "ada@example.com", "wrong"), rejection(400, "invalid_credentials"));
});

test("sign-up: neither response nor work reveals whether the address has an account", async (t) => {
  const hasher = watchHasher(createPasswordHasher(TEST_HASH_PARAMETERS));
  const auth = await createAuthContext(t, { settings: withMail, hasher });
  const body = { password: PASSWORD, data: { full_name: "Ada" } };
  const ask = async (email: string) => {
    const before = { ...hasher.asked };
    const answer = await auth.call("POST", "/signup", { body: { ...body, email } });
    assert.deepEqual(hasher.asked, { hash: before.hash + 1, verify: before.verify + 1 });
    return answer.body as ShownUser;
  };
  const fresh = await ask("ada@example.com");
  const unconfirmed = await ask("ada@example.com");
  await auth.database.owner.query("update auth.users set email_confirmed_at = now()");
  const confirmed = await ask("ada@example.com");

  assert.deepEqual(shapeOf(unconfirmed), shapeOf(fresh));
  assert.deepEqual(shapeOf(confirmed), shapeOf(fresh));
  assert.equal(new Set([fresh.id, unconfirmed.id, confirmed.id]).size, 3);
  for (const user of [fresh, unconfirmed, confirmed]) {
    assert.equal(user.email, "ada@example.com");
    assert.equal(user.user_metadata["sub"], user.id);
    assert.equal(user.identities[0]?.["user_id"], user.id);
    assert.equal(user.identities[0]?.["email"], "ada@example.com");
    assert.equal(JSON.stringify(user).includes("decoy"), false);
  }
  assert.deepEqual(
    auth.mails.map(({ kind, to }) => [kind, to]),
    ["confirmation", "confirmation", "address_taken"].map((kind) => [kind, "ada@example.com"]),
  );
  const { rows } = await auth.database.owner.query("select id, email from auth.users");
  assert.deepEqual(rows, [{ id: fresh.id, email: "ada@example.com" }]);
});

test("sign-up: a second sign-up keeps an equal password and removes a different one", async (t) => {
  const auth = await createAuthContext(t, { settings: withMail });
  const ask = (password: string) => auth.call("POST", "/signup", { body: { email: "ada@example.com", password } });
  await ask(PASSWORD);
  await ask(PASSWORD);
  await assert.rejects(signIn(auth, "ada@example.com"), rejection(400, "email_not_confirmed"));
  await ask("of somebody else");
  await ask(PASSWORD);
  await auth.database.owner.query("update auth.users set email_confirmed_at = now()");
  await assert.rejects(signIn(auth, "ada@example.com"), rejection(400, "invalid_credentials"));
  await assert.rejects(signIn(auth, "ada@example.com", "of somebody else"), rejection(400, "invalid_credentials"));
});

test("sign-up without autoconfirm: concurrent sign-ups get the same response and create one user", async (t) => {
  const auth = await createAuthContext(t, { settings: withMail });
  const body = { email: "ada@example.com", password: PASSWORD };
  const answers = await Promise.all(Array.from({ length: 6 }, () => auth.call("POST", "/signup", { body })));
  const shapes = answers.map((answer) => shapeOf(answer.body as ShownUser));
  for (const shape of shapes) assert.deepEqual(shape, shapes[0]);
  const { rows } = await auth.database.owner.query("select count(*)::int as users from auth.users");
  assert.equal(rows[0].users, 1);
  await auth.database.owner.query("update auth.users set email_confirmed_at = now()");
  await signIn(auth, "ada@example.com");
});

test("sign-up: the mail throttle is the same for addresses with and without an account", async (t) => {
  const auth = await createAuthContext(t, { settings: { ...withMail, authMailIntervalSeconds: 60 } });
  const ask = () => auth.call("POST", "/signup", { body: { email: "ada@example.com", password: PASSWORD } });
  await ask();
  await assert.rejects(ask(), rejection(429, "over_email_send_rate_limit"));
  auth.clock.advance(61_000);
  await auth.database.owner.query("update auth.users set email_confirmed_at = now()");
  await ask();
  await assert.rejects(ask(), rejection(429, "over_email_send_rate_limit"));
});

test("sign-up: a mail that cannot be sent is sent later, and a mail server that is known to be away is a 503", async (t) => {
  let isAway = true;
  const auth = await createAuthContext(t, {
    settings: { ...withMail, authMailIntervalSeconds: 60 },
    onMail: () => {
      if (isAway) throw new Error("mail server is away");
    },
  });
  const { mailer } = auth.context;
  const ask = (node = {}) =>
    auth.call("POST", "/signup", { body: { email: "ada@example.com", password: PASSWORD }, node });
  const checkReady = () => Promise.reject(new Error("mail server is away"));
  await assert.rejects(ask({ mailer: { ...mailer, checkReady } }), /mail server is away/);
  assert.equal((await ask()).status, 200);
  isAway = false;
  await auth.database.owner.query("update private.mail_outbox set due_at = now()");
  await auth.call("GET", "/settings");
  assert.deepEqual(
    auth.mails.map(({ kind }) => kind),
    ["confirmation"],
  );
});

test("sign-up: rejects invalid requests with a specific error", async (t) => {
  const hasher = watchHasher(createPasswordHasher(TEST_HASH_PARAMETERS));
  const auth = await createAuthContext(t, { hasher });
  const ask = (body: unknown) => auth.call("POST", "/signup", { body });
  await assert.rejects(ask({ phone: "+491700000", password: PASSWORD }), rejection(400, "phone_provider_disabled"));
  await assert.rejects(ask({ email: "a@b.co" }), rejection(400, "validation_failed", /valid password/));
  await assert.rejects(ask({ password: PASSWORD }), rejection(400, "validation_failed", /email/));
  await assert.rejects(ask({ email: "a@b.co", password: "short" }), rejection(422, "weak_password", /at least 6/));
  await assert.rejects(ask({ email: "a@b.co", password: "x".repeat(10_000_000) }), rejection(400, "validation_failed"));
  await assert.rejects(
    ask({ email: "nobody", password: PASSWORD }),
    rejection(400, "validation_failed", /invalid format/),
  );
  await assert.rejects(ask({ email: "a\0@b.co", password: PASSWORD }), rejection(400, "validation_failed"));
  await assert.rejects(ask({ email: "\u212aate@b.co", password: PASSWORD }), rejection(400, "validation_failed"));
  await assert.rejects(ask({ email: ["a@b.co"], password: PASSWORD }), rejection(400, "validation_failed", /^email/));
  await assert.rejects(
    ask({ email: "a@b.co", password: { $ne: "" } }),
    rejection(400, "validation_failed", /^password/),
  );
  await assert.rejects(ask({ email: "a@b.co", password: PASSWORD, data: "text" }), rejection(400, "validation_failed"));
  await assert.rejects(
    ask({ email: "a@b.co", password: PASSWORD, data: { a: "\0" } }),
    rejection(400, "validation_failed"),
  );
  const large = { big: "x".repeat(33_000) };
  await assert.rejects(
    ask({ email: "a@b.co", password: PASSWORD, data: large }),
    rejection(400, "validation_failed", /32768/),
  );
  const halfPkce = { email: "a@b.co", password: PASSWORD, code_challenge: "c".repeat(43) };
  await assert.rejects(ask(halfPkce), rejection(400, "validation_failed", /PKCE/));
  await assert.rejects(ask([]), rejection(400, "bad_json"));
  assert.deepEqual(hasher.asked, { hash: 0, verify: 0 });
  const { rows } = await auth.database.owner.query("select count(*)::int as users from auth.users");
  assert.equal(rows[0].users, 0);
});

test("__proto__ in metadata is harmless", async (t) => {
  const auth = await createAuthContext(t);
  const data: unknown = JSON.parse('{"__proto__": {"role": "service_role"}, "constructor": "text", "name": "Ada"}');
  const { body } = await auth.call("POST", "/signup", { body: { email: "a@b.co", password: PASSWORD, data } });
  const { user } = body as ShownSession;
  assert.equal(Object.hasOwn(user.user_metadata, "__proto__"), false);
  assert.equal(user.user_metadata["role"], undefined);
  assert.equal(user["role"], "authenticated");
  assert.equal(Reflect.get({}, "role"), undefined);
});

test("sign-ups can be disabled, and anonymous sign-ups separately", async (t) => {
  const closed = await createAuthContext(t, { settings: { authSignupEnabled: false } });
  await assert.rejects(signUp(closed, "ada@example.com"), rejection(422, "signup_disabled"));
  await assert.rejects(closed.call("POST", "/signup", { body: {} }), rejection(422, "signup_disabled"));
  const named = await createAuthContext(t, { settings: { authAnonymousEnabled: false } });
  await assert.rejects(named.call("POST", "/signup", { body: {} }), rejection(422, "anonymous_provider_disabled"));
  await signUp(named, "ada@example.com");
});

test("anonymous sign-in: a user without an address, with a profile and a session", async (t) => {
  const auth = await createAuthContext(t);
  const { body } = await auth.call("POST", "/signup", { body: { data: { theme: "dark" }, gotrue_meta_security: {} } });
  const { user, access_token: token } = body as ShownSession;
  assert.equal(user.is_anonymous, true);
  assert.equal(user.email, "");
  assert.deepEqual(user.identities, []);
  assert.deepEqual(user.user_metadata, { theme: "dark" });
  const claims = decodeJwt(token);
  assert.equal(claims["is_anonymous"], true);
  assert.deepEqual(
    (claims["amr"] as { method: string }[]).map(({ method }) => method),
    ["anonymous"],
  );
  const { rows } = await auth.database.owner.query("select count(*)::int as profiles from public.profiles");
  assert.equal(rows[0].profiles, 1);
});

/** The names of all members, at every depth, and the values that do not depend on the user. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value instanceof Date) return "a time";
  if (typeof value === "string") return value.replace(new RegExp(UUID.source.slice(1, -1), "g"), "an id");
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).map(([name, member]) => [name, shapeOf(member)]);
}
