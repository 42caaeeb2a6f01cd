import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient, GoTrueAdminApi } from "@supabase/supabase-js";
import { Secret, TOTP } from "otpauth";
import { type AdminFixture, openAdmin } from "./admin-fixture.ts";
import { AUTH_URL, createFetch } from "./admin-fetch.ts";
import { PASSWORD } from "./mfa-person.ts";

function openAdminApi({ stage }: AdminFixture): GoTrueAdminApi {
  const headers = { Authorization: `Bearer ${stage.serviceRoleKey}` };
  return new GoTrueAdminApi({ url: AUTH_URL, headers, fetch: createFetch(stage) });
}

type Result = { readonly data: unknown; readonly error: unknown };

function ok<R extends Result>(result: R): Extract<R, { error: null }>["data"] {
  assert.equal(result.error, null);
  return result.data;
}

describe("the client library", () => {
  it("administers accounts", async (t) => {
    const fixture = await openAdmin(t);
    const admin = openAdminApi(fixture);
    const { user } = ok(await admin.createUser({ email: "a@example.com", password: PASSWORD, email_confirm: true }));
    assert.ok(user);
    assert.equal(ok(await admin.getUserById(user.id)).user?.email, "a@example.com");
    const updated = ok(await admin.updateUserById(user.id, { user_metadata: { a: 1 }, ban_duration: "1h" }));
    assert.equal(updated.user?.user_metadata["a"], 1);
    const taken = await admin.createUser({ email: "a@example.com" });
    assert.deepEqual([taken.error?.status, taken.error?.code], [422, "email_exists"]);
    const invited = ok(await admin.inviteUserByEmail("b@example.com", { data: { team: "x" } }));
    assert.ok(invited.user?.invited_at);
    const link = ok(await admin.generateLink({ type: "magiclink", email: "a@example.com" }));
    assert.equal(link.properties?.verification_type, "magiclink");
    assert.equal(link.user?.id, user.id);
    assert.deepEqual(ok(await admin.mfa.listFactors({ userId: user.id })), { factors: [] });
    ok(await admin.deleteUser(user.id, true));
    ok(await admin.deleteUser(user.id));
    const gone = await admin.getUserById(user.id);
    assert.deepEqual([gone.error?.status, gone.error?.code], [404, "user_not_found"]);
    assert.equal((await admin.customProviders.listProviders()).error?.code, "feature_disabled");
    const asUser = new GoTrueAdminApi({
      url: AUTH_URL,
      headers: { Authorization: `Bearer ${(await fixture.newUser()).tokens.access_token}` },
      fetch: createFetch(fixture.stage),
    });
    const rejected = await asUser.listUsers();
    assert.deepEqual([rejected.error?.status, rejected.error?.code], [403, "not_admin"]);
  });

  it("goes through the second factor from end to end", async (t) => {
    const fixture = await openAdmin(t);
    const { email, id: userId } = await fixture.newUser();
    const client = createClient("https://localhost:8443", fixture.stage.anonKey, {
      global: { fetch: createFetch(fixture.stage) },
      auth: { persistSession: false, autoRefreshToken: false },
    });
    const { mfa } = client.auth;
    const level = async () => {
      const { currentLevel, nextLevel } = ok(await mfa.getAuthenticatorAssuranceLevel());
      return [currentLevel, nextLevel];
    };
    ok(await client.auth.signInWithPassword({ email, password: PASSWORD }));
    assert.deepEqual(await level(), ["aal1", "aal1"]);

    const factor = ok(await mfa.enroll({ factorType: "totp", friendlyName: "Phone", issuer: "Example" }));
    assert.match(factor.totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg /);
    const code = () => {
      const timestamp = fixture.stage.clock.now().getTime();
      return TOTP.generate({ secret: Secret.fromBase32(factor.totp.secret), timestamp });
    };
    const wrong = await mfa.challengeAndVerify({ factorId: factor.id, code: "abcdef" });
    assert.deepEqual([wrong.error?.status, wrong.error?.code], [422, "mfa_verification_failed"]);
    const events: string[] = [];
    client.auth.onAuthStateChange((event) => void events.push(event));
    ok(await mfa.challengeAndVerify({ factorId: factor.id, code: code() }));
    assert.ok(events.includes("MFA_CHALLENGE_VERIFIED"));
    assert.deepEqual(await level(), ["aal2", "aal2"]);
    const factors = ok(await mfa.listFactors());
    assert.deepEqual(
      factors.totp.map(({ id, status, friendly_name }) => [id, status, friendly_name]),
      [[factor.id, "verified", "Phone"]],
    );
    ok(await client.auth.refreshSession());
    assert.deepEqual(await level(), ["aal2", "aal2"]);

    fixture.stage.clock.advance(60_000);
    ok(await client.auth.signInWithPassword({ email, password: PASSWORD }));
    assert.deepEqual(await level(), ["aal1", "aal2"]);
    const early = await mfa.unenroll({ factorId: factor.id });
    assert.deepEqual([early.error?.status, early.error?.code], [401, "insufficient_aal"]);
    ok(await mfa.challengeAndVerify({ factorId: factor.id, code: code() }));
    assert.deepEqual(ok(await mfa.unenroll({ factorId: factor.id })), { id: factor.id });
    ok(await client.auth.refreshSession());
    assert.deepEqual(await level(), ["aal1", "aal1"]);

    const lost = ok(await mfa.enroll({ factorType: "totp" }));
    const admin = openAdminApi(fixture);
    const listed = ok(await admin.mfa.listFactors({ userId }));
    assert.deepEqual(
      listed.factors.map(({ id }) => id),
      [lost.id],
    );
    ok(await admin.mfa.deleteFactor({ userId, id: lost.id }));
    assert.equal((await admin.mfa.deleteFactor({ userId, id: lost.id })).error?.code, "mfa_factor_not_found");
  });
});
