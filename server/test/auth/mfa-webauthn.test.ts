import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { assertRejected, newPerson, type Person, readClaims, type Shown, type Tokens } from "./mfa-person.ts";
import { collectClosers } from "./one-time-closers.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { register, signInWith } from "./support/passkeys.ts";
import { type CeremonyOptions, type Deviation, SoftwareAuthenticator } from "../support/software-authenticator.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WRONG = [422, "mfa_verification_failed"] as const;

interface Challenge {
  readonly id: string;
  readonly type: string;
  readonly expires_at: number;
  readonly webauthn: {
    readonly type: "create" | "request";
    readonly credential_options: { readonly publicKey: CeremonyOptions & { readonly [name: string]: unknown } };
  };
}

describe("a WebAuthn factor", () => {
  let stage: TestAuthContext;
  const closers = collectClosers();
  before(async () => {
    stage = await createAuthContext(closers, { settings: { authAccessTokenTtlSeconds: DAY_MS } });
  });

  async function enrol({ token }: Person, friendly_name = "Key"): Promise<string> {
    const body = { factor_type: "webauthn", friendly_name };
    const answer = (await stage.call("POST", "/factors", { token, body })).body as Shown;
    assert.deepEqual([answer["type"], answer["friendly_name"], answer["totp"]], ["webauthn", friendly_name, undefined]);
    return answer["id"] as string;
  }
  async function challenge({ token }: Person, id: string): Promise<Challenge> {
    const body = { factorId: id, webauthn: { rpId: "elsewhere.example", rpOrigins: ["https://elsewhere.example"] } };
    return (await stage.call("POST", `/factors/${id}/challenge`, { token, body })).body as Challenge;
  }
  async function verify({ token }: Person, id: string, challenge_id: string, webauthn: unknown): Promise<Tokens> {
    const answer = await stage.call("POST", `/factors/${id}/verify`, { token, body: { challenge_id, webauthn } });
    return answer.body as Tokens;
  }
  const respond = ({ webauthn }: Challenge, authenticator: SoftwareAuthenticator, deviation?: Deviation) => {
    const { type, credential_options } = webauthn;
    const credential_response =
      type === "create"
        ? authenticator.create(credential_options.publicKey, deviation)
        : authenticator.get(credential_options.publicKey, deviation);
    return { type, rpId: "localhost", rpOrigins: ["https://localhost:8443"], credential_response };
  };
  async function show(
    person: Person,
    id: string,
    authenticator: SoftwareAuthenticator,
    deviation?: Deviation,
  ): Promise<Tokens> {
    const begun = await challenge(person, id);
    return verify(person, id, begun.id, respond(begun, authenticator, deviation));
  }
  async function open(): Promise<{ person: Person; id: string; authenticator: SoftwareAuthenticator }> {
    const person = await newPerson(stage);
    const authenticator = new SoftwareAuthenticator();
    const id = await enrol(person);
    person.take(await show(person, id, authenticator));
    return { person, id, authenticator };
  }

  it("registers an authenticator, and raises sessions to aal2 with it", async () => {
    const person = await newPerson(stage);
    const authenticator = new SoftwareAuthenticator();
    const id = await enrol(person);
    const first = await challenge(person, id);
    assert.deepEqual([first.type, first.webauthn.type], ["webauthn", "create"]);
    const { rp, user, attestation } = first.webauthn.credential_options.publicKey as Shown;
    // The id of the factor: with that of the user, an authenticator would replace the user's passkey.
    const handle = Buffer.from(id).toString("base64url");
    assert.deepEqual([rp.id, user.id, user.name, attestation], ["localhost", handle, person.email, "none"]);
    // A key that only asks to be touched is enough for a second factor.
    const response = respond(first, authenticator, { isVerified: false });
    const raised = await verify(person, id, first.id, response);
    const { aal, amr } = readClaims(raised.access_token) as { aal: string; amr: { method: string }[] };
    assert.deepEqual([aal, amr.map(({ method }) => method)], ["aal2", ["mfa/webauthn", "password"]]);
    assert.deepEqual(
      raised.user.factors?.map(({ factor_type, status, friendly_name }) => [factor_type, status, friendly_name]),
      [["webauthn", "verified", "Key"]],
    );

    person.take(await person.signIn());
    await assertRejected(stage.call("GET", "/passkeys", { token: person.token }), 401, "insufficient_aal");
    const second = await challenge(person, id);
    assert.equal(second.webauthn.type, "request");
    assert.deepEqual(second.webauthn.credential_options.publicKey.allowCredentials, [
      { id: authenticator.keys[0]?.id, transports: ["internal"], type: "public-key" },
    ]);
    person.take(await verify(person, id, second.id, respond(second, authenticator, { isVerified: false })));
    assert.equal(readClaims(person.token)["aal"], "aal2");
    const answer = await stage.call("DELETE", `/factors/${id}`, { token: person.token });
    assert.deepEqual(answer.body, { id });
    person.take(await person.refresh());
    const claims = readClaims(person.token) as { aal: string; amr: { method: string }[] };
    assert.deepEqual([claims.aal, claims.amr.map(({ method }) => method)], ["aal1", ["password"]]);
    const { rows } = await stage.database.owner.query("select from auth.webauthn_credentials where user_id = $1", [
      person.id,
    ]);
    assert.equal(rows.length, 0);
  });

  it("is not finished with a password alone when its owner has begun a further one", async () => {
    const { person } = await open();
    const spare = await enrol(person, "Spare");
    const begun = await challenge(person, spare);
    person.take(await person.signIn());
    const own = new SoftwareAuthenticator();
    await assertRejected(challenge(person, spare), 401, "insufficient_aal");
    await assertRejected(verify(person, spare, begun.id, respond(begun, own)), 401, "insufficient_aal");
  });

  it("is a proof of the owner where it was set up before the sign-in", async () => {
    const { person, id, authenticator } = await open();
    stage.clock.advance(MINUTE_MS);
    person.take(await person.signIn());
    stage.clock.advance(DAY_MS + 1000);
    person.take(await show(person, id, authenticator));
    await stage.call("POST", "/passkeys/registration/options", { token: person.token });
  });

  it("refuses responses for another page, domain, challenge or type, and counts them", async () => {
    const { person, id, authenticator } = await open();
    const attempts: Deviation[] = [
      { origin: "https://evil.example" },
      { rpId: "evil.example" },
      { challenge: "AAAA" },
      { type: "webauthn.create" },
      { isPresent: false },
      { clientData: { crossOrigin: true } },
    ];
    const begun = await challenge(person, id);
    const error = await assertRejected(
      verify(person, id, begun.id, respond(begun, authenticator, attempts[0])),
      ...WRONG,
    );
    assert.match(error.message, /authenticator/);
    for (const deviation of attempts.slice(1, 5))
      await assertRejected(verify(person, id, begun.id, respond(begun, authenticator, deviation)), ...WRONG);
    // Five per challenge, as of wrong codes, and ten per factor.
    const sixth = verify(person, id, begun.id, respond(begun, authenticator));
    await assertRejected(sixth, 422, "mfa_challenge_expired");
    for (let n = 0; n < 5; n += 1) await assertRejected(show(person, id, authenticator, attempts[5]), ...WRONG);
    await assertRejected(show(person, id, authenticator), 429, "over_request_rate_limit");
    stage.clock.advance(11 * MINUTE_MS);
    await show(person, id, authenticator);
  });

  it("accepts a challenge once, within five minutes, and from the address that asked for it", async () => {
    const { person, id, authenticator } = await open();
    const begun = await challenge(person, id);
    const response = respond(begun, authenticator);
    const elsewhere = stage.call("POST", `/factors/${id}/verify`, {
      token: person.token,
      body: { challenge_id: begun.id, webauthn: response },
      address: "192.0.2.1",
    });
    await assertRejected(elsewhere, 422, "mfa_ip_address_mismatch");
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => verify(person, id, begun.id, response)));
    const [won] = outcomes.filter((outcome) => outcome.status === "fulfilled");
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    person.take(won?.value as Tokens);
    await assertRejected(verify(person, id, begun.id, response), 422, "mfa_challenge_expired");
    const next = await challenge(person, id);
    await assertRejected(verify(person, id, next.id, response), ...WRONG);
    stage.clock.advance(5 * MINUTE_MS + 1);
    await assertRejected(verify(person, id, next.id, respond(next, authenticator)), 422, "mfa_challenge_expired");
  });

  it("refuses the factor, the passkey and the authenticator of another user", async () => {
    const owner = await open();
    const thief = await open();
    const begun = await challenge(thief.person, thief.id);
    await assertRejected(challenge(thief.person, owner.id), 404, "mfa_factor_not_found");
    const stolen = verify(thief.person, owner.id, begun.id, respond(begun, thief.authenticator));
    await assertRejected(stolen, 404, "mfa_factor_not_found");
    const id = owner.authenticator.keys[0]?.id ?? "";
    await assertRejected(
      verify(thief.person, thief.id, begun.id, respond(begun, owner.authenticator, { id })),
      ...WRONG,
    );
    const passkey = new SoftwareAuthenticator();
    await register(owner.person, passkey);
    const passkeyId = passkey.keys[0]?.id ?? "";
    const withPasskey = respond(begun, passkey, { id: passkeyId });
    await assertRejected(verify(thief.person, thief.id, begun.id, withPasskey), ...WRONG);
    const own = await challenge(owner.person, owner.id);
    const ownPasskey = respond(own, passkey, { id: passkeyId });
    await assertRejected(verify(owner.person, owner.id, own.id, ownPasskey), ...WRONG);

    const third = await newPerson(stage);
    const factor = await enrol(third);
    const taken = show(third, factor, new SoftwareAuthenticator(), { id });
    await assertRejected(taken, 422, "webauthn_credential_exists");
  });

  it("does not sign in", async () => {
    const { person, authenticator } = await open();
    const handle = Buffer.from(person.id).toString("base64url");
    await assertRejected(signInWith(stage, authenticator), 400, "webauthn_verification_failed");
    await assertRejected(signInWith(stage, authenticator, { handle }), 400, "webauthn_verification_failed");
    const { rows } = await stage.database.owner.query<{ id: string }>(
      "select id from auth.webauthn_credentials where user_id = $1",
      [person.id],
    );
    const removed = stage.call("DELETE", `/passkeys/${rows[0]?.id}`, { token: person.token });
    await assertRejected(removed, 404, "webauthn_credential_not_found");
  });

  it("refuses a counter that goes back, and records it", async () => {
    const { person, id, authenticator } = await open();
    const copy = authenticator.copy();
    person.take(await show(person, id, authenticator));
    await assertRejected(show(person, id, copy), ...WRONG);
    const { rows } = await stage.database.owner.query(
      "select action from auth.audit_log_entries where user_id = $1 order by created_at, id",
      [person.id],
    );
    assert.deepEqual(rows, [{ action: "factor_added" }, { action: "passkey_counter_rejected" }]);
  });

  it("is beside an authenticator app a second factor of its own", async () => {
    const { person, id, authenticator } = await open();
    const app = await person.enrolVerified("App");
    person.take(await person.signIn());
    stage.clock.advance(MINUTE_MS);
    await person.show(app);
    assert.equal(readClaims(person.token)["aal"], "aal2");
    person.take(await person.signIn());
    person.take(await show(person, id, authenticator));
    await assertRejected(person.verify(id, (await challenge(person, id)).id, "123456"), 400, "validation_failed");
    const code = await person.challenge(app.id);
    const { webauthn } = await challenge(person, id);
    const response = respond({ webauthn } as Challenge, authenticator);
    await assertRejected(verify(person, app.id, code, response), 400, "validation_failed");
    const excluded = (await challenge(person, await enrol(person, "Another"))).webauthn.credential_options.publicKey;
    assert.throws(() => authenticator.create(excluded), { name: "InvalidStateError" });
  });

  it("refuses bodies of another kind, and is off where browsers have no WebAuthn", async () => {
    const { person, id, authenticator } = await open();
    const begun = await challenge(person, id);
    const good = respond(begun, authenticator);
    for (const webauthn of [
      undefined,
      {},
      { ...good, type: "create" },
      { ...good, credential_response: null },
      { type: "create", credential_response: new SoftwareAuthenticator().create({ challenge: "AAAA" }) },
    ])
      await assertRejected(verify(person, id, begun.id, webauthn), 400, "validation_failed");
    const node = { baseUrl: "https://127.0.0.1" };
    const off = [422, "mfa_webauthn_verify_not_enabled"] as const;
    const { token } = person;
    await assertRejected(stage.call("POST", `/factors/${id}/challenge`, { token, node }), ...off);
    const body = { challenge_id: begun.id, webauthn: good };
    await assertRejected(stage.call("POST", `/factors/${id}/verify`, { token, body, node }), ...off);
  });
});
