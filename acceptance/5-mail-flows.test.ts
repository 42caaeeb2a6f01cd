import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuthChangeEvent, SupabaseClient } from "@supabase/supabase-js";
import { newEmail, ok, openAdmin, openClient, PASSWORD, signInAgain } from "./support/clients.ts";
import { type Mailbox, openMailbox } from "./support/mailbox.ts";
import { IS_SERVICE_GIVEN, type Service, startOwnService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";

const SITE = "https://app.example/start";
const ALLOWED = "https://other.example/welcome?from=mail";

let service: Service;
let mailbox: Mailbox;

async function follow(link: string, headers: Record<string, string> = {}): Promise<URL> {
  const answer = await service.request(link, { headers });
  assert.equal(answer.status, 303, answer.text);
  return new URL(answer.headers.location ?? "");
}

function fragmentOf(url: URL): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
}

/** What an application does with the address that a link has led to. */
async function continueSession(url: URL): Promise<SupabaseClient> {
  const { access_token = "", refresh_token = "" } = fragmentOf(url);
  const client = openClient(service);
  ok(await client.auth.setSession({ access_token, refresh_token }));
  return client;
}

async function makeConfirmed(): Promise<string> {
  const email = newEmail();
  ok(await openAdmin(service).auth.admin.createUser({ email, password: PASSWORD, email_confirm: true }));
  return email;
}

function recordEvents({ auth }: SupabaseClient): AuthChangeEvent[] {
  const events: AuthChangeEvent[] = [];
  auth.onAuthStateChange((event) => void events.push(event));
  return events;
}

