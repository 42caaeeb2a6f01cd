import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import pg from "pg";
import { assertRejected, newPerson, readClaims, type Person } from "./mfa-person.ts";
import { collectClosers } from "./one-time-closers.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import {
  finishSignIn,
  listPasskeys,
  register,
  signInWith,
  startRegistration,
  startSignIn,
  type Started,
} from "./support/passkeys.ts";
import { type Deviation, SoftwareAuthenticator } from "../support/software-authenticator.ts";

const DAY_MS = 86_400_000;
const FAILED = [400, "webauthn_verification_failed"] as const;
const UNKNOWN = [400, "webauthn_challenge_not_found"] as const;

describe("a sign-in with a passkey", () => {
  let stage: TestAuthContext;
  const closers = collectClosers();
  before(async () => {
    stage = await createAuthContext(closers, { settings: { authAccessTokenTtlSeconds: DAY_MS } });
  });
  async function open(step?: number): Promise<{ person: Person; authenticator: SoftwareAuthenticator }> {
    const person = await newPerson(stage);
    const authenticator = new SoftwareAuthenticator(undefined, step);
    await register(person, authenticator);
    return { person, authenticator };
  }

  it("makes a session of level aal1 and names the passkey in amr", async () => {
    const { person, authenticator } = await open();
    const { options, ...begun } = await startSignIn(stage);
    assert.deepEqual(
      [options.rpId, options.allowCredentials, options["userVerification"]],
      ["localhost", [], "required"],
    );
    const tokens = await finishSignIn(stage, begun.challenge_id, authenticator.get(options));
    assert.equal(tokens.user.id, person.id);
    const { aal, amr } = readClaims(tokens.access_token) as { aal: string; amr: { method: string }[] };
    assert.deepEqual([aal, amr.map(({ method }) => method)], ["aal1", ["passkey"]]);
    person.take(tokens);
    assert.ok((await listPasskeys(person))[0]?.last_used_at);
    assert.ok((await person.refresh()).access_token);
  });

  it("is a proof of the owner, and does not replace the second factor", async () => {
    const { person, authenticator } = await open();
    const factor = await person.enrolVerified();
    stage.clock.advance(2 * DAY_MS);
    person.take(await signInWith(stage, authenticator));
    assert.equal(readClaims(person.token)["aal"], "aal1");
    await assertRejected(startRegistration(person), 401, "insufficient_aal");
    await person.show(factor);
    await startRegistration(person);
  });

  it("refuses responses for another page, domain, challenge, type or user, or without a verified user", async () => {
    const { authenticator } = await open();
    const other = await open();
    const deviations: Deviation[] = [
      { origin: "https://evil.example" },
      { origin: "https://localhost" },
      { rpId: "evil.example" },
      { challenge: "AAAA" },
      { type: "webauthn.create" },
      { isVerified: false },
      { isPresent: false },
      { clientData: { crossOrigin: true } },
      { clientData: { topOrigin: "https://evil.example" } },
      { handle: Buffer.from(other.person.id).toString("base64url") },
      { handle: Buffer.from(randomUUID()).toString("base64url") },
      { handle: "AAAA" },
    ];
    for (const deviation of deviations) await assertRejected(signInWith(stage, authenticator, deviation), ...FAILED);
    assert.ok(await signInWith(stage, authenticator));

    const { challenge_id, options } = await startSignIn(stage);
    const response = authenticator.get(options);
    const { signature } = other.authenticator.get(options).response;
    const forged = { ...response, response: { ...response.response, signature } };
    await assertRejected(finishSignIn(stage, challenge_id, forged), ...FAILED);
    const next = await startSignIn(stage);
    const swapped = { ...authenticator.get(next.options), id: other.authenticator.keys[0]?.id };
    await assertRejected(finishSignIn(stage, next.challenge_id, swapped), ...FAILED);
  });

  it("answers the same for an unknown passkey and for a wrong response", async () => {
    const { person, authenticator } = await open();
    const answer = async (deviation: Deviation, id?: string) => {
      const { challenge_id, options } = await startSignIn(stage);
      const response = { ...authenticator.get(options, deviation), ...(id !== undefined && { id, rawId: id }) };
      const { status, message, extra } = await assertRejected(finishSignIn(stage, challenge_id, response), ...FAILED);
      return { status, message, members: extra.members };
    };
    const unknown = await answer({}, randomBytes(32).toString("base64url"));
    assert.deepEqual(await answer({ origin: "https://evil.example" }), unknown);
    assert.deepEqual(await answer({ handle: "AAAA" }), unknown);
    const token = stage.serviceRoleKey;
    await stage.call("PUT", `/admin/users/${person.id}`, { token, body: { ban_duration: "1h" } });
    assert.deepEqual(await answer({ isVerified: false }), unknown);
  });

  it("accepts a challenge once, on any node, within five minutes", async () => {
    const { authenticator } = await open();
    const { challenge_id, options } = await startSignIn(stage);
    const response = authenticator.get(options);
    const pool = new pg.Pool({ connectionString: stage.database.url("sb_service"), max: 2 });
    closers.after(() => pool.end());
    const node = { pool };
    const outcomes = await Promise.allSettled(
      [{}, node, {}, node].map((one) => finishSignIn(stage, challenge_id, response, one)),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    await assertRejected(finishSignIn(stage, challenge_id, response), ...UNKNOWN);
    const next = await startSignIn(stage);
    // One node gives the challenge and another takes it; here the signature is of the earlier challenge.
    await assertRejected(finishSignIn(stage, next.challenge_id, response, node), ...FAILED);
    await assertRejected(finishSignIn(stage, next.challenge_id, authenticator.get(next.options)), ...UNKNOWN);

    const late = await startSignIn(stage);
    stage.clock.advance(300_001);
    const attempt = finishSignIn(stage, late.challenge_id, authenticator.get(late.options));
    await assertRejected(attempt, 400, "webauthn_challenge_expired");
  });

  it("does not take the challenge of a registration", async () => {
    const { person, authenticator } = await open();
    const begun = await startRegistration(person);
    const options = { challenge: begun.options.challenge, rpId: "localhost" };
    await assertRejected(finishSignIn(stage, begun.challenge_id, authenticator.get(options)), ...UNKNOWN);
  });

  it("refuses a counter that goes back or stays, and records it", async () => {
    const { person, authenticator } = await open();
    const copy = authenticator.copy();
    await signInWith(stage, authenticator);
    await signInWith(stage, authenticator);
    await assertRejected(signInWith(stage, copy), ...FAILED);
    await assertRejected(signInWith(stage, copy), ...FAILED);
    await assertRejected(signInWith(stage, authenticator, { counter: 0 }), ...FAILED);
    const { rows } = await stage.database.owner.query(
      "select action, host(ip) as ip from auth.audit_log_entries where user_id = $1 and action <> 'passkey_added'",
      [person.id],
    );
    const entry = { action: "passkey_counter_rejected", ip: "127.0.0.1" };
    assert.deepEqual(rows, [entry, entry, entry]);
    // A counter in a response with a wrong signature says nothing.
    const begun = await startSignIn(stage);
    const forged = new SoftwareAuthenticator();
    forged.create({ challenge: "", rp: { id: "localhost" } }, { id: authenticator.keys[0]?.id ?? "" });
    const handle = Buffer.from(person.id).toString("base64url");
    const response = forged.get(begun.options, { counter: 1, handle });
    await assertRejected(finishSignIn(stage, begun.challenge_id, response), ...FAILED);
    const after = await stage.database.owner.query("select from auth.audit_log_entries where user_id = $1", [
      person.id,
    ]);
    assert.equal(after.rows.length, 4);
    await signInWith(stage, authenticator, { counter: 10 });
  });

  it("accepts authenticators without a counter", async () => {
    const { person, authenticator } = await open(0);
    await signInWith(stage, authenticator);
    assert.equal((await signInWith(stage, authenticator)).user.id, person.id);
  });

  it("refuses users who are banned, not confirmed, or deleted", async () => {
    const { person, authenticator } = await open();
    const token = stage.serviceRoleKey;
    const change = (body: object) => stage.call("PUT", `/admin/users/${person.id}`, { token, body });
    await change({ ban_duration: "1h" });
    await assertRejected(signInWith(stage, authenticator), 400, "user_banned");
    await change({ ban_duration: "none" });
    await stage.database.owner.query("update auth.users set email_confirmed_at = null where id = $1", [person.id]);
    await assertRejected(signInWith(stage, authenticator), 400, "email_not_confirmed");
    await stage.database.owner.query("update auth.users set email_confirmed_at = now() where id = $1", [person.id]);
    await signInWith(stage, authenticator);
    await stage.database.owner.query("update auth.users set deleted_at = now() where id = $1", [person.id]);
    await assertRejected(signInWith(stage, authenticator), ...FAILED);
  });

  it("ends with the proof of an address that another person has signed up with", async () => {
    const { person, authenticator } = await open();
    const body = { type: "recovery", email: person.email };
    const link = await stage.call("POST", "/admin/generate_link", { token: stage.serviceRoleKey, body });
    const { hashed_token: token_hash } = link.body as { hashed_token: string };
    await stage.database.owner.query("update auth.one_time_tokens set is_by_service_role = false");
    await stage.call("POST", "/verify", { body: { type: "recovery", token_hash } });
    await assertRejected(signInWith(stage, authenticator), ...FAILED);
  });

  it("signs an anonymous user in again", async () => {
    const { body } = await stage.call("POST", "/signup", { body: {} });
    const { access_token: token, user } = body as { access_token: string; user: { id: string } };
    const authenticator = new SoftwareAuthenticator();
    const begun = (await stage.call("POST", "/passkeys/registration/options", { token })).body as Started;
    const credential = authenticator.create(begun.options);
    const request = { token, body: { challenge_id: begun.challenge_id, credential } };
    await stage.call("POST", "/passkeys/registration/verify", request);
    assert.equal((await signInWith(stage, authenticator)).user.id, user.id);
  });

  it("refuses bodies that no browser sends", async () => {
    const { authenticator } = await open();
    const { challenge_id, options } = await startSignIn(stage);
    const good = authenticator.get(options);
    for (const credential of [
      null,
      [],
      "x",
      { ...good, id: "" },
      { ...good, rawId: undefined },
      { ...good, response: { ...good.response, signature: "A".repeat(32_769) } },
      { ...good, response: { ...good.response, userHandle: "A".repeat(129) } },
      { ...good, response: { ...good.response, authenticatorData: {} } },
    ])
      await assertRejected(finishSignIn(stage, challenge_id, credential), 400, "validation_failed");
    const withoutHandle = { ...good, response: { ...good.response, userHandle: null } };
    await assertRejected(finishSignIn(stage, challenge_id, withoutHandle), ...FAILED);
    for (const authenticatorData of ["AAAA", Buffer.alloc(37, 255).toString("base64url")]) {
      const begun = await startSignIn(stage);
      const response = { ...good, response: { ...good.response, authenticatorData } };
      await assertRejected(finishSignIn(stage, begun.challenge_id, response), ...FAILED);
    }
  });

  it("is off where browsers have no passkeys", async () => {
    const off = [404, "passkey_disabled"] as const;
    const person = await newPerson(stage);
    for (const node of [
      { baseUrl: "https://127.0.0.1:8443" },
      { baseUrl: "https://[::1]:8443" },
      { baseUrl: "http://app.example.com" },
    ]) {
      const call = (path: string, body: object = {}) => stage.call("POST", path, { token: person.token, body, node });
      await assertRejected(call("/passkeys/authentication/options"), ...off);
      await assertRejected(call("/passkeys/authentication/verify"), ...off);
      await assertRejected(call("/passkeys/registration/options"), ...off);
      await assertRejected(call("/passkeys/registration/verify"), ...off);
      await assertRejected(call("/factors", { factor_type: "webauthn" }), 422, "mfa_webauthn_enroll_not_enabled");
      const { body } = await stage.call("GET", "/settings", { node });
      assert.equal((body as { passkeys_enabled: boolean }).passkeys_enabled, false);
    }
  });
});
