import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newEmail, ok, openAdmin, openClient, PASSWORD, signInAgain } from "./support/clients.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { type Mailbox, openMailbox } from "./support/mailbox.ts";
import { continueSession, follow, fragmentOf, createConfirmedUser, recordEvents } from "./support/mail-links.ts";
import { type Service, startService } from "./support/service.ts";
import { MAIL_LINKS, MAILING } from "./support/settings.ts";

let service: Service;
let mailbox: Mailbox;

describe("5 accounts by mail", { skip: NEEDS_OWN_SERVICE }, () => {
  before(async () => {
    service = await startService(MAILING);
    mailbox = openMailbox(service);
  });
  after(() => service?.stop());

  test("5.2 sign-up returns a null session until the address is confirmed by its link", async () => {
    const email = newEmail();
    const client = openClient(service);
    const events = recordEvents(client);
    const { user, session } = ok(
      await client.auth.signUp({ email, password: PASSWORD, options: { data: { full_name: "Ada" } } }),
    );
    assert.equal(session, null);
    assert.equal(user?.email, email);
    assert.ok(user?.id && user.created_at);
    assert.equal(user.user_metadata["full_name"], "Ada");
    assert.equal(user.email_confirmed_at, undefined);
    assert.ok(!events.includes("SIGNED_IN"));
    const early = await client.auth.signInWithPassword({ email, password: PASSWORD });
    assert.deepEqual([early.error?.status, early.error?.code], [400, "email_not_confirmed"]);

    const { link, subject } = await mailbox.take(email);
    assert.match(subject, /confirm/i);
    const url = await follow(service, link);
    assert.equal(`${url.origin}${url.pathname}`, MAIL_LINKS.site);
    const { token_type, type, expires_in, expires_at } = fragmentOf(url);
    assert.deepEqual([token_type, type, expires_in], ["bearer", "signup", "3600"]);
    assert.match(expires_at ?? "", /^\d{10}$/);
    const confirmed = ok(await (await continueSession(service, url)).auth.getUser()).user;
    assert.equal(confirmed.id, user.id);
    assert.ok(confirmed.email_confirmed_at);
    await signInAgain(service, email);

    const again = fragmentOf(await follow(service, link));
    assert.deepEqual([again["error"], again["error_code"]], ["access_denied", "otp_expired"]);
    assert.equal(again["access_token"], undefined);
  });

  test("5.2 the code in the mail also confirms the address", async () => {
    const email = newEmail();
    const client = openClient(service);
    ok(await client.auth.signUp({ email, password: PASSWORD }));
    const { code } = await mailbox.take(email);
    assert.match(code, /^\d{6}$/);
    const events = recordEvents(client);
    const { session } = ok(await client.auth.verifyOtp({ email, token: code, type: "signup" }));
    assert.equal(session?.user.email, email);
    assert.ok(events.includes("SIGNED_IN"));
    const { error } = await openClient(service).auth.verifyOtp({ email, token: code, type: "signup" });
    assert.deepEqual([error?.status, error?.code], [403, "otp_expired"]);
  });

  test("5.2 with confirmation required, sign-up with a taken address returns the same response as any other", async () => {
    const taken = await createConfirmedUser(service);
    const fresh = newEmail();
    const users = [];
    for (const email of [taken, fresh]) {
      const { user, session } = ok(await openClient(service).auth.signUp({ email, password: "another password" }));
      assert.equal(session, null);
      assert.equal(user?.email, email);
      users.push(user);
    }
    assert.deepEqual(Object.keys(users[0] ?? {}), Object.keys(users[1] ?? {}));
    assert.equal(users[0]?.identities?.length, users[1]?.identities?.length);
    const { text, link, code } = await mailbox.take(taken);
    assert.deepEqual([link, code], ["", ""], text);
    await signInAgain(service, taken);
  });

  test("5.2 resend sends the confirmation again, and only the newest code counts", async () => {
    const email = newEmail();
    const { auth } = openClient(service);
    ok(await auth.signUp({ email, password: PASSWORD }));
    const first = await mailbox.take(email);
    ok(await auth.resend({ type: "signup", email }));
    const second = await mailbox.take(email);
    assert.equal((await auth.verifyOtp({ email, token: first.code, type: "signup" })).error?.code, "otp_expired");
    assert.ok(ok(await auth.verifyOtp({ email, token: second.code, type: "signup" })).session);
    const unknown = newEmail("nobody");
    for (const type of ["signup", "email_change"] as const) ok(await auth.resend({ type, email: unknown }));
  });

  test("5 password recovery: the link in the mail starts a session that can set a new password", async () => {
    const email = await createConfirmedUser(service);
    const unknown = newEmail("nobody");
    const { auth } = openClient(service);
    assert.deepEqual(await auth.resetPasswordForEmail(unknown), await auth.resetPasswordForEmail(email));
    const { link } = await mailbox.take(email);
    assert.equal(await mailbox.countUnread(unknown), 0);
    const url = await follow(service, link);
    assert.equal(fragmentOf(url)["type"], "recovery");
    const client = await continueSession(service, url);
    ok(await client.auth.updateUser({ password: "a new password" }));
    const old = await auth.signInWithPassword({ email, password: PASSWORD });
    assert.equal(old.error?.code, "invalid_credentials");
    ok(await auth.signInWithPassword({ email, password: "a new password" }));
  });

  test("5 password recovery by the token hash of the link emits PASSWORD_RECOVERY", async () => {
    const email = await createConfirmedUser(service);
    const client = openClient(service);
    const events = recordEvents(client);
    ok(await client.auth.resetPasswordForEmail(email));
    const tokenHash = new URL((await mailbox.take(email)).link).searchParams.get("token") ?? "";
    ok(await client.auth.verifyOtp({ token_hash: tokenHash, type: "recovery" }));
    assert.ok(events.includes("PASSWORD_RECOVERY"));
    ok(await client.auth.updateUser({ password: "a new password" }));
  });

  test("5 signing in by a mailed code works for new and for existing users", async () => {
    const email = newEmail();
    const { auth } = openClient(service);
    const ids = [];
    for (const type of ["email", "magiclink"] as const) {
      ok(await auth.signInWithOtp({ email, options: { data: { full_name: "Ada" } } }));
      const { code } = await mailbox.take(email);
      const { user } = ok(await auth.verifyOtp({ email, token: code, type }));
      assert.equal(user?.user_metadata["full_name"], "Ada");
      ids.push(user?.id);
    }
    assert.equal(ids[0], ids[1]);
  });

  test("5 signing in by the token hash of the link", async () => {
    const email = await createConfirmedUser(service);
    const { auth } = openClient(service);
    ok(await auth.signInWithOtp({ email }));
    const tokenHash = new URL((await mailbox.take(email)).link).searchParams.get("token") ?? "";
    assert.equal(ok(await auth.verifyOtp({ token_hash: tokenHash, type: "email" })).user?.email, email);
    const again = await auth.verifyOtp({ token_hash: tokenHash, type: "email" });
    assert.deepEqual([again.error?.status, again.error?.code], [403, "otp_expired"]);
  });

  test("5 requesting a code does not reveal whether an address has an account, and creates none with shouldCreateUser false", async () => {
    const unknown = newEmail("nobody");
    const known = await createConfirmedUser(service);
    const { auth } = openClient(service);
    const answers = [];
    for (const email of [unknown, known]) {
      answers.push(await auth.signInWithOtp({ email, options: { shouldCreateUser: false } }));
    }
    assert.deepEqual(answers[0], answers[1]);
    await mailbox.take(known);
    assert.equal(await mailbox.countUnread(unknown), 0);
    const wrong = [];
    for (const email of [unknown, known]) {
      const { error } = await auth.verifyOtp({ email, token: "000000", type: "email" });
      wrong.push([error?.status, error?.code, error?.message]);
    }
    assert.deepEqual(wrong[0], wrong[1]);
  });

  test("5 a code is invalidated after a few wrong guesses", async () => {
    const email = await createConfirmedUser(service);
    const { auth } = openClient(service);
    ok(await auth.signInWithOtp({ email }));
    const { code, link } = await mailbox.take(email);
    const wrong = code === "123456" ? "654321" : "123456";
    await Promise.all(
      Array.from({ length: 10 }, () => openClient(service).auth.verifyOtp({ email, token: wrong, type: "email" })),
    );
    assert.equal((await auth.verifyOtp({ email, token: code, type: "email" })).error?.code, "otp_expired");
    assert.ok(
      fragmentOf(await follow(service, link))["access_token"],
      "who has the mail is not shut out by who guesses",
    );
  });

  test("5 reauthentication mails a nonce that updateUser accepts with a new password", async () => {
    const email = await createConfirmedUser(service);
    const { client } = await signInAgain(service, email);
    ok(await client.auth.reauthenticate());
    const { code, link } = await mailbox.take(email);
    assert.match(code, /^\d{6}$/);
    assert.equal(link, "");
    ok(await client.auth.updateUser({ password: "a new password", nonce: code }));
    ok(await openClient(service).auth.signInWithPassword({ email, password: "a new password" }));
    const { error } = await openClient(service).auth.reauthenticate();
    assert.equal(error?.name, "AuthSessionMissingError");
  });

  test("5 an invitation is accepted by its link", async () => {
    const email = newEmail("guest");
    const { user } = ok(
      await openAdmin(service).auth.admin.inviteUserByEmail(email, {
        data: { team: "blue" },
        redirectTo: MAIL_LINKS.allowed,
      }),
    );
    assert.ok(user.invited_at);
    const url = await follow(service, (await mailbox.take(email)).link);
    assert.equal(url.host, "other.example");
    assert.equal(fragmentOf(url)["type"], "invite");
    const client = await continueSession(service, url);
    ok(await client.auth.updateUser({ password: PASSWORD }));
    const { session } = await signInAgain(service, email);
    assert.deepEqual([session.user.id, session.user.user_metadata["team"]], [user.id, "blue"]);
  });
});
