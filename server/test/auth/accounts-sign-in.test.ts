import assert from "node:assert/strict";
import { test } from "node:test";
import { hash as hashArgon2 } from "@node-rs/argon2";
import { hash as hashBcrypt } from "@node-rs/bcrypt";
import { AppError } from "../../src/errors/index.ts";
import { createPasswordHasher } from "../../src/auth/passwords/password-hasher.ts";
import { createAuthContext, TEST_HASH_PARAMETERS, type TestAuthContext } from "./support/auth-context.ts";
import { getUser, onNode, PASSWORD, signIn, signUp, updateUser, watchHasher } from "./support/accounts.ts";
import { rejection } from "./support/rejection.ts";

test("sign-in: every sign-in creates a session and is not cacheable", async (t) => {
  const auth = await createAuthContext(t);
  await signUp(auth, "ada@example.com");
  const answer = await auth.call("POST", "/token", {
    query: { grant_type: "password" },
    body: { email: "ada@example.com", password: PASSWORD, gotrue_meta_security: {} },
    userAgent: "test",
    address: "127.0.0.9",
  });
  assert.equal(answer.headers?.["cache-control"], "no-store");
  const { rows } = await auth.database.owner.query(
    "select user_agent, host(ip) as ip from auth.sessions order by created_at",
  );
  assert.equal(rows.length, 2);
  assert.deepEqual(rows[1], { user_agent: "test", ip: "127.0.0.9" });
});

test("sign-in rejects an unknown address, a wrong password and an account without a password alike, each after one verification", async (t) => {
  const hasher = watchHasher(createPasswordHasher(TEST_HASH_PARAMETERS));
  const auth = await createAuthContext(t, { hasher });
  await signUp(auth, "ada@example.com");
  await signUp(auth, "link@example.com");
  await auth.database.owner.query("update auth.users set password_hash = null where email = 'link@example.com'");
  const rejections: string[] = [];
  for (const [email, password] of [
    ["nobody@example.com", PASSWORD],
    ["ada@example.com", "wrong"],
    ["link@example.com", PASSWORD],
    ["no address", PASSWORD],
    ["ada@example.com", ""],
  ] as const) {
    const before = { ...hasher.asked };
    await assert.rejects(signIn(auth, email, password), (error) => {
      assert.ok(error instanceof AppError);
      rejections.push(JSON.stringify([error.status, error.message, error.extra]));
      return rejection(400, "invalid_credentials", /^Invalid login credentials$/)(error);
    });
    assert.deepEqual(hasher.asked, { hash: before.hash, verify: before.verify + 1 }, email);
  }
  assert.equal(new Set(rejections).size, 1);
});

test("sign-in: rejects invalid requests with a specific error", async (t) => {
  const auth = await createAuthContext(t);
  const ask = (query: Record<string, string>, body: unknown) => auth.call("POST", "/token", { query, body });
  const password = { grant_type: "password" };
  await assert.rejects(ask(password, { password: PASSWORD }), rejection(400, "validation_failed", /missing email/));
  await assert.rejects(ask(password, { phone: "+49", password: PASSWORD }), rejection(400, "phone_provider_disabled"));
  await assert.rejects(ask(password, { email: "a\0@b.co", password: PASSWORD }), rejection(400, "validation_failed"));
  await assert.rejects(ask(password, { email: "a@b.co", password: 5 }), rejection(400, "validation_failed"));
  await assert.rejects(
    ask(password, { email: "a@b.co", password: "x".repeat(10_000_000) }),
    rejection(400, "invalid_credentials"),
  );
  await assert.rejects(ask({}, {}), rejection(400, "invalid_credentials", /unsupported_grant_type/));
  await assert.rejects(
    ask({ grant_type: "client_credentials" }, {}),
    rejection(400, "invalid_credentials", /unsupported/),
  );
  await assert.rejects(ask({ grant_type: "__proto__" }, {}), rejection(400, "invalid_credentials", /unsupported/));
  await assert.rejects(
    ask({ grant_type: "id_token" }, { id_token: "x" }),
    rejection(400, "oauth_provider_not_supported"),
  );
  await assert.rejects(
    ask({ grant_type: "web3" }, {}),
    rejection(400, "web3_provider_disabled", /Web3 provider is disabled/),
  );
});

test("sign-in: rejects a banned user until the ban ends, and reveals the ban only with the right password", async (t) => {
  const auth = await createAuthContext(t);
  await signUp(auth, "ada@example.com");
  await auth.database.owner.query("update auth.users set banned_until = now() + interval '1 hour'");
  await assert.rejects(signIn(auth, "ada@example.com"), rejection(400, "user_banned"));
  await assert.rejects(signIn(auth, "ada@example.com", "wrong"), rejection(400, "invalid_credentials"));
  auth.clock.advance(3_601_000);
  await signIn(auth, "ada@example.com");
});

test("sign-in: rejects a softly deleted user, whose address is free again", async (t) => {
  const auth = await createAuthContext(t);
  await signUp(auth, "ada@example.com");
  await auth.database.owner.query("update auth.users set deleted_at = now()");
  await assert.rejects(signIn(auth, "ada@example.com"), rejection(400, "invalid_credentials"));
  await signUp(auth, "ada@example.com", "another password");
  await signIn(auth, "ada@example.com", "another password");
});

