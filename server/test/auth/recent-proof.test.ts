import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createUserKey, regenerateSigningSecret, revokeUserKey } from "../../src/auth/index.ts";
import { authenticate } from "../../src/auth/principal/authenticate.ts";
import { assertRejected, newPerson, PASSWORD, type Person, readClaims } from "./mfa-person.ts";
import { collectClosers } from "./one-time-closers.ts";
import { readMail } from "./one-time-mailbox.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { sendDueMails } from "./support/send-due-mails.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NEEDED = "reauthentication_needed";

describe("a proof of the owner", () => {
  let stage: TestAuthContext;
  const closers = collectClosers();
  before(async () => {
    stage = await createAuthContext(closers, { settings: { authAccessTokenTtlSeconds: 86_400 * 30 } });
  });

  const put = ({ token }: Person, body: unknown) => stage.call("PUT", "/user", { token, body });
  /** A call that only this service has, such as the creation of an API key. */
  const admit = (token: string) =>
    authenticate(
      stage.context,
      { access: "account", isBearerIgnored: false, needsProof: true },
      { apikey: stage.anonKey, authorization: `Bearer ${token}` },
    );
  const mailNonce = async ({ token, email }: Person): Promise<string> => {
    await stage.call("GET", "/reauthenticate", { token });
    return readMail(stage, email, "reauthentication").code;
  };

  it("is the sign-in, for a day of calls of supabase-js and ten minutes of own calls", async () => {
    const person = await newPerson(stage);
    await admit(person.token);
    stage.clock.advance(8 * MINUTE_MS);
    await admit(person.token);
    stage.clock.advance(2 * MINUTE_MS + 1);
    await assertRejected(admit(person.token), 403, NEEDED);
    stage.clock.advance(DAY_MS - 12 * MINUTE_MS);
    const begun = await person.enrol("in time");
    stage.clock.advance(2 * MINUTE_MS + 1);
    await assertRejected(person.enrol("late"), 400, NEEDED);
    await assertRejected(person.show(begun), 400, NEEDED);
    await assertRejected(put(person, { password: "another password" }), 400, NEEDED);
    await assertRejected(put(person, { email: "thief@example.com" }), 400, NEEDED);
    await put(person, { data: { harmless: true }, email: person.email });
    person.take(await person.refresh());
    await assertRejected(admit(person.token), 403, NEEDED);
    person.take(await person.signIn());
    await admit(person.token);
    await person.enrol("after a sign-in");
  });

  it("from the future counts no longer than one from the past", async () => {
    const person = await newPerson(stage);
    const set = (interval: string) =>
      stage.database.owner.query(
        "update auth.sessions set proven_at = $2::timestamptz + $3::interval where user_id = $1",
        [person.id, stage.clock.now(), interval],
      );
    await set("9 minutes");
    await admit(person.token);
    await set("11 minutes");
    await assertRejected(admit(person.token), 403, NEEDED);
    await stage.database.owner.query("update auth.sessions set proven_at = null where user_id = $1", [person.id]);
    await assertRejected(admit(person.token), 403, NEEDED);
  });

  it("is the password, for this session alone", async () => {
    const person = await newPerson(stage);
    const other = await person.signIn();
    stage.clock.advance(2 * DAY_MS);
    await assertRejected(put(person, { current_password: "wrong" }), 400, "current_password_invalid");
    await assertRejected(admit(person.token), 403, NEEDED);
    await put(person, { current_password: PASSWORD });
    await admit(person.token);
    await person.enrol();
    await assertRejected(admit(other.access_token), 403, NEEDED);
    stage.clock.advance(11 * MINUTE_MS);
    await assertRejected(admit(person.token), 403, NEEDED);
  });

  it("is not the password of an account that has none", async () => {
    const person = await newPerson(stage);
    await stage.database.owner.query("update auth.users set password_hash = null where id = $1", [person.id]);
    await assertRejected(put(person, { current_password: "" }), 400, "current_password_invalid");
    await assertRejected(put(person, { current_password: PASSWORD }), 400, "current_password_invalid");
  });

  it("is a mailed nonce, once, of this user", async () => {
    const person = await newPerson(stage);
    const stranger = await newPerson(stage);
    stage.clock.advance(2 * DAY_MS);
    const nonce = await mailNonce(person);
    await assertRejected(put(stranger, { nonce }), 422, "reauthentication_not_valid");
    await put(person, { nonce });
    await admit(person.token);
    await person.enrol();
    stage.clock.advance(2 * DAY_MS);
    await assertRejected(put(person, { nonce }), 422, "reauthentication_not_valid");
    await assertRejected(admit(person.token), 403, NEEDED);
    const again = await mailNonce(person);
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => put(person, { nonce: again, data: { a: 1 } })));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    // A nonce that was mailed to the former address proves nothing after a change of address.
    const former = await mailNonce(person);
    await put(person, { email: "moved@example.com" });
    await assertRejected(put(person, { nonce: former }), 422, "reauthentication_not_valid");
  });

  it("is a factor that was set up before the sign-in, and neither a newer one nor a recovery code", async () => {
    const person = await newPerson(stage);
    const factor = await person.enrolVerified();
    stage.clock.advance(11 * MINUTE_MS);
    person.enterNextStep();
    await person.show(factor);
    await assertRejected(admit(person.token), 403, NEEDED);
    stage.clock.advance(MINUTE_MS);
    person.take(await person.signIn());
    stage.clock.advance(2 * DAY_MS);
    person.enterNextStep();
    await person.show(factor);
    await admit(person.token);
    const { body } = await stage.call("POST", "/factors/recovery-codes", { token: person.token });
    const [code] = (body as { codes: string[] }).codes;
    stage.clock.advance(2 * DAY_MS);
    const used = await stage.call("POST", "/factors/recovery-codes/verify", { token: person.token, body: { code } });
    person.take(used.body as Parameters<Person["take"]>[0]);
    await assertRejected(admit(person.token), 403, NEEDED);
    for (const [method, path] of [
      ["DELETE", `/factors/${factor.id}`],
      ["POST", "/factors/recovery-codes/regenerate"],
      ["DELETE", "/factors/recovery-codes"],
    ] as const) {
      await assertRejected(stage.call(method, path, { token: person.token }), 400, NEEDED);
    }
  });

  it("is not asked of anonymous accounts, and of these only while they are", async () => {
    const { body } = await stage.call("POST", "/signup");
    const { access_token: token, user } = body as { access_token: string; user: { id: string } };
    stage.clock.advance(2 * DAY_MS);
    await admit(token);
    await stage.call("PUT", "/user", { token, body: { email: "upgraded@example.com", password: PASSWORD } });
    // The token still says that the account is anonymous.
    assert.equal(readClaims(token)["is_anonymous"], true);
    await assertRejected(admit(token), 403, NEEDED);
    const change = stage.call("PUT", "/user", { token, body: { password: "of a thief" } });
    await assertRejected(change, 400, NEEDED);
    await stage.call("PUT", "/user", { token, body: { current_password: PASSWORD } });
    await admit(token);
    assert.equal(typeof user.id, "string");
  });

  it("is asked for a new address that the current one does not confirm", async () => {
    const person = await newPerson(stage);
    stage.clock.advance(2 * DAY_MS);
    const ask = (settings: object) =>
      stage.call("PUT", "/user", {
        token: person.token,
        body: { email: "other@example.com" },
        node: { settings: { ...stage.context.settings, authAutoconfirm: false, ...settings } },
      });
    await assertRejected(ask({ authSecureEmailChange: false }), 400, NEEDED);
    assert.equal((await ask({})).status, 200);
  });

  it("is asked of nobody where AUTH_REAUTHENTICATE is off", async () => {
    const person = await newPerson(stage);
    stage.clock.advance(2 * DAY_MS);
    const node = { settings: { ...stage.context.settings, authReauthenticate: false } };
    const body = { password: "another password", nonce: "ignored" };
    assert.equal((await stage.call("PUT", "/user", { token: person.token, body, node })).status, 200);
    assert.deepEqual(await stage.call("DELETE", "/user", { token: person.token, node }), { status: 204 });
  });
});

