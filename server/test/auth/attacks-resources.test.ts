import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { findUnstorable } from "../../src/auth/find-unstorable.ts";
import { createPasswordHasher, type PasswordHasher } from "../../src/auth/passwords/password-hasher.ts";
import { serveAuth } from "./attack-server.ts";
import { PASSWORD, type ShownSession, signIn, signUp, updateUser } from "./support/accounts.ts";
import { createAuthContext, TEST_HASH_PARAMETERS, type TestAuthContext } from "./support/auth-context.ts";
import { readMail } from "./one-time-mailbox.ts";
import { rejection } from "./support/rejection.ts";

const MEBIBYTE = 1024 * 1024;

/** A body of nearly one MiB that repeats the part in a list. */
function listOf(part: string): string {
  const head = '{"email":"ada@example.com","password":"correct horse","data":[';
  const count = Math.floor((MEBIBYTE - head.length - 10) / (part.length + 1));
  return `${head}${Array.from({ length: count }, () => part).join(",")}]}`;
}

describe("a hostile body", () => {
  const hostile: Record<string, readonly [string | Buffer, string]> = {
    "bytes instead of JSON": [Buffer.alloc(MEBIBYTE), "application/octet-stream"],
    "text instead of JSON": ["x".repeat(MEBIBYTE), "text/plain"],
    "a list of numbers": [listOf("0"), "application/json"],
    "a list of objects": [listOf("{}"), "application/json"],
    "brackets without end": [`{"data":${"[".repeat(400_000)}${"]".repeat(400_000)}}`, "application/json"],
    "many names": [`{${Array.from({ length: 90_000 }, (_, place) => `"k${place}":0`).join(",")}}`, "application/json"],
    "a name of its own for the prototype": ['{"__proto__":{"email":"x"}}', "application/json"],
    "half a character": ['{"email":"\\ud800"}', "application/json"],
    "what is not UTF-8": [Buffer.from('{"email":"\xff"}', "latin1"), "application/json"],
  };

  it("is rejected with 400 before any expensive work", async (t) => {
    const auth = await createAuthContext(t);
    const ask = await serveAuth(t, auth);
    for (const [name, [body, type]] of Object.entries(hostile)) {
      for (const path of ["/signup", "/token?grant_type=password", "/otp", "/verify"]) {
        const before = process.cpuUsage();
        const answer = await ask("POST", path, { body, headers: { "content-type": type } });
        const { user, system } = process.cpuUsage(before);
        assert.equal(answer.status, 400, `${name} at ${path}: ${answer.text.slice(0, 200)}`);
        assert.ok(answer.text.length < 1_000, "the answer does not repeat the body");
        // Includes client, TLS and parser, which share this process. The vulnerability took 1,400 ms.
        assert.ok(user + system < 700_000, `${name} at ${path} took ${(user + system) / 1000} ms`);
      }
    }
    const { rows } = await auth.database.owner.query("select count(*)::int as users from auth.users");
    assert.equal(rows[0].users, 0);
  });

  it("does not become larger in the database", async (t) => {
    const auth = await createAuthContext(t);
    const { access_token: token } = await signUp(auth, "ada@example.com");
    for (const number of [1e308, 1e-300, -1e300]) {
      const body = { data: { list: Array.from({ length: 1_000 }, () => number) } };
      const ask = auth.call("PUT", "/user", { token, body });
      await assert.rejects(ask, rejection(400, "validation_failed", /too large or too small/));
    }
    assert.match(findUnstorable(JSON.parse('{"n":1e400}')) ?? "", /^n is a number that is too large/);
    const fine = { list: [0, -0, 1e30, -1e-30, 0.1, Number.MAX_SAFE_INTEGER] };
    assert.deepEqual((await updateUser(auth, token, { data: fine })).user_metadata["list"], fine.list.with(1, 0));
    const full = { list: Array.from({ length: 16_000 }, () => 0) };
    assert.equal((await updateUser(auth, token, { data: full })).user_metadata["list"] instanceof Array, true);
    await assert.rejects(
      auth.call("PUT", "/user", { token, body: { data: { more: Array.from({ length: 16_000 }, () => 0) } } }),
      rejection(400, "validation_failed", /32768/),
    );
  });
});

describe("metadata members that the service writes", () => {
  it("are not accepted from users, with or without an address", async (t) => {
    const auth = await createAuthContext(t);
    const data = { sub: "x", email: "root@example.com", email_verified: true, phone_verified: true, theme: "dark" };
    const { user, access_token } = (await auth.call("POST", "/signup", { body: { data } })).body as ShownSession;
    assert.deepEqual(user.user_metadata, { theme: "dark" });
    assert.deepEqual((await updateUser(auth, access_token, { data })).user_metadata, { theme: "dark" });
  });
});