test("sign-in: replaces an imported hash by argon2id at the first sign-in", async (t) => {
  const auth = await createAuthContext(t);
  const weak = { memoryCost: 8192, timeCost: 1, parallelism: 1 };
  const imported = {
    bcrypt: await hashBcrypt(PASSWORD, 4),
    argon2i: await hashArgon2(PASSWORD, { ...weak, algorithm: 1 }),
    "other parameters": await hashArgon2(PASSWORD, { ...weak, timeCost: 3 }),
  };
  await signUp(auth, "ada@example.com");
  for (const [name, hash] of Object.entries(imported)) {
    await auth.database.owner.query("update auth.users set password_hash = $1", [hash]);
    await assert.rejects(signIn(auth, "ada@example.com", "wrong"), rejection(400, "invalid_credentials"));
    assert.equal(await readHash(auth), hash, "a wrong password must not renew the hash");
    await signIn(auth, "ada@example.com");
    assert.match(await readHash(auth), /^\$argon2id\$v=19\$m=8192,t=1,p=1\$/, name);
    const renewed = await readHash(auth);
    await signIn(auth, "ada@example.com");
    assert.equal(await readHash(auth), renewed, name);
  }
});

test("sign-in: renews a hash when the settings change, without ending sessions", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token } = await signUp(auth, "ada@example.com");
  const hasher = createPasswordHasher({ ...TEST_HASH_PARAMETERS, iterations: 2 });
  await signIn(onNode(auth, { hasher }), "ada@example.com");
  assert.match(await readHash(auth), /m=8192,t=2,p=1/);
  await getUser(auth, token);
});

test("sign-in: accepts a password that no longer meets the rules and reports it as weak", async (t) => {
  const auth = await createAuthContext(t);
  await signUp(auth, "ada@example.com", "abcdef");
  const settings = { ...auth.context.settings, authPasswordMinLength: 8 };
  const strict = await signIn(onNode(auth, { settings }), "ada@example.com", "abcdef");
  assert.deepEqual(strict.weak_password, {
    message: "Password should be at least 8 characters.",
    reasons: ["length"],
  });
  assert.equal((await signIn(auth, "ada@example.com", "abcdef")).weak_password, undefined);
});

test("sign-in: rejects a password that changes while it is being compared", async (t) => {
  const real = createPasswordHasher(TEST_HASH_PARAMETERS);
  let meanwhile: () => Promise<void> = async () => {};
  const auth = await createAuthContext(t, {
    hasher: {
      hash: real.hash,
      verify: async (hash, password) => {
        const verification = await real.verify(hash, password);
        await meanwhile();
        return verification;
      },
    },
  });
  const { access_token: token } = await signUp(auth, "ada@example.com");
  meanwhile = async () => {
    meanwhile = async () => {};
    await updateUser(auth, token, { password: "a new password" });
  };
  await assert.rejects(signIn(auth, "ada@example.com"), rejection(400, "invalid_credentials"));
  await signIn(auth, "ada@example.com", "a new password");
});

test("sign-out ends the current session, the others or all, by scope", async (t) => {
  const auth = await createAuthContext(t);
  const one = await signUp(auth, "ada@example.com");
  const [two, three] = [await signIn(auth, "ada@example.com"), await signIn(auth, "ada@example.com")];
  const stranger = await signUp(auth, "eve@example.com");
  const dead = rejection(401, "session_not_found");
  const logout = (token: string, scope?: string) =>
    auth.call("POST", "/logout", { token, query: scope === undefined ? {} : { scope } });

  assert.deepEqual(await logout(one.access_token, "local"), { status: 204 });
  await assert.rejects(getUser(auth, one.access_token), dead);
  await assert.rejects(logout(one.access_token, "local"), dead);
  await getUser(auth, two.access_token);

  await logout(two.access_token, "others");
  await assert.rejects(getUser(auth, three.access_token), dead);
  await getUser(auth, two.access_token);

  await signIn(auth, "ada@example.com");
  await logout(two.access_token);
  await assert.rejects(getUser(auth, two.access_token), dead);
  const { rows } = await auth.database.owner.query("select user_id from auth.sessions");
  assert.deepEqual(rows, [{ user_id: stranger.user.id }]);
});

test("sign-out: rejects invalid requests", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token } = await signUp(auth, "ada@example.com");
  const logout = (query: Record<string, string>) => auth.call("POST", "/logout", { token, query });
  await assert.rejects(logout({ scope: "everyone" }), rejection(400, "validation_failed", /global, local, others/));
  await assert.rejects(auth.call("POST", "/logout"), rejection(401, "no_authorization"));
  await getUser(auth, token);
});

async function readHash(auth: TestAuthContext): Promise<string> {
  const { rows } = await auth.database.owner.query<{ password_hash: string }>("select password_hash from auth.users");
  return rows[0]?.password_hash ?? "";
}
