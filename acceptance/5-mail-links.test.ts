import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newEmail, ok, openClient, PASSWORD, signInAgain } from "./support/clients.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { type Mailbox, openMailbox } from "./support/mailbox.ts";
import { follow, fragmentOf, createConfirmedUser, recordEvents } from "./support/mail-links.ts";
import { type Service, startService } from "./support/service.ts";
import { MAIL_LINKS, MAILING } from "./support/settings.ts";

let service: Service;
let mailbox: Mailbox;

describe("5 links in mails", { skip: NEEDS_OWN_SERVICE }, () => {
  before(async () => {
    service = await startService(MAILING);
    mailbox = openMailbox(service);
  });
  after(() => service?.stop());

  test("5 a magic link redirects to the requested address if it is allowed, and otherwise to the site", async () => {
    const email = await createConfirmedUser(service);
    const cases: [string | undefined, string][] = [
      [undefined, MAIL_LINKS.site],
      [MAIL_LINKS.allowed, MAIL_LINKS.allowed],
      ["myapp://callback", "myapp://callback"],
      ["https://app.example/start/deeper", "https://app.example/start/deeper"],
      ["https://evil.example/", MAIL_LINKS.site],
      ["https://other.example.evil.example/welcome", MAIL_LINKS.site],
      ["https://other.example@evil.example/", MAIL_LINKS.site],
      ["javascript://other.example/%0aalert(1)", MAIL_LINKS.site],
      ["//evil.example", MAIL_LINKS.site],
    ];
    for (const [wanted, expected] of cases) {
      const options = wanted === undefined ? {} : { emailRedirectTo: wanted };
      ok(await openClient(service).auth.signInWithOtp({ email, options }));
      const url = await follow(service, (await mailbox.take(email)).link);
      assert.ok(fragmentOf(url)["access_token"]);
      url.hash = "";
      assert.equal(url.href.replace(/#$/, ""), expected);
    }
  });

  test("5 a link with a changed redirect address does not redirect there", async () => {
    const email = await createConfirmedUser(service);
    ok(await openClient(service).auth.signInWithOtp({ email }));
    const link = new URL((await mailbox.take(email)).link);
    link.searchParams.set("redirect_to", "https://evil.example/");
    const url = await follow(service, link.href);
    assert.equal(url.origin, "https://app.example");
    const error = fragmentOf(
      await follow(
        service,
        `${service.credentials.url}/auth/v1/verify?token=x&type=magiclink&redirect_to=https://evil.example`,
      ),
    );
    assert.equal(error["error_code"], "otp_expired");
  });

  test("5 a prefetch by a browser or mail program does not use up the link", async () => {
    const email = await createConfirmedUser(service);
    ok(await openClient(service).auth.signInWithOtp({ email }));
    const { link } = await mailbox.take(email);
    assert.equal((await service.request(link, { method: "HEAD" })).status, 405);
    assert.notEqual((await service.request(link, { headers: { "sec-purpose": "prefetch" } })).status, 303);
    assert.ok(fragmentOf(await follow(service, link))["access_token"]);
  });

  test("5 PKCE: the link has a code that only the client that started the flow can exchange", async () => {
    const email = await createConfirmedUser(service);
    const client = openClient(service, { auth: { flowType: "pkce" } });
    const events = recordEvents(client);
    ok(await client.auth.signInWithOtp({ email, options: { emailRedirectTo: MAIL_LINKS.allowed } }));
    const { link } = await mailbox.take(email);
    const url = await follow(service, link);
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

    const used = await follow(service, link);
    assert.equal(used.searchParams.get("error_code"), "otp_expired");
  });

  test("5 PKCE: a code can be exchanged once", async () => {
    const email = await createConfirmedUser(service);
    const kept = new Map<string, string>();
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      // Storage that never removes anything, so that the same verifier can be used twice.
      removeItem: () => {},
    };
    const client = openClient(service, { auth: { flowType: "pkce", storage } });
    ok(await client.auth.signInWithOtp({ email }));
    const code = (await follow(service, (await mailbox.take(email)).link)).searchParams.get("code") ?? "";
    ok(await client.auth.exchangeCodeForSession(code));
    assert.equal((await client.auth.exchangeCodeForSession(code)).error?.code, "flow_state_not_found");
  });

  test("5 PKCE: sign-up and recovery links use the same flow", async () => {
    const email = newEmail();
    const client = openClient(service, { auth: { flowType: "pkce" } });
    ok(await client.auth.signUp({ email, password: PASSWORD }));
    const confirmed = await follow(service, (await mailbox.take(email)).link);
    ok(await client.auth.exchangeCodeForSession(confirmed.searchParams.get("code") ?? ""));
    assert.ok(ok(await client.auth.getUser()).user.email_confirmed_at);

    const events = recordEvents(client);
    ok(await client.auth.resetPasswordForEmail(email));
    const recovered = await follow(service, (await mailbox.take(email)).link);
    ok(await client.auth.exchangeCodeForSession(recovered.searchParams.get("code") ?? ""));
    assert.ok(events.includes("PASSWORD_RECOVERY"));
    ok(await client.auth.updateUser({ password: "a new password" }));
  });

  test("5 a new e-mail address must be confirmed at the old and at the new address", async () => {
    const email = await createConfirmedUser(service);
    const wanted = newEmail("new");
    const { client, session } = await signInAgain(service, email);
    const { user } = ok(await client.auth.updateUser({ email: wanted }));
    assert.deepEqual([user.email, user.new_email], [email, wanted]);

    const atOld = await mailbox.take(email);
    const half = await client.auth.verifyOtp({ email, token: atOld.code, type: "email_change" });
    assert.deepEqual([half.error, half.data.session], [null, null]);
    assert.equal(ok(await client.auth.getUser()).user.email, email);

    const atNew = fragmentOf(await follow(service, (await mailbox.take(wanted)).link));
    assert.equal(atNew["type"], "email_change");
    const changed = ok(await client.auth.getUser()).user;
    assert.deepEqual([changed.id, changed.email, changed.new_email], [session.user.id, wanted, undefined]);
    await signInAgain(service, wanted);
    const old = await openClient(service).auth.signInWithPassword({ email, password: PASSWORD });
    assert.equal(old.error?.code, "invalid_credentials");
  });

  test("5 the mails of an e-mail change can be sent again", async () => {
    const email = await createConfirmedUser(service);
    const wanted = newEmail("new");
    const { client } = await signInAgain(service, email);
    ok(await client.auth.updateUser({ email: wanted }));
    const first = await mailbox.take(wanted);
    ok(await client.auth.resend({ type: "email_change", email }));
    const second = await mailbox.take(wanted);
    assert.notEqual(second.link, first.link);
    assert.equal(fragmentOf(await follow(service, first.link))["error_code"], "otp_expired");
    assert.match(fragmentOf(await follow(service, second.link))["message"] ?? "", /other email/);
  });

  test("5 an anonymous user who confirms an address stays the same user", async () => {
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
});
