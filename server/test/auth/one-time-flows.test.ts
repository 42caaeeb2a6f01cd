import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { consumeReauthentication, findReauthentication } from "../../src/auth/one-time/find-one-time.ts";
import type { UserRow } from "../../src/auth/sql/user-row.ts";
import { collectClosers } from "./one-time-closers.ts";
import { claimsOf, findPerson, makePerson, readMail, sessionOf, signIn } from "./one-time-mailbox.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

describe("codes and links", () => {
  const closers = collectClosers();
  let auth: TestAuthContext;
  before(async () => {
    auth = await createAuthContext(closers, { settings: { authAutoconfirm: false, siteUrl: "https://site.example" } });
  });

  const reauthenticate = async (user: UserRow, nonce: string): Promise<void> => {
    const found = await findReauthentication(auth.context, { user, nonce });
    await consumeReauthentication(auth.context.pool, { user, found });
  };

  it("confirm a sign-up, by code", async () => {
    const email = "signup-code@example.com";
    await auth.call("POST", "/signup", { body: { email, password: "correct horse" } });
    const { code, mail } = readMail(auth, email, "confirmation");
    assert.match(code, /^\d{6}$/);
    assert.match(
      mail.values.link ?? "",
      /^https:\/\/localhost:8443\/auth\/v1\/verify\?token=[0-9a-f]{64}&type=signup&redirect_to=/,
    );
    assert.equal((await findPerson(auth, email)).email_confirmed_at, null);

    const session = sessionOf(await auth.call("POST", "/verify", { body: { type: "signup", email, token: code } }));
    assert.deepEqual(
      claimsOf(session).amr.map(({ method }) => method),
      ["email/signup"],
    );
    const user = await findPerson(auth, email);
    assert.ok(user.email_confirmed_at);
    assert.ok(user.password_hash, "the password of a sign-up stays");
    assert.equal(user.user_metadata["email_verified"], true);
    const { rows } = await auth.context.pool.query("select identity_data from auth.identities where user_id = $1", [
      user.id,
    ]);
    assert.equal(rows[0].identity_data.email_verified, true);
    await auth.call("GET", "/user", { token: session.access_token });
  });

  it("sign in an existing user, by code, by hash and by either type", async () => {
    const email = "returning@example.com";
    const { id } = await makePerson(auth, email);
    for (const path of ["/otp", "/magiclink"]) {
      assert.deepEqual(await auth.call("POST", path, { body: { email } }), { status: 200, body: {} });
      const { code } = readMail(auth, email, "magiclink");
      const session = sessionOf(
        await auth.call("POST", "/verify", { body: { type: "email", email: " Returning@EXAMPLE.com ", token: code } }),
      );
      assert.equal(claimsOf(session).sub, id);
      assert.deepEqual(
        claimsOf(session).amr.map(({ method }) => method),
        ["otp"],
      );
    }
    await auth.call("POST", "/otp", { body: { email } });
    const { hash } = readMail(auth, email, "magiclink");
    const session = sessionOf(await auth.call("POST", "/verify", { body: { type: "magiclink", token_hash: hash } }));
    assert.deepEqual(
      claimsOf(session).amr.map(({ method }) => method),
      ["magiclink"],
    );
  });

  it("create an account for a new address, with metadata, and confirm it", async () => {
    const email = "newcomer@example.com";
    await auth.call("POST", "/otp", { body: { email, data: { full_name: "New Comer" } } });
    const made = await findPerson(auth, email);
    assert.equal(made.email_confirmed_at, null);
    assert.equal(made.user_metadata["full_name"], "New Comer");
    const { code } = readMail(auth, email, "confirmation");
    sessionOf(await auth.call("POST", "/verify", { body: { type: "email", email, token: code } }));
    assert.ok((await findPerson(auth, email)).email_confirmed_at);
  });

  it("recover an account without the password", async () => {
    const email = "forgetful@example.com";
    await makePerson(auth, email, { passwordHash: "$argon2id$kept" });
    assert.deepEqual(await auth.call("POST", "/recover", { body: { email } }), { status: 200, body: {} });
    const { code, link } = readMail(auth, email, "recovery");
    assert.equal(link.searchParams.get("type"), "recovery");
    const session = sessionOf(await auth.call("POST", "/verify", { body: { type: "recovery", email, token: code } }));
    assert.deepEqual(
      claimsOf(session).amr.map(({ method }) => method),
      ["recovery"],
    );
    const user = await findPerson(auth, email);
    assert.equal(user.password_hash, "$argon2id$kept");
    assert.ok(user.recovery_sent_at);
  });

  it("remove the password of an unconfirmed account when another mail than the sign-up's proves the address", async () => {
    for (const [path, type] of [
      ["/otp", "email"],
      ["/recover", "recovery"],
    ] as const) {
      const email = `hijack-${type}@example.com`;
      await auth.call("POST", "/signup", { body: { email, password: "set by a stranger" } });
      await auth.call("POST", path, { body: { email } });
      const { code } = readMail(auth, email, type === "email" ? "magiclink" : "recovery");
      sessionOf(await auth.call("POST", "/verify", { body: { type, email, token: code } }));
      const body = { email, password: "set by a stranger" };
      await assert.rejects(
        auth.call("POST", "/token", { query: { grant_type: "password" }, body }),
        rejection(400, "invalid_credentials"),
      );
    }
  });

  it("accept an invitation", async () => {
    const email = "guest@example.com";
    await auth.call("POST", "/invite", { token: auth.serviceRoleKey, body: { email } });
    const { code, link, hash } = readMail(auth, email, "invite");
    assert.equal(link.searchParams.get("type"), "invite");
    const session = sessionOf(await auth.call("POST", "/verify", { body: { type: "invite", email, token: code } }));
    assert.deepEqual(
      claimsOf(session).amr.map(({ method }) => method),
      ["invite"],
    );
    assert.ok((await findPerson(auth, email)).email_confirmed_at);
    await assert.rejects(
      auth.call("POST", "/verify", { body: { type: "invite", token_hash: hash } }),
      rejection(403, "otp_expired"),
    );
  });

  it("are sent again for a pending sign-up, and not once it is confirmed", async () => {
    const email = "again@example.com";
    await auth.call("POST", "/signup", { body: { email, password: "correct horse" } });
    const first = readMail(auth, email, "confirmation");
    assert.deepEqual(await auth.call("POST", "/resend", { body: { email, type: "signup" } }), {
      status: 200,
      body: {},
    });
    const second = readMail(auth, email, "confirmation");
    assert.notEqual(first.hash, second.hash);
    // The newer token replaces the older one.
    await assert.rejects(
      auth.call("POST", "/verify", { body: { type: "signup", token_hash: first.hash } }),
      rejection(403, "otp_expired"),
    );
    sessionOf(await auth.call("POST", "/verify", { body: { type: "signup", token_hash: second.hash } }));
    const sent = auth.mails.length;
    assert.deepEqual(await auth.call("POST", "/resend", { body: { email, type: "signup" } }), {
      status: 200,
      body: {},
    });
    assert.equal(auth.mails.length, sent);
  });

  it("confirm a reauthentication once", async () => {
    const email = "careful@example.com";
    await makePerson(auth, email);
    const session = await signIn(auth, email);
    assert.deepEqual(await auth.call("GET", "/reauthenticate", { token: session.access_token }), {
      status: 200,
      body: {},
    });
    const { code, mail } = readMail(auth, email, "reauthentication");
    assert.equal(mail.values.link, undefined);
    // The code of a reauthentication does not sign in.
    for (const type of ["email", "magiclink", "recovery", "signup"]) {
      await assert.rejects(
        auth.call("POST", "/verify", { body: { type, email, token: code } }),
        rejection(403, "otp_expired"),
      );
    }

    const user = await findPerson(auth, email);
    const wrong = code === "000000" ? "000001" : "000000";
    const notValid = rejection(422, "reauthentication_not_valid");
    await assert.rejects(reauthenticate(user, wrong), notValid);
    await reauthenticate(user, code);
    await assert.rejects(reauthenticate(user, code), notValid);
  });

  it("stop a reauthentication after five wrong codes", async () => {
    const email = "guessed@example.com";
    const user = await makePerson(auth, email);
    const session = await signIn(auth, email);
    await auth.call("GET", "/reauthenticate", { token: session.access_token });
    const { code } = readMail(auth, email, "reauthentication");

    const wrong = code === "000000" ? "000001" : "000000";
    for (let round = 0; round < 5; round += 1) await assert.rejects(reauthenticate(user, wrong));
    await assert.rejects(reauthenticate(user, code), rejection(422, "reauthentication_not_valid"));
  });

  it("have the configured length and lifetime", async (t) => {
    const brief = await createAuthContext(t, { settings: { authOtpLength: 8, authOtpTtlSeconds: 60 } });
    const email = "late@example.com";
    await makePerson(brief, email);
    await brief.call("POST", "/otp", { body: { email } });
    const early = readMail(brief, email, "magiclink");
    assert.match(early.code, /^\d{8}$/);
    brief.clock.advance(40_000);
    sessionOf(await brief.call("POST", "/verify", { body: { type: "magiclink", email, token: early.code } }));

    await brief.call("POST", "/otp", { body: { email } });
    const late = readMail(brief, email, "magiclink");
    brief.clock.advance(60_001);
    const expired = rejection(403, "otp_expired");
    await assert.rejects(
      brief.call("POST", "/verify", { body: { type: "magiclink", email, token: late.code } }),
      expired,
    );
    await assert.rejects(
      brief.call("POST", "/verify", { body: { type: "magiclink", token_hash: late.hash } }),
      expired,
    );
  });

  it("are rejected for banned users and stay valid until the ban ends", async () => {
    const email = "banned@example.com";
    const { id } = await makePerson(auth, email);
    await auth.call("POST", "/otp", { body: { email } });
    const { hash } = readMail(auth, email, "magiclink");
    const ban = (until: string | null) =>
      auth.context.pool.query("update auth.users set banned_until = $2 where id = $1", [id, until]);
    await ban("infinity");
    await assert.rejects(
      auth.call("POST", "/verify", { body: { type: "magiclink", token_hash: hash } }),
      rejection(403, "user_banned"),
    );
    await ban(null);
    sessionOf(await auth.call("POST", "/verify", { body: { type: "magiclink", token_hash: hash } }));
  });

  it("cannot be derived from the database", async () => {
    const email = "stored@example.com";
    await makePerson(auth, email);
    await auth.call("POST", "/otp", { body: { email } });
    const { code, hash } = readMail(auth, email, "magiclink");
    const { rows } = await auth.context.pool.query("select to_jsonb(t)::text as text from auth.one_time_tokens t");
    for (const { text } of rows) {
      assert.ok(!text.includes(hash) && !text.includes(`"${code}"`));
    }
  });

  const malformed: readonly [string, string, unknown][] = [
    ["POST /verify without a type", "/verify", { email: "a@example.com", token: "123456" }],
    [
      "POST /verify with an unknown type",
      "/verify",
      { type: "reauthentication", email: "a@example.com", token: "123456" },
    ],
    ["POST /verify without a token", "/verify", { type: "email", email: "a@example.com" }],
    ["POST /verify without an address", "/verify", { type: "email", token: "123456" }],
    ["POST /verify with hash and address", "/verify", { type: "email", email: "a@example.com", token_hash: "x" }],
    [
      "POST /verify with an endless token",
      "/verify",
      { type: "email", email: "a@example.com", token: "1".repeat(10_000) },
    ],
    ["POST /verify with a number for a token", "/verify", { type: "email", email: "a@example.com", token: 123456 }],
    ["POST /otp without an address", "/otp", {}],
    ["POST /otp with no address at all", "/otp", { email: "nobody" }],
    ["POST /otp with NUL in the address", "/otp", { email: "a\u0000@example.com" }],
    ["POST /otp with half a PKCE promise", "/otp", { email: "a@example.com", code_challenge: "x".repeat(43) }],
    ["POST /recover with half a PKCE promise", "/recover", { email: "a@example.com", code_challenge_method: "s256" }],
    ["POST /recover with a list of addresses", "/recover", { email: ["a@example.com"] }],
    ["POST /resend with an unknown type", "/resend", { email: "a@example.com", type: "recovery" }],
    ["POST /resend without a type", "/resend", { email: "a@example.com" }],
  ];
  for (const [name, path, body] of malformed) {
    it(`reject ${name}`, async () => {
      await assert.rejects(auth.call("POST", path, { body }), rejection(400, "validation_failed"));
    });
  }

  for (const [path, body] of [
    ["/otp", { phone: "123" }],
    ["/resend", { type: "sms", phone: "123" }],
  ] as const) {
    it(`are for e-mail alone: POST ${path} with a phone number`, async () => {
      await assert.rejects(auth.call("POST", path, { body }), rejection(400, "phone_provider_disabled"));
    });
  }

  for (const [body, status, code, message] of [
    [{ type: "sms", phone: "+49 170 1234567", token: "123456" }, 403, "otp_expired", /expired or is invalid/],
    [{ type: "phone_change", phone: "491701234567", token: "123456" }, 403, "otp_expired", /expired or is invalid/],
    [{ type: "email", phone: "+491701234567", token: "123456" }, 403, "otp_expired", /expired or is invalid/],
    [{ type: "sms", email: "a@example.com", token: "123456" }, 403, "otp_expired", /expired or is invalid/],
    [{ type: "sms", token_hash: "x" }, 403, "otp_expired", /invalid or has expired/],
    [{ type: "sms", phone: "0170 1234567", token: "123456" }, 400, "validation_failed", /E\.164/],
    [{ type: "sms", phone: "+12345678901234567", token: "123456" }, 400, "validation_failed", /E\.164/],
    [{ type: "sms", phone: "+491701234567" }, 400, "validation_failed", /requires a token/],
    [{ type: "sms", phone: "+491701234567", token_hash: "x" }, 400, "validation_failed", /Only the token_hash/],
    [{ type: "sms", phone: "+49170", email: "a@example.com", token: "1" }, 400, "validation_failed", /Only an email/],
  ] as const) {
    it(`reject POST /verify with ${JSON.stringify(body)}`, async () => {
      await assert.rejects(auth.call("POST", "/verify", { body }), rejection(status, code, message));
    });
  }
});
