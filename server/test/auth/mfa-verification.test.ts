import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { newPerson, openPerson, PASSWORD, readClaims, assertRejected, type Shown } from "./mfa-person.ts";

const MINUTE_MS = 60_000;

describe("verifying a code", () => {
  it("raises the session to aal2 and ends the user's aal1 sessions", async (t) => {
    const person = await openPerson(t);
    const { stage } = person;
    const before = { token: person.token, refreshToken: person.refreshToken };
    const elsewhere = await person.signIn();
    const factor = await person.enrol("Phone");
    assert.deepEqual([readClaims(person.token)["aal"]], ["aal1"]);
    const unfinished = await person.enrol("Given up");
    stage.clock.advance(2000);
    const tokens = await person.show(factor);

    const claims = readClaims(tokens.access_token);
    assert.equal(claims["aal"], "aal2");
    const amr = claims["amr"] as { method: string; timestamp: number }[];
    assert.deepEqual(
      amr.map(({ method }) => method),
      ["totp", "password"],
    );
    assert.ok(amr[0]!.timestamp >= amr[1]!.timestamp);
    assert.equal(claims["session_id"], readClaims(before.token)["session_id"]);
    assert.deepEqual(
      tokens.user.factors?.map(({ id, status }) => [id, status]),
      [[factor.id, "verified"]],
    );
    await assertRejected(person.challenge(unfinished.id), 404, "mfa_factor_not_found");

    await assertRejected(stage.call("GET", "/user", { token: elsewhere.access_token }), 401, "session_not_found");
    await assertRejected(person.refresh(elsewhere.refresh_token), 400, "refresh_token_not_found");
    assert.equal(readClaims((await person.refresh()).access_token)["aal"], "aal2");
  });

  it("invalidates the refresh tokens of the aal1 session", async (t) => {
    const person = await openPerson(t);
    const old = person.refreshToken;
    await person.enrolVerified();
    await assertRejected(person.refresh(old), 400, "refresh_token_not_found");
    // After a refresh, older tokens count as repeated requests for a while; tokens of the aal1 session must not.
    await person.refresh();
    await assertRejected(person.refresh(old), 400, "refresh_token_not_found");
    assert.equal(readClaims((await person.refresh()).access_token)["aal"], "aal2", "whoever keeps them ends nothing");
  });

  it("raises a second sign-in with the same factor, and leaves the first one alone", async (t) => {
    const person = await openPerson(t);
    const factor = await person.enrolVerified();
    const first = person.token;
    person.stage.clock.advance(MINUTE_MS);
    person.take(await person.signIn());
    assert.equal(readClaims(person.token)["aal"], "aal1");
    const tokens = await person.show(factor);
    assert.equal(readClaims(tokens.access_token)["aal"], "aal2");
    assert.equal((await person.stage.call("GET", "/user", { token: first })).status, 200);
  });

  it("accepts a code of the neighbouring steps, with spaces", async (t) => {
    for (const steps of [-1, 1]) {
      const person = await openPerson(t);
      person.enterNextStep();
      const factor = await person.enrol();
      const code = person.code(factor, steps).replace(/(...)(...)/, " $1 $2 ");
      await person.verify(factor.id, await person.challenge(factor.id), code);
    }
  });

  it("accepts each code once, also in another challenge", async (t) => {
    const person = await openPerson(t);
    const factor = await person.enrol();
    const code = person.code(factor);
    person.take(await person.verify(factor.id, await person.challenge(factor.id), code));
    const replay = person.verify(factor.id, await person.challenge(factor.id), code);
    await assertRejected(replay, 422, "mfa_verification_failed");
    const older = person.verify(factor.id, await person.challenge(factor.id), person.code(factor, -1));
    await assertRejected(older, 422, "mfa_verification_failed");
    await person.verify(factor.id, await person.challenge(factor.id), person.code(factor, 1));
  });

  it("accepts one of many concurrent requests", async (t) => {
    const person = await openPerson(t);
    const factor = await person.enrolVerified();
    person.stage.clock.advance(MINUTE_MS);
    const code = person.code(factor);
    const challenges: string[] = [];
    for (let n = 0; n < 8; n += 1) challenges.push(await person.challenge(factor.id));
    const outcomes = await Promise.allSettled(challenges.map((id) => person.verify(factor.id, id, code)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected")
        await assertRejected(Promise.reject(outcome.reason as Error), 422, "mfa_verification_failed");
  });

  it("accepts one of many concurrent requests with one challenge", async (t) => {
    const person = await openPerson(t);
    const factor = await person.enrol();
    const challenge = await person.challenge(factor.id);
    const codes = [-1, 0, 1].map((steps) => person.code(factor, steps));
    const outcomes = await Promise.allSettled(codes.map((code) => person.verify(factor.id, challenge, code)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  });

  it("handles two sessions that verify two factors concurrently", async (t) => {
    const person = await openPerson(t);
    const first = await person.enrolVerified("1");
    const second = await person.enrolVerified("2");
    person.stage.clock.advance(MINUTE_MS);
    const [one, other] = [await person.signIn(), await person.signIn()];
    const [challenge1, challenge2] = [
      await person.challenge(first.id, one.access_token),
      await person.challenge(second.id, other.access_token),
    ];
    const outcomes = await Promise.allSettled([
      person.verify(first.id, challenge1, person.code(first), one.access_token),
      person.verify(second.id, challenge2, person.code(second), other.access_token),
    ]);
    const won = outcomes.filter(({ status }) => status === "fulfilled");
    assert.equal(won.length, 1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected")
        await assertRejected(Promise.reject(outcome.reason as Error), 401, "session_not_found");
  });

  it("is serialised with a concurrent sign-out", async (t) => {
    const person = await openPerson(t);
    const { stage } = person;
    const factor = await person.enrolVerified();
    for (let round = 0; round < 8; round += 1) {
      stage.clock.advance(MINUTE_MS);
      const elsewhere = [await person.signIn(), await person.signIn(), await person.signIn(), await person.signIn()];
      const { access_token: token } = await person.signIn();
      const challenge = await person.challenge(factor.id, token);
      const query = { scope: "global" };
      const [shown, signedOut] = await Promise.allSettled([
        person.verify(factor.id, challenge, person.code(factor), token),
        stage.call("POST", "/logout", { token: elsewhere[1]!.access_token, query }),
      ]);
      for (const outcome of [shown, signedOut])
        if (outcome.status === "rejected")
          await assertRejected(Promise.reject(outcome.reason as Error), 401, "session_not_found");
    }
  });

  it("rejects wrong codes and ends a challenge after five of them", async (t) => {
    const person = await openPerson(t);
    const factor = await person.enrol();
    const challenge = await person.challenge(factor.id);
    const texts = [person.wrongCode(factor), "12345", "1234567", "abcdef", "١٢٣٤٥٦"];
    for (const code of texts)
      await assertRejected(person.verify(factor.id, challenge, code), 422, "mfa_verification_failed");
    await assertRejected(person.verify(factor.id, challenge, person.code(factor)), 422, "mfa_challenge_expired");
    await person.show(factor);
  });

  it("allows no more guesses with more challenges", async (t) => {
    const person = await openPerson(t);
    const factor = await person.enrol();
    for (let round = 0; round < 2; round += 1) {
      const challenge = await person.challenge(factor.id);
      for (let n = 0; n < 5; n += 1)
        await assertRejected(
          person.verify(factor.id, challenge, person.wrongCode(factor)),
          422,
          "mfa_verification_failed",
        );
    }
    const error = await assertRejected(
      person.verify(factor.id, await person.challenge(factor.id), person.code(factor)),
      429,
      "over_request_rate_limit",
    );
    assert.equal(error.extra.retryAfterSeconds, 300);
    person.stage.clock.advance(10 * MINUTE_MS + 1000);
    await person.show(factor);
  });

  it("requires an open challenge of this factor from this address", async (t) => {
    const person = await openPerson(t);
    const { stage, token } = person;
    const [factor, other] = [await person.enrol("1"), await person.enrol("2")];
    const code = person.code(factor);
    await assertRejected(person.verify(factor.id, randomUUID(), code), 404, "mfa_factor_not_found");
    await assertRejected(person.verify(factor.id, await person.challenge(other.id), code), 404, "mfa_factor_not_found");
    await assertRejected(person.verify(factor.id, "x", code), 400, "validation_failed");
    await assertRejected(person.verify(factor.id, await person.challenge(factor.id), " "), 400, "validation_failed");
    await assertRejected(person.verify(randomUUID(), randomUUID(), code), 404, "mfa_factor_not_found");
    await assertRejected(person.verify("x", randomUUID(), code), 404, "validation_failed");

    const challenge_id = await person.challenge(factor.id);
    const moved = { token, address: "192.0.2.7", body: { challenge_id, code } };
    await assertRejected(stage.call("POST", `/factors/${factor.id}/verify`, moved), 422, "mfa_ip_address_mismatch");

    stage.clock.advance(300_000);
    await assertRejected(person.verify(factor.id, challenge_id, person.code(factor)), 422, "mfa_challenge_expired");
    const used = await person.challenge(factor.id);
    person.take(await person.verify(factor.id, used, person.code(factor)));
    await assertRejected(person.verify(factor.id, used, person.code(factor, 1)), 422, "mfa_challenge_expired");
  });

  it("returns the expiry of a challenge and deletes old ones", async (t) => {
    const person = await openPerson(t);
    const { stage, token } = person;
    const factor = await person.enrolVerified();
    const path = `/factors/${factor.id}/challenge`;
    const answer = await stage.call("POST", path, { token });
    const { id, type, expires_at } = answer.body as Shown;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.equal(type, "totp");
    assert.ok(Math.abs(expires_at - (stage.clock.now().getTime() / 1000 + 300)) < 60);
    stage.clock.advance(11 * MINUTE_MS);
    await stage.call("POST", path, { token });
    const { rows } = await stage.context.pool.query("select count(*)::int as count from auth.mfa_challenges");
    assert.equal(rows[0].count, 1);
  });

  it("rejects factors of other users", async (t) => {
    const person = await openPerson(t);
    const stranger = await newPerson(person.stage);
    const factor = await person.enrol();
    const challenge = await person.challenge(factor.id);
    await assertRejected(stranger.challenge(factor.id), 404, "mfa_factor_not_found");
    const verified = stranger.verify(factor.id, challenge, person.code(factor));
    await assertRejected(verified, 404, "mfa_factor_not_found");
    const removed = person.stage.call("DELETE", `/factors/${factor.id}`, { token: stranger.token });
    await assertRejected(removed, 404, "mfa_factor_not_found");
  });
});

describe("an aal1 session of a user with a verified factor", () => {
  it("may only read the user, verify factors, refresh, and end itself", async (t) => {
    const person = await openPerson(t, { settings: { authMfaEnforce: false } });
    const { stage } = person;
    const factor = await person.enrolVerified();
    const low = await person.signIn();
    const token = low.access_token;
    const own = readClaims(person.token)["session_id"];
    const rejected: readonly [Parameters<typeof stage.call>[0], string, unknown?][] = [
      ["PUT", "/user", { password: `${PASSWORD}!` }],
      ["PUT", "/user", { data: { a: 1 } }],
      ["DELETE", "/user"],
      ["GET", "/reauthenticate"],
      ["GET", "/sessions"],
      ["DELETE", `/sessions/${String(own)}`],
      ["POST", "/factors", { factor_type: "totp" }],
      ["DELETE", `/factors/${factor.id}`],
      ["GET", "/factors/recovery-codes"],
      ["POST", "/factors/recovery-codes"],
    ];
    for (const [method, path, body] of rejected) {
      await assertRejected(stage.call(method, path, { token, body }), 401, "insufficient_aal");
    }
    const signOut = (scope: string) => stage.call("POST", "/logout", { token, query: { scope } });
    await assertRejected(signOut("others"), 403, "insufficient_aal");
    assert.equal((await stage.call("GET", "/user", { token })).status, 200);
    person.enterNextStep();
    await person.challenge(factor.id, token);
    await person.refresh(low.refresh_token);
    assert.equal((await signOut("global")).status, 204);
    await assertRejected(stage.call("GET", "/user", { token }), 401, "session_not_found");
    assert.equal((await stage.call("GET", "/user", { token: person.token })).status, 200);
  });
});
