import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { assertRejected, newPerson, type Person } from "./mfa-person.ts";
import { collectClosers } from "./one-time-closers.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { finishRegistration, listPasskeys, register, signInWith, startRegistration } from "./support/passkeys.ts";
import { sendDueMails } from "./support/send-due-mails.ts";
import {
  type Deviation,
  type Encodable,
  encodeCbor,
  SoftwareAuthenticator,
} from "../support/software-authenticator.ts";

const DAY_MS = 86_400_000;
const FAILED = [400, "webauthn_verification_failed"] as const;

describe("passkeys of an account", () => {
  let stage: TestAuthContext;
  const closers = collectClosers();
  before(async () => {
    stage = await createAuthContext(closers, { settings: { authAccessTokenTtlSeconds: DAY_MS } });
  });
  const remove = ({ token }: Person, id: string) => stage.call("DELETE", `/passkeys/${id}`, { token });
  const rename = ({ token }: Person, id: string, friendly_name: unknown) =>
    stage.call("PATCH", `/passkeys/${id}`, { token, body: { friendly_name } });
  const readActions = async (userId: string): Promise<string[]> => {
    const { rows } = await stage.database.owner.query<{ action: string }>(
      "select action from auth.audit_log_entries where user_id = $1 order by created_at, id",
      [userId],
    );
    return rows.map(({ action }) => action);
  };

  it("are registered, listed, renamed and removed, and the owner is told by mail", async () => {
    const person = await newPerson(stage);
    const authenticator = new SoftwareAuthenticator();
    const { challenge_id, options, expires_at } = await startRegistration(person);
    assert.ok(Math.abs(expires_at - stage.clock.now().getTime() / 1000 - 300) < 60);
    assert.deepEqual(options["rp"], { id: "localhost", name: "localhost" });
    const userId = Buffer.from(person.id).toString("base64url");
    assert.deepEqual(options.user, { id: userId, name: person.email, displayName: person.email });
    assert.deepEqual(
      [options["attestation"], options["authenticatorSelection"]],
      ["none", { residentKey: "required", requireResidentKey: true, userVerification: "required" }],
    );
    const { id, ...shown } = await finishRegistration(person, challenge_id, authenticator.create(options));
    assert.equal(JSON.stringify(shown), JSON.stringify({ created_at: shown.created_at }));
    assert.deepEqual(JSON.parse(JSON.stringify(await listPasskeys(person))), [
      { id, created_at: new Date(shown.created_at).toISOString() },
    ]);
    const second = await startRegistration(person);
    assert.throws(() => authenticator.create(second.options), { name: "InvalidStateError" });

    const renamed = (await rename(person, id, " My laptop ")).body as { friendly_name: string };
    assert.equal(renamed.friendly_name, "My laptop");
    for (const name of ["", "  ", "a".repeat(121), "a\u0007b", 5])
      await assertRejected(rename(person, id, name), 400, "validation_failed");
    const stranger = await newPerson(stage);
    const unknown = [404, "webauthn_credential_not_found"] as const;
    await assertRejected(rename(stranger, id, "Mine"), ...unknown);
    await assertRejected(remove(stranger, id), ...unknown);
    await assertRejected(remove(person, randomUUID()), ...unknown);
    await assertRejected(remove(person, "x"), 404, "validation_failed");
    assert.equal((await remove(person, id)).status, 204);
    assert.deepEqual(await listPasskeys(person), []);
    await assertRejected(signInWith(stage, authenticator), ...FAILED);
    assert.deepEqual(await readActions(person.id), ["passkey_added", "passkey_removed"]);
    await sendDueMails(stage);
    const sent = stage.mails.filter(({ to }) => to === person.email).flatMap(({ values }) => values.changes ?? []);
    assert.deepEqual(
      sent.map(({ action }) => action),
      ["passkey_added", "passkey_removed"],
    );
  });

  it("refuse responses for another page, domain, challenge, type, or without a verified user", async () => {
    const person = await newPerson(stage);
    const deviations: Deviation[] = [
      { origin: "https://evil.example" },
      { origin: "http://localhost:8443" },
      { origin: "https://localhost:8444" },
      { rpId: "evil.example" },
      { challenge: "AAAA" },
      { type: "webauthn.get" },
      { isVerified: false },
      { isPresent: false },
      { clientData: { crossOrigin: true } },
      { clientData: { topOrigin: "https://evil.example" } },
      { clientData: { challenge: 5 } },
      { statement: ["none", new Map()], clientData: { origin: ["https://localhost:8443"] } },
    ];
    for (const deviation of deviations) {
      await assertRejected(register(person, new SoftwareAuthenticator(), deviation), ...FAILED);
    }
    assert.deepEqual(await listPasskeys(person), []);
  });

  it("accept a challenge once, within five minutes, from the user who asked for it", async () => {
    const person = await newPerson(stage);
    const thief = await newPerson(stage);
    const authenticator = new SoftwareAuthenticator();
    const begun = await startRegistration(person);
    const response = authenticator.create(begun.options);
    const unknown = [400, "webauthn_challenge_not_found"] as const;
    await assertRejected(finishRegistration(thief, begun.challenge_id, response), ...unknown);
    await assertRejected(finishRegistration(person, randomUUID(), response), ...unknown);
    // Also a wrong response uses it up.
    await assertRejected(finishRegistration(person, begun.challenge_id, { ...response, rawId: "AAAA" }), ...FAILED);
    await assertRejected(finishRegistration(person, begun.challenge_id, response), ...unknown);
    const signIn = (await stage.call("POST", "/passkeys/authentication/options")).body as typeof begun;
    const forSignIn = authenticator.create(signIn.options, { rpId: "localhost" });
    await assertRejected(finishRegistration(person, signIn.challenge_id, forSignIn), ...unknown);

    const late = await startRegistration(person);
    stage.clock.advance(300_001);
    const lateResponse = new SoftwareAuthenticator().create(late.options);
    const attempt = finishRegistration(person, late.challenge_id, lateResponse);
    await assertRejected(attempt, 400, "webauthn_challenge_expired");
  });

  it("ignore statements about the authenticator, and open no address that one names", async () => {
    const person = await newPerson(stage);
    const certificates = new Map<string, Encodable>([
      ["alg", -7],
      ["sig", Buffer.alloc(70)],
      ["x5c", [Buffer.alloc(200)]],
    ]);
    const passkey = await register(person, new SoftwareAuthenticator(), { statement: ["packed", certificates] });
    assert.deepEqual(
      (await listPasskeys(person)).map(({ id }) => id),
      [passkey.id],
    );
  });

  it("refuse bodies that no browser sends", async () => {
    const person = await newPerson(stage);
    const { options } = await startRegistration(person);
    const good = new SoftwareAuthenticator().create(options);
    const verify = async (change: object) => {
      const { challenge_id } = await startRegistration(person);
      return finishRegistration(person, challenge_id, { ...good, ...change });
    };
    for (const change of [
      { id: undefined },
      { id: "not base64url!" },
      { id: "A".repeat(1365) },
      { type: "password" },
      { response: null },
      { response: { ...good.response, clientDataJSON: "A".repeat(32_769) } },
      { response: { ...good.response, attestationObject: 5 } },
      { response: { ...good.response, transports: Array.from({ length: 17 }, () => "usb") } },
    ])
      await assertRejected(verify(change), 400, "validation_failed");
    const { challenge_id } = await startRegistration(person);
    await assertRejected(finishRegistration(person, "x", good), 400, "validation_failed");
    await assertRejected(finishRegistration(person, challenge_id, [good]), 400, "validation_failed");

    // Well-formed, but not what it should contain.
    const nested = Buffer.concat([Buffer.alloc(24_000, 0x81), Buffer.from([0])]);
    const huge = Buffer.from([0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    for (const attestation of [Buffer.from([0]), nested, huge, encodeCbor(new Map([["fmt", "none"]]))]) {
      const attestationObject = attestation.toString("base64url");
      await assertRejected(verify({ response: { ...good.response, attestationObject } }), ...FAILED);
    }
    for (const text of ["", "null", "[]", "{", '{"type":"webauthn.create"}']) {
      const clientDataJSON = Buffer.from(text || " ").toString("base64url");
      await assertRejected(verify({ response: { ...good.response, clientDataJSON } }), ...FAILED);
    }
  });

  it("belong to one account each", async () => {
    const owner = await newPerson(stage);
    const thief = await newPerson(stage);
    const authenticator = new SoftwareAuthenticator();
    await register(owner, authenticator);
    const id = authenticator.keys[0]?.id ?? "";
    const taken = register(thief, new SoftwareAuthenticator(), { id });
    await assertRejected(taken, 422, "webauthn_credential_exists");
    assert.equal((await signInWith(stage, authenticator)).user.id, owner.id);
  });

  it("stop at the configured maximum, also for concurrent registrations", async () => {
    const person = await newPerson(stage);
    const settings = { ...stage.context.settings, authPasskeysPerUser: 2 };
    const begun = [];
    for (let n = 0; n < 4; n += 1) begun.push(await startRegistration(person));
    const finished = await Promise.allSettled(
      begun.map(({ challenge_id, options }) =>
        finishRegistration(person, challenge_id, new SoftwareAuthenticator().create(options), { settings }),
      ),
    );
    assert.equal(finished.filter(({ status }) => status === "fulfilled").length, 2);
    const more = stage.call("POST", "/passkeys/registration/options", { token: person.token, node: { settings } });
    await assertRejected(more, 422, "too_many_passkeys");
  });

  it("need a proof within a day to be added or removed", async () => {
    const person = await newPerson(stage);
    const { id } = await register(person, new SoftwareAuthenticator());
    stage.clock.advance(DAY_MS - 1000);
    const begun = await startRegistration(person);
    stage.clock.advance(2000);
    const needed = [400, "reauthentication_needed"] as const;
    await assertRejected(startRegistration(person), ...needed);
    const response = new SoftwareAuthenticator().create(begun.options);
    await assertRejected(finishRegistration(person, begun.challenge_id, response), ...needed);
    await assertRejected(remove(person, id), ...needed);
    await rename(person, id, "Old phone");
    assert.equal((await listPasskeys(person))[0]?.friendly_name, "Old phone");
  });

  it("need aal2 once there is a second factor", async () => {
    const person = await newPerson(stage);
    const { id } = await register(person, new SoftwareAuthenticator());
    await person.enrolVerified();
    const raised = person.token;
    person.take(await person.signIn());
    const low = [401, "insufficient_aal"] as const;
    await assertRejected(startRegistration(person), ...low);
    await assertRejected(remove(person, id), ...low);
    await assertRejected(rename(person, id, "x"), ...low);
    await assertRejected(listPasskeys(person), ...low);
    person.token = raised;
    await register(person, new SoftwareAuthenticator());
    await remove(person, id);
  });

  it("are listed and removed by administrators, and go with the account", async () => {
    const person = await newPerson(stage);
    const authenticator = new SoftwareAuthenticator();
    const { id } = await register(person, authenticator);
    await register(person, new SoftwareAuthenticator());
    const token = stage.serviceRoleKey;
    const path = `/admin/users/${person.id}/passkeys`;
    const listed = (await stage.call("GET", path, { token })).body as { id: string }[];
    assert.deepEqual([listed.length, listed[0]?.id], [2, id]);
    assert.equal((await stage.call("DELETE", `${path}/${id}`, { token })).status, 204);
    const again = stage.call("DELETE", `${path}/${id}`, { token });
    await assertRejected(again, 404, "webauthn_credential_not_found");
    await assertRejected(stage.call("GET", path, { token: person.token }), 403, "not_admin");
    const nobody = stage.call("GET", `/admin/users/${randomUUID()}/passkeys`, { token });
    await assertRejected(nobody, 404, "user_not_found");
    await assertRejected(signInWith(stage, authenticator), ...FAILED);

    await startRegistration(person);
    const count = async () => {
      const { rows } = await stage.database.owner.query<{ count: number }>(
        "select count(*)::int as count from auth.webauthn_credentials where user_id = $1",
        [person.id],
      );
      return rows[0]?.count;
    };
    const path2 = `/admin/users/${person.id}`;
    await stage.call("DELETE", path2, { token, body: { should_soft_delete: true } });
    assert.equal(await count(), 0);
    await stage.call("DELETE", path2, { token });
  });
});
