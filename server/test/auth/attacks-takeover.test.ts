import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { collectClosers } from "./one-time-closers.ts";
import { findPerson, follow, readMail, sessionOf } from "./one-time-mailbox.ts";
import { type ShownSession, signIn, signUp, updateUser } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

const THIEF = "of the thief";
const OWNER = "of the owner";
const VERIFIER = "v".repeat(43);
const rejected = rejection(400, "invalid_credentials");

describe("an attacker who signs up with an address before its owner", () => {
  const closers = collectClosers();
  let auth: TestAuthContext;
  before(async () => {
    auth = await createAuthContext(closers, { settings: { authAutoconfirm: false } });
  });

  const register = (email: string, password: string) =>
    auth.call("POST", "/signup", { body: { email, password, data: { full_name: password } } });
  const generate = async (body: unknown): Promise<string> => {
    const answer = await auth.call("POST", "/admin/generate_link", { token: auth.serviceRoleKey, body });
    return (answer.body as { hashed_token: string }).hashed_token;
  };
  const enter = async (type: string, token_hash: string): Promise<void> => {
    sessionOf(await auth.call("POST", "/verify", { body: { type, token_hash } }));
  };

  it("gets no access when the owner signs up too", async () => {
    const email = "sign-up@example.com";
    await register(email, THIEF);
    await register(email, OWNER);
    await register(email, THIEF);
    await enter("signup", readMail(auth, email, "confirmation").hash);
    await assert.rejects(signIn(auth, email, THIEF), rejected);
  });

  it("gets no access by signing up second either", async () => {
    const email = "second@example.com";
    await register(email, OWNER);
    await register(email, THIEF);
    await enter("signup", readMail(auth, email, "confirmation").hash);
    await assert.rejects(signIn(auth, email, THIEF), rejected);
    await auth.call("POST", "/recover", { body: { email } });
    const body = { type: "recovery", token_hash: readMail(auth, email, "recovery").hash };
    const { access_token } = sessionOf(await auth.call("POST", "/verify", { body }));
    await updateUser(auth, access_token, { password: OWNER });
    await signIn(auth, email, OWNER);
  });

  it("gets no access through an invitation", async () => {
    const email = "invited@example.com";
    await register(email, THIEF);
    await auth.call("POST", "/invite", { token: auth.serviceRoleKey, body: { email } });
    await register(email, THIEF);
    await enter("invite", readMail(auth, email, "invite").hash);
    await assert.rejects(signIn(auth, email, THIEF), rejected);
  });

  it("gets no access through a confirmation that was mailed before the invitation", async () => {
    const email = "invited-late@example.com";
    await register(email, THIEF);
    const { hash } = readMail(auth, email, "confirmation");
    await auth.call("POST", "/invite", { token: auth.serviceRoleKey, body: { email } });
    await enter("signup", hash);
    await assert.rejects(signIn(auth, email, THIEF), rejected);
  });

  it("gets no access through links of an administrator", async () => {
    for (const type of ["invite", "signup", "magiclink", "recovery"]) {
      const email = `made-${type}@example.com`;
      await register(email, THIEF);
      await enter(type, await generate({ type, email, password: OWNER }));
      await assert.rejects(signIn(auth, email, THIEF), rejected);
      if (type === "signup") await signIn(auth, email, OWNER);
    }
  });

  it("gets no access through a sign-in of the owner when the account has no password", async () => {
    const email = "upgrade@example.com";
    const anonymous = (await auth.call("POST", "/signup", { body: {} })).body as ShownSession;
    await updateUser(auth, anonymous.access_token, { email, password: THIEF });
    await auth.call("POST", "/otp", { body: { email } });
    const body = { type: "email", email, token: readMail(auth, email, "confirmation").code };
    const session = sessionOf(await auth.call("POST", "/verify", { body }));
    assert.notEqual((await findPerson(auth, email)).id, anonymous.user.id);
    assert.equal((session.user as { is_anonymous: boolean }).is_anonymous, false);
    await assert.rejects(signIn(auth, email, THIEF), rejected);
    const late = { type: "email_change", token_hash: readMail(auth, email, "email_change_new").hash };
    await assert.rejects(auth.call("POST", "/verify", { body: late }), rejection(403, "otp_expired"));
  });
});

