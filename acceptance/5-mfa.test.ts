import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AuthChangeEvent, SupabaseClient } from "@supabase/supabase-js";
import { ok, openAdmin, openClient, type SignedUp, signInAgain, signUpNew } from "./support/clients.ts";
import { type Service, startService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";
import { readToken } from "./support/tokens.ts";
import { computeTotp } from "./support/totp.ts";

let service: Service;
before(async () => {
  service = await startService(QUICK_HASHES);
});
after(() => service?.stop());

interface Authenticator {
  factorId: string;
  secret: string;
}

async function enrol({ auth }: SupabaseClient): Promise<Authenticator> {
  const { id, totp } = ok(await auth.mfa.enroll({ factorType: "totp" }));
  return { factorId: id, secret: totp.secret };
}

/** A code works once, so a second verification within one time step uses the next code. */
async function prove({ auth }: SupabaseClient, { factorId, secret }: Authenticator, stepsLater = 0): Promise<void> {
  ok(await auth.mfa.challengeAndVerify({ factorId, code: computeTotp(secret, stepsLater) }));
}

async function signUpWithFactor(): Promise<SignedUp & Authenticator> {
  const signedUp = await signUpNew(service);
  const authenticator = await enrol(signedUp.client);
  await prove(signedUp.client, authenticator);
  return { ...signedUp, ...authenticator };
}

async function levelsOf({ auth }: SupabaseClient): Promise<(string | null)[]> {
  const { currentLevel, nextLevel } = ok(await auth.mfa.getAuthenticatorAssuranceLevel());
  return [currentLevel, nextLevel];
}

test("5 a second factor is enrolled with a QR code and becomes active after its first code is verified", async () => {
  const { client, email } = await signUpNew(service);
  assert.deepEqual(await levelsOf(client), ["aal1", "aal1"]);
  const { id, type, friendly_name, totp } = ok(
    await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "phone", issuer: "Example" }),
  );
  assert.deepEqual([type, friendly_name], ["totp", "phone"]);
  assert.match(totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg\b/);
  const uri = new URL(totp.uri);
  assert.equal(uri.protocol, "otpauth:");
  assert.deepEqual([uri.searchParams.get("secret"), uri.searchParams.get("issuer")], [totp.secret, "Example"]);
  assert.ok(decodeURIComponent(uri.pathname).includes(email));
  assert.deepEqual(await levelsOf(client), ["aal1", "aal1"]);

  const challenge = ok(await client.auth.mfa.challenge({ factorId: id }));
  assert.equal(challenge.type, "totp");
  assert.ok(challenge.expires_at > Date.now() / 1000);
  const events: AuthChangeEvent[] = [];
  client.auth.onAuthStateChange((event) => void events.push(event));
  ok(await client.auth.mfa.verify({ factorId: id, challengeId: challenge.id, code: computeTotp(totp.secret) }));

  assert.ok(events.includes("MFA_CHALLENGE_VERIFIED"));
  assert.deepEqual(await levelsOf(client), ["aal2", "aal2"]);
  const { session } = ok(await client.auth.getSession());
  const { aal, amr } = readToken(session?.access_token ?? "").claims;
  assert.equal(aal, "aal2");
  assert.deepEqual(
    (amr as { method: string }[]).map(({ method }) => method),
    ["totp", "password"],
  );
  const { all, totp: verified } = ok(await client.auth.mfa.listFactors());
  assert.deepEqual(
    all.map(({ id: listed, status }) => [listed, status]),
    [[id, "verified"]],
  );
  assert.equal(verified[0]?.friendly_name, "phone");
});

test("5 a refreshed session keeps its assurance level, and refresh tokens from before the verification are invalid", async () => {
  const { client, email, session } = await signUpNew(service);
  const { session: other } = await signInAgain(service, email);
  const authenticator = await enrol(client);
  await prove(client, authenticator);
  ok(await client.auth.refreshSession());
  assert.deepEqual(await levelsOf(client), ["aal2", "aal2"]);
  const { auth } = openClient(service);
  assert.equal((await auth.getUser(other.access_token)).error?.name, "AuthSessionMissingError");
  assert.notEqual((await auth.refreshSession(session)).error, null, "tokens of the lower level refresh nothing");
});

