import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openPerson, readClaims, assertRejected, type Shown } from "./mfa-person.ts";

const MINUTE_MS = 60_000;

describe("enrolling a factor", () => {
  it("returns what an authenticator needs and lists the factor as unverified", async (t) => {
    const person = await openPerson(t, { settings: { siteUrl: "https://app.example.com/start" } });
    const { stage, token } = person;
    const body = { factor_type: "totp", friendly_name: " Phone ", issuer: null };
    const answer = await stage.call("POST", "/factors", { token, body });
    const { id, type, friendly_name, totp } = answer.body as Shown;
    assert.deepEqual([answer.status, type, friendly_name], [200, "totp", "Phone"]);
    assert.match(totp.qr_code, /^<svg /);
    assert.match(totp.secret, /^[A-Z2-7]{32}$/);
    const label = `app.example.com:${encodeURIComponent(person.email)}`;
    assert.ok(totp.uri.startsWith(`otpauth://totp/${label}?issuer=app.example.com&secret=${totp.secret}`), totp.uri);
    const user = (await stage.call("GET", "/user", { token })).body as Shown;
    assert.equal(user["factors"].length, 1);
    const [factor] = user["factors"];
    assert.deepEqual(
      [factor.id, factor.status, factor.factor_type, factor.friendly_name],
      [id, "unverified", "totp", "Phone"],
    );
    assert.deepEqual(
      Object.keys(factor).filter((name) => /secret/.test(name)),
      [],
    );
    const { rows } = await stage.context.pool.query("select secret_wrapped from auth.mfa_factors where id = $1", [id]);
    assert.ok(!rows[0].secret_wrapped.toString("latin1").includes(totp.secret));
  });

  it("rejects other types and invalid names", async (t) => {
    const { stage, token } = await openPerson(t);
    const enrol = (body: unknown) => stage.call("POST", "/factors", { token, body });
    await assertRejected(enrol({ factor_type: "phone", phone: "+4912345" }), 422, "mfa_phone_enroll_not_enabled");
    for (const body of [
      {},
      { factor_type: "sms" },
      { factor_type: "totp", friendly_name: "a".repeat(201) },
      { factor_type: "totp", friendly_name: "a\u0007b" },
      { factor_type: "totp", friendly_name: "a\0b" },
      { factor_type: "totp", friendly_name: 5 },
      { factor_type: "totp", issuer: "a".repeat(65) },
      { factor_type: ["totp"] },
    ])
      await assertRejected(enrol(body), 400, "validation_failed");
    await assertRejected(enrol([]), 400, "bad_json");
    await assertRejected(stage.call("POST", "/factors", { body: { factor_type: "totp" } }), 401, "no_authorization");
  });

  it("requires unique names and deletes abandoned enrolments", async (t) => {
    const person = await openPerson(t);
    const first = await person.enrol("Phone");
    await assertRejected(person.enrol("Phone"), 422, "mfa_factor_name_conflict");
    await person.enrol();
    await person.enrol();
    person.stage.clock.advance(5 * MINUTE_MS + 1000);
    const second = await person.enrol("Phone");
    const user = (await person.stage.call("GET", "/user", { token: person.token })).body as Shown;
    assert.deepEqual(
      user["factors"].map((factor: { id: string }) => factor.id),
      [second.id],
    );
    await assertRejected(person.challenge(first.id), 404, "mfa_factor_not_found");
  });

  it("stops at the configured maximum", async (t) => {
    const person = await openPerson(t, { settings: { authMfaFactorsPerUser: 2 } });
    await person.enrol("1");
    await person.enrol("2");
    await assertRejected(person.enrol("3"), 422, "too_many_enrolled_mfa_factors");
    const many = await Promise.allSettled([1, 2, 3].map((n) => person.enrol(`more ${n}`)));
    assert.ok(many.every(({ status }) => status === "rejected"));
  });

  it("requires an aal2 session once there is a verified factor", async (t) => {
    const person = await openPerson(t);
    await person.enrolVerified("Phone");
    const again = await person.signIn();
    await assertRejected(person.enrol("Tablet", again.access_token), 401, "insufficient_aal");
    await person.enrol("Tablet");
  });
});

describe("removing a factor", () => {
  it("needs no second factor while it is unverified", async (t) => {
    const person = await openPerson(t);
    const factor = await person.enrol();
    const answer = await person.stage.call("DELETE", `/factors/${factor.id}`, { token: person.token });
    assert.deepEqual([answer.status, answer.body], [200, { id: factor.id }]);
    const again = person.stage.call("DELETE", `/factors/${factor.id}`, { token: person.token });
    await assertRejected(again, 404, "mfa_factor_not_found");
    await assertRejected(person.stage.call("DELETE", "/factors/x", { token: person.token }), 404, "validation_failed");
  });

  it("requires an aal2 session once it is verified, and downgrades the sessions that used it", async (t) => {
    const person = await openPerson(t);
    const { stage } = person;
    const factor = await person.enrolVerified();
    const low = await person.signIn();
    const remove = (token: string) => stage.call("DELETE", `/factors/${factor.id}`, { token });
    await assertRejected(remove(low.access_token), 401, "insufficient_aal");
    await remove(person.token);
    const claims = readClaims((await person.refresh()).access_token);
    assert.deepEqual(
      [claims["aal"], (claims["amr"] as { method: string }[]).map(({ method }) => method)],
      ["aal1", ["password"]],
    );
    await person.enrol();
  });

  it("rejects an old aal2 token of a downgraded session", async (t) => {
    const person = await openPerson(t);
    const first = await person.enrolVerified("1");
    const second = await person.enrolVerified("2");
    const { token, stage } = person;
    await stage.call("DELETE", `/factors/${second.id}`, { token });
    assert.equal(readClaims(token)["aal"], "aal2");
    await assertRejected(stage.call("DELETE", `/factors/${first.id}`, { token }), 401, "insufficient_aal");
  });
});