describe("a connection to the database", () => {
  /** The number of connections in use. */
  const inUse = ({ context }: TestAuthContext) => context.pool.totalCount - context.pool.idleCount;

  it("is not held while a password is hashed or a mail is handed over", async (t) => {
    const real = createPasswordHasher(TEST_HASH_PARAMETERS);
    const seen = { hash: 0, verify: 0, mail: 0 };
    const box: { auth?: TestAuthContext } = {};
    const record = (what: keyof typeof seen) => {
      seen[what] += 1;
      assert.equal(box.auth && inUse(box.auth), 0, `held during ${what}`);
    };
    const hasher: PasswordHasher = {
      hash: (password) => {
        record("hash");
        return real.hash(password);
      },
      verify: (hash, password) => {
        record("verify");
        return real.verify(hash, password);
      },
    };
    const auth = await createAuthContext(t, {
      hasher,
      settings: { authAutoconfirm: false, authReauthenticate: true },
      onMail: () => record("mail"),
    });
    box.auth = auth;
    const email = "ada@example.com";
    const admin = { token: auth.serviceRoleKey };
    await auth.call("POST", "/signup", { body: { email, password: PASSWORD } });
    await auth.call("POST", "/signup", { body: { email, password: PASSWORD } });
    const { hash } = readMail(auth, email, "confirmation");
    await auth.call("POST", "/verify", { body: { type: "signup", token_hash: hash } });
    await auth.call("POST", "/signup", { body: { email, password: PASSWORD } });
    const { access_token: token, user } = await signIn(auth, email);
    await assert.rejects(signIn(auth, email, "wrong one"));
    await auth.call("GET", "/reauthenticate", { token });
    const { code: nonce } = readMail(auth, email, "reauthentication");
    await auth.database.owner.query("update auth.sessions set created_at = now() - interval '2 days'");
    await updateUser(auth, token, { password: "another one", current_password: PASSWORD, nonce });
    await updateUser(auth, token, { email: "moved@example.com" });
    for (const path of ["/otp", "/recover"]) await auth.call("POST", path, { body: { email } });
    await auth.call("POST", "/resend", { body: { email, type: "email_change" } });
    await auth.call("POST", "/invite", { ...admin, body: { email: "guest@example.com" } });
    await auth.call("POST", "/admin/users", { ...admin, body: { email: "b@example.com", password: PASSWORD } });
    await auth.call("PUT", `/admin/users/${user.id}`, { ...admin, body: { password: "a third one" } });
    const link = { type: "signup", email: "c@example.com", password: PASSWORD };
    await auth.call("POST", "/admin/generate_link", { ...admin, body: link });
    assert.ok(seen.hash >= 7 && seen.verify >= 7 && seen.mail >= 9, JSON.stringify(seen));
  });

  const hurry = { hash: async () => "$argon2id$none", verify: async () => ({ isMatch: false, shouldRehash: false }) };

  it("is never acquired while another one is held: thirty concurrent nonces on five connections", async (t) => {
    const auth = await createAuthContext(t, { hasher: hurry, settings: { authReauthenticate: true } });
    const people = await Promise.all(Array.from({ length: 30 }, (_, place) => signUp(auth, `p${place}@example.com`)));
    await auth.database.owner.query("update auth.sessions set created_at = now() - interval '2 days'");
    const body = { password: "another one", nonce: "000000" };
    const outcomes = await Promise.allSettled(
      people.map(({ access_token: token }) => auth.call("PUT", "/user", { token, body })),
    );
    for (const outcome of outcomes) {
      assert.equal(outcome.status, "rejected");
      if (outcome.status === "rejected") rejection(422, "reauthentication_not_valid")(outcome.reason);
    }
  });

  it("is released after every error", async (t: TestContext) => {
    const auth = await createAuthContext(t, { hasher: hurry });
    const ask = await serveAuth(t, auth);
    await signUp(auth, "ada@example.com");
    await Promise.all(
      Array.from({ length: 40 }, async (_, place) => {
        const email = place % 2 === 0 ? "ada@example.com" : "nobody@example.com";
        const rejected = await Promise.all([
          ask("POST", "/token?grant_type=password", { body: { email, password: "wrong" } }),
          ask("POST", "/signup", { body: { email: "ada@example.com", password: "wrong one" } }),
          ask("POST", "/verify", { body: { type: "email", email, token: "000000" } }),
          ask("POST", "/token?grant_type=pkce", { body: { auth_code: "x", code_verifier: "y" } }),
        ]);
        for (const { status } of rejected) assert.ok(status >= 400 && status < 500, String(status));
      }),
    );
    assert.equal(inUse(auth), 0);
    assert.equal(auth.context.pool.waitingCount, 0);
  });
});
