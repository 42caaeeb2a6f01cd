import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Mail, Mailer } from "../../src/auth/mail/mail.ts";
import { createHookMailer } from "../../src/auth/outbox/hook-mailer.ts";
import { isAutoconfirmed } from "../../src/auth/users/account-rules.ts";
import { loadSettings } from "../../src/config/index.ts";
import { onNode, PASSWORD, type ShownSession, signUp, updateUser } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { buildAuthSettings } from "./support/auth-settings.ts";
import { type HookEvent, type HookStage, type Kind, KINDS, openHookStage } from "./support/hook-stage.ts";
import { rejection } from "./support/rejection.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
const settings = buildAuthSettings({ authAutoconfirm: false });
let auth: TestAuthContext;
let stage: HookStage;
before(async () => {
  auth = await createAuthContext(cleanup);
  stage = await openHookStage(cleanup, auth);
});
after(async () => {
  for (const close of closers) await close();
});

let people = 0;
const newEmail = (): string => `mail-${(people += 1)}@example.com`;

/** A node whose mails the hook sends; `fallen` are those that the other mailer got. */
function mailingNode(kind: Kind, more: Record<string, string> = {}) {
  const fallen: Mail[] = [];
  const fallback: Mailer = {
    send: async (mail) => void fallen.push(mail),
    checkReady: async () => {},
    close: async () => {},
  };
  const hook = stage.open(stage.at(kind, "SEND_EMAIL", more)).send_email ?? assert.fail();
  const mailer = createHookMailer({ hook, pool: auth.context.pool, baseUrl: () => auth.context.baseUrl, fallback });
  return { ...onNode(auth, { mailer, settings }), fallen };
}

const sent = ({ user, email_data: data }: HookEvent) => [data.email_action_type, user.email];

async function signedUp(): Promise<ShownSession> {
  return signUp(auth, newEmail());
}

for (const kind of KINDS)
  describe(`mails that a hook over ${kind} sends`, () => {
    it("have what a link needs, in the members of Supabase", async () => {
      const node = mailingNode(kind);
      await stage.answer({});
      await stage.takeEvents();
      const email = newEmail();
      const query = { redirect_to: "https://localhost:8443/welcome" };
      await node.call("POST", "/signup", { body: { email, password: PASSWORD }, query });
      const [event] = await stage.takeEvents();
      const { metadata, user, email_data: data } = event ?? assert.fail();
      assert.equal(metadata.name, "send-email");
      assert.deepEqual([user.email, user.new_email, user.identities.length], [email, undefined, 1]);
      assert.deepEqual(
        [data.email_action_type, data.redirect_to, data.site_url, data.token_new, data.token_hash_new, data.old_email],
        ["signup", query.redirect_to, "https://localhost:8443/auth/v1", "", "", email],
      );
      assert.match(data.token, /^\d{6}$/);
      assert.match(data.text, new RegExp(data.token));
      assert.ok(data.subject.length > 0 && data.html.includes(data.token_hash));
      const body = { type: "email", token_hash: data.token_hash };
      assert.equal((await node.call("POST", "/verify", { body })).status, 200);
    });

    it("are one call for each, whose user has the address that the mail goes to", async () => {
      const node = mailingNode(kind);
      await stage.answer({});
      const { access_token: token, user } = await signedUp();
      await stage.takeEvents();
      const newAddress = newEmail();
      await updateUser(node, token, { email: newAddress });
      const events = await stage.takeEvents();
      assert.deepEqual(events.map(sent), [
        ["email_change", user.email],
        ["email_change", newAddress],
      ]);
      assert.deepEqual(
        events.map(({ user: { id, new_email: to } }) => [id, to]),
        [
          [user.id, user.email],
          [user.id, newAddress],
        ],
      );
      assert.notEqual(events[0]?.["email_data"].token_hash, events[1]?.["email_data"].token_hash);
      await node.call("POST", "/recover", { body: { email: user.email } });
      await node.call("GET", "/reauthenticate", { token });
      await node.call("POST", "/invite", { token: auth.serviceRoleKey, body: { email: newEmail() } });
      assert.deepEqual(
        (await stage.takeEvents()).map(({ email_data: data }) => data.email_action_type),
        ["recovery", "reauthentication", "invite"],
      );
    });

    it("that it fails to send are tried again, with another code", async () => {
      const node = mailingNode(kind);
      await stage.answer({ error: { http_code: 500, message: "Quota" } });
      const { user } = await signedUp();
      await stage.takeEvents();
      await node.call("POST", "/recover", { body: { email: user.email } });
      const retry = "update private.mail_outbox set due_at = now() where email = $1 returning attempts";
      assert.deepEqual((await auth.database.owner.query(retry, [user.email])).rows, [{ attempts: 1 }]);
      await stage.answer({});
      await node.call("GET", "/health");
      const [first, second] = await stage.takeEvents();
      assert.notEqual(first?.["email_data"].token_hash, second?.["email_data"].token_hash);
      assert.deepEqual((await auth.database.owner.query(retry, [user.email])).rows, []);
      const body = { type: "recovery", token_hash: second?.["email_data"].token_hash };
      assert.equal((await node.call("POST", "/verify", { body })).status, 200);
    });

    it("that the caller waits for fail with the error of the hook", async () => {
      const node = mailingNode(kind);
      await stage.answer({ error: { http_code: 429, message: "Quota" } });
      const { access_token: token } = await signedUp();
      await assert.rejects(node.call("GET", "/reauthenticate", { token }), rejection(429, "hook_refused", /^Quota$/));
    });

    it("fall back to the mail server where that is the policy", async () => {
      const env = { SMTP_URL: "smtp://localhost", AUTH_HOOK_SEND_EMAIL_ON_FAILURE: "continue" };
      const node = mailingNode(kind, env);
      await stage.answer("no object");
      const { user } = await signedUp();
      await node.call("POST", "/recover", { body: { email: user.email } });
      assert.deepEqual(
        node.fallen.map(({ to, kind: mail }) => [to, mail]),
        [[user.email, "recovery"]],
      );
    });
  });

describe("with a hook that sends mails", () => {
  it("new accounts have to be confirmed by default, as with a mail server", () => {
    assert.equal(isAutoconfirmed(loadSettings({})), true);
    assert.equal(isAutoconfirmed(loadSettings(stage.at("sql", "SEND_EMAIL"))), false);
  });
});