test("5 a wrong second-factor code is rejected, and a correct one works once", async () => {
  const { client } = await signUpNew(service);
  const { factorId, secret } = await enrol(client);
  const code = computeTotp(secret);
  const wrong = [-1, 0, 1].some((steps) => computeTotp(secret, steps) === "123456") ? "654321" : "123456";
  const rejected = await client.auth.mfa.challengeAndVerify({ factorId, code: wrong });
  assert.deepEqual([rejected.error?.status, rejected.error?.code], [422, "mfa_verification_failed"]);
  assert.deepEqual(await levelsOf(client), ["aal1", "aal1"]);
  ok(await client.auth.mfa.challengeAndVerify({ factorId, code }));
  const again = await client.auth.mfa.challengeAndVerify({ factorId, code });
  assert.equal(again.error?.code, "mfa_verification_failed");
});

test("5 repeated wrong second-factor codes are rate-limited", async () => {
  const { client } = await signUpNew(service);
  const { factorId, secret } = await enrol(client);
  const codes = [-1, 0, 1].map((steps) => computeTotp(secret, steps));
  const wrong = ["111111", "222222", "333333", "444444"].find((code) => !codes.includes(code)) ?? "";
  const refusals: (string | undefined)[] = [];
  for (let time = 0; time < 12; time += 1) {
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code: wrong });
    refusals.push(error?.code);
  }
  assert.equal(refusals.at(-1), "over_request_rate_limit");
});

test("5 a user with a second factor needs aal2 to change the account, or to end other sessions", async () => {
  const { client: owner, email, factorId, secret } = await signUpWithFactor();
  const { client } = await signInAgain(service, email);
  assert.deepEqual(await levelsOf(client), ["aal1", "aal2"]);
  for (const change of [
    { password: "a new password" },
    { email: "other@example.com" },
    { data: { colour: "green" } },
  ]) {
    const { error } = await client.auth.updateUser(change);
    assert.deepEqual([error?.status, error?.code], [401, "insufficient_aal"]);
  }
  assert.equal((await client.auth.mfa.unenroll({ factorId })).error?.code, "insufficient_aal");
  assert.equal((await client.auth.mfa.enroll({ factorType: "totp" })).error?.code, "insufficient_aal");
  // The client does not report a 403 of a sign-out.
  await client.auth.signOut({ scope: "others" });
  const { client: third } = await signInAgain(service, email);
  assert.equal((await third.auth.signOut({ scope: "global" })).error, null);
  ok(await owner.auth.getUser());
  await prove(client, { factorId, secret }, 1);
  ok(await client.auth.updateUser({ password: "a new password" }));
});

test("5 a removed factor is no longer required", async () => {
  const { client, email, factorId } = await signUpWithFactor();
  assert.equal(ok(await client.auth.mfa.unenroll({ factorId })).id, factorId);
  assert.deepEqual(ok(await client.auth.mfa.listFactors()).all, []);
  ok(await client.auth.refreshSession());
  assert.deepEqual(await levelsOf(client), ["aal1", "aal1"]);
  const { client: again } = await signInAgain(service, email);
  assert.deepEqual(await levelsOf(again), ["aal1", "aal1"]);
});

test("5 users cannot access the factors of others", async () => {
  const { factorId, secret } = await signUpWithFactor();
  const { client: stranger } = await signUpNew(service);
  assert.equal((await stranger.auth.mfa.challenge({ factorId })).error?.code, "mfa_factor_not_found");
  assert.equal((await stranger.auth.mfa.unenroll({ factorId })).error?.code, "mfa_factor_not_found");
  const own = await enrol(stranger);
  const challenge = ok(await stranger.auth.mfa.challenge({ factorId: own.factorId }));
  const { error } = await stranger.auth.mfa.verify({ factorId, challengeId: challenge.id, code: computeTotp(secret) });
  assert.equal(error?.code, "mfa_factor_not_found");
});

test("5 the service role lists factors and removes a lost one", async () => {
  const { email, factorId, session } = await signUpWithFactor();
  const { mfa } = openAdmin(service).auth.admin;
  const { factors } = ok(await mfa.listFactors({ userId: session.user.id }));
  assert.deepEqual(
    factors.map(({ id, status, factor_type }) => [id, status, factor_type]),
    [[factorId, "verified", "totp"]],
  );
  assert.doesNotMatch(JSON.stringify(factors), /secret/);
  ok(await mfa.deleteFactor({ userId: session.user.id, id: factorId }));
  const { client } = await signInAgain(service, email);
  assert.deepEqual(await levelsOf(client), ["aal1", "aal1"]);
});

test("5 factors of other kinds than TOTP are rejected", async () => {
  const { client } = await signUpNew(service);
  const { error } = await client.auth.mfa.enroll({ factorType: "phone", phone: "+491701234567" });
  assert.deepEqual([error?.status, error?.code], [422, "mfa_phone_enroll_not_enabled"]);
});
