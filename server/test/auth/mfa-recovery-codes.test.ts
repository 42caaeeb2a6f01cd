import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertRejected, openPerson, type Person, readClaims, type Shown, type Tokens } from "./mfa-person.ts";

const MINUTE_MS = 60_000;
const PATH = "/factors/recovery-codes";

async function generate({ stage, token }: Person, body: Shown = {}): Promise<Shown & { codes: string[] }> {
  const answer = await stage.call("POST", PATH, { token, body });
  assert.equal(answer.status, 200);
  return answer.body as Shown & { codes: string[] };
}

const verify = ({ stage }: Person, token: string, code: string): Promise<Tokens> =>
  stage.call("POST", `${PATH}/verify`, { token, body: { code } }).then(({ body }) => body as Tokens);

async function readStatus({ stage }: Person, token: string): Promise<Shown> {
  return (await stage.call("GET", PATH, { token })).body as Shown;
}

async function readAudit({ stage, id }: Person): Promise<unknown[]> {
  const { rows } = await stage.database.owner.query<{ action: string }>(
    "select action from auth.audit_log_entries where user_id = $1 order by created_at, id",
    [id],
  );
  return rows.map(({ action }) => action);
}

describe("recovery codes", () => {
  it("are shown once, stored as hashes, and each raises one session to aal2 once", async (t) => {
    const person = await openPerson(t);
    const { stage } = person;
    await person.enrolVerified("Phone");
    const { id, codes, ...shown } = await generate(person);
    assert.deepEqual(shown, { type: "recovery_code", friendly_name: "Recovery codes", total: 10 });
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) assert.match(code, /^[2-9a-hj-km-np-z]{16}$/);
    const { rows } = await stage.database.owner.query(
      "select row_to_json(c)::text || row_to_json(f)::text as text from auth.mfa_recovery_codes c, auth.mfa_factors f",
    );
    const stored = JSON.stringify(rows);
    for (const code of codes) {
      assert.ok(!stored.includes(code));
      assert.ok(!stored.includes(Buffer.from(code).toString("hex")));
    }

    const [first = "", second = ""] = codes;
    const elsewhere = await person.signIn();
    const { access_token: token } = await person.signIn();
    assert.deepEqual(await readStatus(person, person.token), { id, type: "recovery_code", total: 10, remaining: 10 });
    const typed = ` ${first.toUpperCase().replace(/.{4}(?=.)/g, "$&-")}\n`;
    const raised = await verify(person, token, typed);
    const claims = readClaims(raised.access_token);
    assert.equal(claims["aal"], "aal2");
    assert.deepEqual(
      (claims["amr"] as { method: string }[]).map(({ method }) => method),
      ["mfa/recovery_code", "password"],
    );
    assert.deepEqual(
      raised.user.factors?.map(({ factor_type, status }) => [factor_type, status]),
      [
        ["totp", "verified"],
        ["recovery_code", "verified"],
      ],
    );
    await assertRejected(stage.call("GET", "/user", { token: elsewhere.access_token }), 401, "session_not_found");
    assert.equal((await readStatus(person, raised.access_token))["remaining"], 9);

    const { access_token: later } = await person.signIn();
    await assertRejected(verify(person, later, first), 422, "mfa_verification_failed");
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => verify(person, later, second)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    const actions = await readAudit(person);
    assert.deepEqual(actions.slice(0, 4), [
      "factor_added",
      "recovery_codes_generated",
      "recovery_code_used",
      "recovery_code_rejected",
    ]);
    assert.equal(actions.filter((action) => action === "recovery_code_used").length, 2);
  });

  it("need another verified factor and aal2, and exist once for each user", async (t) => {
    const person = await openPerson(t);
    const { stage } = person;
    await assertRejected(generate(person), 422, "mfa_recovery_codes_sole_factor");
    for (const [method, path] of [
      ["GET", PATH],
      ["DELETE", PATH],
      ["POST", `${PATH}/regenerate`],
      ["POST", `${PATH}/verify`],
    ] as const)
      await assertRejected(stage.call(method, path, { token: person.token }), 404, "mfa_factor_not_found");
    const factor = await person.enrolVerified("Phone");
    await assertRejected(generate(person, { friendly_name: "Phone" }), 422, "mfa_factor_name_conflict");
    const { id, codes } = await generate(person, { friendly_name: "In the safe" });
    await assertRejected(generate(person), 422, "mfa_verified_factor_exists");

    const { access_token: token } = await person.signIn();
    await assertRejected(stage.call("POST", PATH, { token }), 401, "insufficient_aal");
    await assertRejected(stage.call("POST", `${PATH}/regenerate`, { token }), 401, "insufficient_aal");
    await assertRejected(stage.call("DELETE", PATH, { token }), 401, "insufficient_aal");
    await assertRejected(stage.call("DELETE", `/factors/${id}`, { token }), 401, "insufficient_aal");
    await assertRejected(person.challenge(id), 400, "validation_failed");

    const again = (await stage.call("POST", `${PATH}/regenerate`, { token: person.token })).body as Shown;
    assert.deepEqual([again["id"], again["friendly_name"], again["total"]], [id, "In the safe", 10]);
    await assertRejected(verify(person, token, codes[0]!), 422, "mfa_verification_failed");
    const raised = await verify(person, token, again["codes"][0]);

    // With the last other factor they are removed, and no session stays raised.
    await stage.call("DELETE", `/factors/${factor.id}`, { token: raised.access_token });
    await assertRejected(readStatus(person, raised.access_token), 404, "mfa_factor_not_found");
    const levels = await stage.database.owner.query("select distinct aal, requires_aal2 from auth.sessions");
    assert.deepEqual(levels.rows, [{ aal: "aal1", requires_aal2: false }]);
  });

  it("are locked after ten wrong codes for five minutes, or until they are regenerated", async (t) => {
    const person = await openPerson(t);
    const { stage } = person;
    await person.enrolVerified();
    const { codes } = await generate(person);
    const { access_token: token } = await person.signIn();
    const guessTenTimes = async (): Promise<void> => {
      for (let n = 0; n < 10; n += 1)
        await assertRejected(verify(person, token, `guess ${n}`), 422, "mfa_verification_failed");
      const error = await assertRejected(verify(person, token, codes[0]!), 429, "mfa_recovery_codes_locked");
      assert.equal(error.extra.retryAfterSeconds, 300);
    };
    await guessTenTimes();
    stage.clock.advance(5 * MINUTE_MS + 1);
    await guessTenTimes();
    const again = (await stage.call("POST", `${PATH}/regenerate`, { token: person.token })).body as Shown;
    await verify(person, token, again["codes"][9]);
  });

  it("are removed on request, and with a deleted account", async (t) => {
    const person = await openPerson(t);
    const { stage } = person;
    await person.enrolVerified();
    const { id } = await generate(person);
    const removed = await stage.call("DELETE", PATH, { token: person.token });
    assert.deepEqual(removed.body, { id });
    await generate(person);
    for (const should_soft_delete of [true, false]) {
      const body = { should_soft_delete };
      await stage.call("DELETE", `/admin/users/${person.id}`, { token: stage.serviceRoleKey, body });
      const { rows } = await stage.database.owner.query(
        "select (select count(*) from auth.mfa_recovery_codes) + (select count(*) from auth.audit_log_entries) as left",
      );
      assert.deepEqual(rows, [{ left: "0" }]);
    }
  });
});