describe("a change of an account", () => {
  it("writes an audit entry and a mail, to the former address too, and several soon after each other are one mail", async (t) => {
    const stage = await createAuthContext(t, { settings: { authMailIntervalSeconds: 3600 } });
    const person = await newPerson(stage);
    const { context } = stage;
    const address = "192.0.2.7";
    const { principal } = await authenticate(
      context,
      { access: "account", isBearerIgnored: false, needsProof: true },
      { apikey: stage.anonKey, authorization: `Bearer ${person.token}` },
    );
    assert.ok(principal.role === "authenticated");
    const request = {
      principal,
      name: "k",
      scopes: ["read"],
      resources: null,
      expiresAt: null,
      idempotencyKey: null,
      address,
    } as const;
    const { row } = await createUserKey(context, request);
    await sendDueMails(stage);
    const sent = () => stage.mails.filter(({ kind }) => kind === "account_changed");
    const listSent = () => sent().map(({ to, values }) => [to, ...(values.changes ?? []).map(({ action }) => action)]);
    assert.deepEqual(listSent(), [[person.email, "api_key_created"]]);

    await revokeUserKey(context, { id: row.id, userId: person.id, address });
    await regenerateSigningSecret(context, { userId: person.id, sessionId: null, address });
    const factor = await person.enrolVerified();
    await stage.call("DELETE", `/factors/${factor.id}`, { token: person.token });
    await stage.call("PUT", "/user", { token: person.token, body: { password: `${PASSWORD}!` } });
    await stage.call("PUT", "/user", { token: person.token, body: { email: "new@example.com" } });
    await sendDueMails(stage);
    assert.deepEqual(listSent().slice(1), [["new@example.com", "email_changed"]]);
    await stage.database.owner.query("update private.mail_outbox set due_at = now() where ended_at is null");
    await sendDueMails(stage);
    const actions = [
      "api_key_revoked",
      "signing_secret_created",
      "factor_added",
      "factor_removed",
      "password_changed",
      "email_changed",
    ];
    assert.deepEqual(listSent().slice(2), [[person.email, ...actions]]);

    const listEntries = async () => {
      const { rows } = await stage.database.owner.query(
        "select action, coalesce(user_id, deleted_user_id) as owner, user_id is null as is_gone from auth.audit_log_entries order by id",
      );
      return rows.map(({ action, owner, is_gone: isGone }) => [action, owner, isGone]);
    };
    assert.deepEqual(
      await listEntries(),
      ["api_key_created", ...actions].map((action) => [action, person.id, false]),
    );
    await stage.call("DELETE", "/user", { token: person.token });
    assert.deepEqual(await listEntries(), [["account_deleted", person.id, true]]);
    await stage.database.owner.query("update private.mail_outbox set due_at = now() where ended_at is null");
    await sendDueMails(stage);
    assert.deepEqual(listSent().slice(3), [["new@example.com", "account_deleted"]]);
  });
});