describe("a flow that was started with a stolen session", () => {
  const changeByUser = (auth: TestAuthContext, token: string) => updateUser(auth, token, { password: "chosen anew" });
  const changeByAdmin = async (auth: TestAuthContext) => {
    const { id } = await findPerson(auth, "ada@example.com");
    const call = { token: auth.serviceRoleKey, body: { password: "chosen anew" } };
    return auth.call("PUT", `/admin/users/${id}`, call);
  };

  for (const [who, change] of Object.entries({ "the owner": changeByUser, "an administrator": changeByAdmin })) {
    it(`is over when ${who} changes the password`, async (t) => {
      const auth = await createAuthContext(t, { settings: { authAutoconfirm: false, authSecureEmailChange: false } });
      const email = "ada@example.com";
      await auth.call("POST", "/signup", { body: { email, password: OWNER } });
      await auth.call("POST", "/verify", {
        body: { type: "signup", token_hash: readMail(auth, email, "confirmation").hash },
      });
      const stolen = await signIn(auth, email, OWNER);
      await updateUser(auth, stolen.access_token, { email: "thief@example.com" });
      const move = readMail(auth, "thief@example.com", "email_change_new").hash;
      await auth.call("POST", "/recover", { body: { email } });
      const recovery = readMail(auth, email, "recovery").hash;
      const promise = { code_challenge: VERIFIER, code_challenge_method: "plain" };
      await auth.call("POST", "/otp", { body: { email, ...promise } });
      const { query } = await follow(auth, readMail(auth, email, "magiclink").link);
      assert.ok(query["code"]);

      await change(auth, (await signIn(auth, email, OWNER)).access_token);
      for (const [type, token_hash] of Object.entries({ recovery, email_change: move })) {
        const attempt = auth.call("POST", "/verify", { body: { type, token_hash } });
        await assert.rejects(attempt, rejection(403, "otp_expired"), type);
      }
      const body = { auth_code: query["code"], code_verifier: VERIFIER };
      const exchange = auth.call("POST", "/token", { query: { grant_type: "pkce" }, body });
      await assert.rejects(exchange, rejection(404, "flow_state_not_found"));
      // Anybody can request the mail of a pending change again.
      const sent = auth.mails.length;
      await auth.call("POST", "/resend", { body: { type: "email_change", email } });
      assert.equal(auth.mails.length, sent);
      assert.equal((await findPerson(auth, email)).new_email, null);
      await signIn(auth, email, "chosen anew");
    });
  }
});

describe("a change of address", () => {
  it("is not confirmed by the link of another change", async (t) => {
    const auth = await createAuthContext(t);
    const { user } = await signUp(auth, "ada@example.com");
    const generate = async (type: string, new_email: string) => {
      const body = { type, email: "ada@example.com", new_email };
      const answer = await auth.call("POST", "/admin/generate_link", { token: auth.serviceRoleKey, body });
      return (answer.body as { hashed_token: string }).hashed_token;
    };
    const agreed = await generate("email_change_current", "wanted@example.com");
    const other = await generate("email_change_new", "other@example.com");
    const verify = (token_hash: string) => auth.call("POST", "/verify", { body: { type: "email_change", token_hash } });
    await assert.rejects(verify(agreed), rejection(403, "otp_expired"));
    await verify(other);
    assert.equal((await findPerson(auth, "ada@example.com")).id, user.id);
  });
});

describe("an address in another spelling", () => {
  it("belongs to the same account or to none", async (t) => {
    const auth = await createAuthContext(t);
    await signUp(auth, "kate@example.com");
    for (const email of ["KATE@EXAMPLE.COM", " kate@example.com\n", "kate@ｅxample.com"]) {
      await assert.rejects(signUp(auth, email, THIEF), rejection(422, "user_already_exists"), email);
    }
    const spellings = ["\u212aate@example.com", "k\u0430te@example.com", "kate\u200b@example.com", "kate@example.com."];
    for (const email of [
      ...spellings,
      "kate@example.com\0",
      "kate@EXAMPLE。com",
      "ka\u0131te@example.com",
      '"kate"@example.com',
    ]) {
      await assert.rejects(signUp(auth, email, THIEF), rejection(400, "validation_failed"), email);
    }
  });
});