describe("accounts by mail", { skip: IS_SERVICE_GIVEN && "needs certain settings and the mails" }, () => {
  before(async () => {
    service = await startOwnService({
      ...QUICK_HASHES,
      AUTH_AUTOCONFIRM: "false",
      AUTH_MAIL_INTERVAL_SECONDS: "0",
      SITE_URL: SITE,
      REDIRECT_ALLOW_LIST: "https://other.example/**,myapp://**",
    });
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
    const url = await follow(link);
    assert.equal(`${url.origin}${url.pathname}`, SITE);
    const { token_type, type, expires_in, expires_at } = fragmentOf(url);
    assert.deepEqual([token_type, type, expires_in], ["bearer", "signup", "3600"]);
    assert.match(expires_at ?? "", /^\d{10}$/);
    const confirmed = ok(await (await continueSession(url)).auth.getUser()).user;
    assert.equal(confirmed.id, user.id);
    assert.ok(confirmed.email_confirmed_at);
    await signInAgain(service, email);

    const again = fragmentOf(await follow(link));
    assert.deepEqual([again["error"], again["error_code"]], ["access_denied", "otp_expired"]);
    assert.equal(again["access_token"], undefined);
  });

  test("5.2 the code of the mail confirms the address too", async () => {
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

  test("5.2 signing up with an address that is taken looks like any other sign-up", async () => {
    const taken = await makeConfirmed();
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

  test("5 a forgotten password: mail, link, session, new password", async () => {
    const email = await makeConfirmed();
    const unknown = newEmail("nobody");
    const { auth } = openClient(service);
    assert.deepEqual(await auth.resetPasswordForEmail(unknown), await auth.resetPasswordForEmail(email));
    const { link } = await mailbox.take(email);
    assert.equal(await mailbox.countUnread(unknown), 0);
    const url = await follow(link);
    assert.equal(fragmentOf(url)["type"], "recovery");
    const client = await continueSession(url);
    ok(await client.auth.updateUser({ password: "a new password" }));
    const old = await auth.signInWithPassword({ email, password: PASSWORD });
    assert.equal(old.error?.code, "invalid_credentials");
    ok(await auth.signInWithPassword({ email, password: "a new password" }));
  });

  test("5 a forgotten password, by the text of the link: the client sees PASSWORD_RECOVERY", async () => {
    const email = await makeConfirmed();
    const client = openClient(service);
    const events = recordEvents(client);
    ok(await client.auth.resetPasswordForEmail(email));
    const tokenHash = new URL((await mailbox.take(email)).link).searchParams.get("token") ?? "";
    ok(await client.auth.verifyOtp({ token_hash: tokenHash, type: "recovery" }));
    assert.ok(events.includes("PASSWORD_RECOVERY"));
    ok(await client.auth.updateUser({ password: "a new password" }));
  });

  test("5 signing in by code, for somebody new and for somebody known", async () => {
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

  test("5 signing in by the text of the link", async () => {
    const email = await makeConfirmed();
    const { auth } = openClient(service);
    ok(await auth.signInWithOtp({ email }));
    const tokenHash = new URL((await mailbox.take(email)).link).searchParams.get("token") ?? "";
    assert.equal(ok(await auth.verifyOtp({ token_hash: tokenHash, type: "email" })).user?.email, email);
    const again = await auth.verifyOtp({ token_hash: tokenHash, type: "email" });
    assert.deepEqual([again.error?.status, again.error?.code], [403, "otp_expired"]);
  });

  test("5 nobody learns by a code whether an address has an account, and none is made against the caller's will", async () => {
    const unknown = newEmail("nobody");
    const known = await makeConfirmed();
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

  test("5 a code bears few guesses", async () => {
    const email = await makeConfirmed();
    const { auth } = openClient(service);
    ok(await auth.signInWithOtp({ email }));
    const { code, link } = await mailbox.take(email);
    const wrong = code === "123456" ? "654321" : "123456";
    await Promise.all(
      Array.from({ length: 10 }, () => openClient(service).auth.verifyOtp({ email, token: wrong, type: "email" })),
    );
    assert.equal((await auth.verifyOtp({ email, token: code, type: "email" })).error?.code, "otp_expired");
    assert.ok(fragmentOf(await follow(link))["access_token"], "who has the mail is not shut out by who guesses");
  });

  test("5 a magic link leads where it was asked to, if that is allowed, and else to the site", async () => {
    const email = await makeConfirmed();
    const cases: [string | undefined, string][] = [
      [undefined, SITE],
      [ALLOWED, ALLOWED],
      ["myapp://callback", "myapp://callback"],
      ["https://app.example/start/deeper", "https://app.example/start/deeper"],
      ["https://evil.example/", SITE],
      ["https://other.example.evil.example/welcome", SITE],
      ["https://other.example@evil.example/", SITE],
      ["javascript://other.example/%0aalert(1)", SITE],
      ["//evil.example", SITE],
    ];
    for (const [wanted, expected] of cases) {
      const options = wanted === undefined ? {} : { emailRedirectTo: wanted };
      ok(await openClient(service).auth.signInWithOtp({ email, options }));
      const url = await follow((await mailbox.take(email)).link);
      assert.ok(fragmentOf(url)["access_token"]);
      url.hash = "";
      assert.equal(url.href.replace(/#$/, ""), expected);
    }
  });

  test("5 a link that was changed on the way leads nowhere else", async () => {
    const email = await makeConfirmed();
    ok(await openClient(service).auth.signInWithOtp({ email }));
    const link = new URL((await mailbox.take(email)).link);
    link.searchParams.set("redirect_to", "https://evil.example/");
    const url = await follow(link.href);
    assert.equal(url.origin, "https://app.example");
    const error = fragmentOf(
      await follow(`${service.credentials.url}/auth/v1/verify?token=x&type=magiclink&redirect_to=https://evil.example`),
    );
    assert.equal(error["error_code"], "otp_expired");
  });

  test("5 a browser or a mail program that looks ahead does not use the link up", async () => {
    const email = await makeConfirmed();
    ok(await openClient(service).auth.signInWithOtp({ email }));
    const { link } = await mailbox.take(email);
    assert.equal((await service.request(link, { method: "HEAD" })).status, 405);
    assert.notEqual((await service.request(link, { headers: { "sec-purpose": "prefetch" } })).status, 303);
    assert.ok(fragmentOf(await follow(link))["access_token"]);
  });

  test("5 PKCE: the link brings a code that only the client can use which began", async () => {
    const email = await makeConfirmed();
    const client = openClient(service, { auth: { flowType: "pkce" } });
    const events = recordEvents(client);
    ok(await client.auth.signInWithOtp({ email, options: { emailRedirectTo: ALLOWED } }));
    const { link } = await mailbox.take(email);
    const url = await follow(link);
    assert.equal(url.hash, "");
    assert.equal(url.searchParams.get("from"), "mail");
    const code = url.searchParams.get("code") ?? "";
    assert.notEqual(code, "");

    const stranger = await service.request("/auth/v1/token?grant_type=pkce", {
      method: "POST",
      headers: { apikey: service.credentials.anon_key, "content-type": "application/json" },
      body: JSON.stringify({ auth_code: code, code_verifier: "a".repeat(56) }),
    });
    assert.deepEqual([stranger.status, stranger.body["code"]], [400, "bad_code_verifier"], stranger.text);
    const { session } = ok(await client.auth.exchangeCodeForSession(code));
    assert.equal(session.user.email, email);
    assert.ok(events.includes("SIGNED_IN"));
    assert.equal((await client.auth.getUser()).error, null);

    const used = await follow(link);
    assert.equal(used.searchParams.get("error_code"), "otp_expired");
  });

  test("5 PKCE: a code is good once", async () => {
    const email = await makeConfirmed();
    const kept = new Map<string, string>();
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      // Forgets nothing, so that the same verifier can be shown twice.
      removeItem: () => {},
    };
    const client = openClient(service, { auth: { flowType: "pkce", storage } });
    ok(await client.auth.signInWithOtp({ email }));
    const code = (await follow((await mailbox.take(email)).link)).searchParams.get("code") ?? "";
    ok(await client.auth.exchangeCodeForSession(code));
    assert.equal((await client.auth.exchangeCodeForSession(code)).error?.code, "flow_state_not_found");
  });

  test("5 PKCE: sign-up and recovery go the same way", async () => {
    const email = newEmail();
    const client = openClient(service, { auth: { flowType: "pkce" } });
    ok(await client.auth.signUp({ email, password: PASSWORD }));
    const confirmed = await follow((await mailbox.take(email)).link);
    ok(await client.auth.exchangeCodeForSession(confirmed.searchParams.get("code") ?? ""));
    assert.ok(ok(await client.auth.getUser()).user.email_confirmed_at);

    const events = recordEvents(client);
    ok(await client.auth.resetPasswordForEmail(email));
    const recovered = await follow((await mailbox.take(email)).link);
    ok(await client.auth.exchangeCodeForSession(recovered.searchParams.get("code") ?? ""));
    assert.ok(events.includes("PASSWORD_RECOVERY"));
    ok(await client.auth.updateUser({ password: "a new password" }));
  });

  test("5 reauthentication mails a nonce that goes with a new password", async () => {
    const email = await makeConfirmed();
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

  test("5 a new e-mail address is confirmed at the old and at the new one", async () => {
    const email = await makeConfirmed();
    const wanted = newEmail("new");
    const { client, session } = await signInAgain(service, email);
    const { user } = ok(await client.auth.updateUser({ email: wanted }));
    assert.deepEqual([user.email, user.new_email], [email, wanted]);

    const atOld = await mailbox.take(email);
    const half = await client.auth.verifyOtp({ email, token: atOld.code, type: "email_change" });
    assert.deepEqual([half.error, half.data.session], [null, null]);
    assert.equal(ok(await client.auth.getUser()).user.email, email);

    const atNew = fragmentOf(await follow((await mailbox.take(wanted)).link));
    assert.equal(atNew["type"], "email_change");
    const changed = ok(await client.auth.getUser()).user;
    assert.deepEqual([changed.id, changed.email, changed.new_email], [session.user.id, wanted, undefined]);
    await signInAgain(service, wanted);
    const old = await openClient(service).auth.signInWithPassword({ email, password: PASSWORD });
    assert.equal(old.error?.code, "invalid_credentials");
  });

  test("5 the mails of an e-mail change can be sent again", async () => {
    const email = await makeConfirmed();
    const wanted = newEmail("new");
    const { client } = await signInAgain(service, email);
    ok(await client.auth.updateUser({ email: wanted }));
    const first = await mailbox.take(wanted);
    ok(await client.auth.resend({ type: "email_change", email }));
    const second = await mailbox.take(wanted);
    assert.notEqual(second.link, first.link);
    assert.equal(fragmentOf(await follow(first.link))["error_code"], "otp_expired");
    assert.match(fragmentOf(await follow(second.link))["message"] ?? "", /other email/);
  });

  test("5 somebody without an address gets one by confirming it, and stays the same user", async () => {
    const client = openClient(service);
    const { user } = ok(await client.auth.signInAnonymously());
    const email = newEmail();
    ok(await client.auth.updateUser({ email }));
    assert.equal(ok(await client.auth.getUser()).user.is_anonymous, true);
    const { code } = await mailbox.take(email);
    const { session } = ok(await client.auth.verifyOtp({ email, token: code, type: "email_change" }));
    assert.deepEqual([session?.user.id, session?.user.email, session?.user.is_anonymous], [user?.id, email, false]);
    ok(await client.auth.updateUser({ password: PASSWORD }));
    await signInAgain(service, email);
  });

  test("5 an invitation is accepted by its link", async () => {
    const email = newEmail("guest");
    const { user } = ok(
      await openAdmin(service).auth.admin.inviteUserByEmail(email, { data: { team: "blue" }, redirectTo: ALLOWED }),
    );
    assert.ok(user.invited_at);
    const url = await follow((await mailbox.take(email)).link);
    assert.equal(url.host, "other.example");
    assert.equal(fragmentOf(url)["type"], "invite");
    const client = await continueSession(url);
    ok(await client.auth.updateUser({ password: PASSWORD }));
    const { session } = await signInAgain(service, email);
    assert.deepEqual([session.user.id, session.user.user_metadata["team"]], [user.id, "blue"]);
  });
});
