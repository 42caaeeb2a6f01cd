import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import { collectClosers } from "../one-time-closers.ts";
import { rejection } from "../support/rejection.ts";
import { type ShownSession, signUp } from "../support/accounts.ts";
import { openSignInStage, type SignInStage } from "./sign-in-stage.ts";

const hashOf = (nonce: string): string => createHash("sha256").update(nonce).digest("hex");
const EVA = { sub: "eva", email: "eva@example.com", email_verified: true };

describe("the sign-in with an ID token", () => {
  const closers = collectClosers();
  let stage: SignInStage;
  before(async () => {
    stage = await openSignInStage(closers);
  });
  const grant = async (claims: object, body: object = {}, options: object = {}): Promise<ShownSession> => {
    const id_token = await stage.issuer.sign(stage.claims("acme", { ...EVA, ...claims }));
    const answer = await stage.call("POST", "/token", {
      query: { grant_type: "id_token" },
      body: { provider: "acme", id_token, access_token: null, gotrue_meta_security: {}, ...body },
      ...options,
    });
    return answer.body as ShownSession;
  };

  it("signs in, with and without a nonce", async () => {
    const { user } = await grant({});
    assert.equal(user.email, "eva@example.com");
    const session = await grant({ nonce: hashOf("one") }, { nonce: "one" });
    assert.equal(session.user.id, user.id);
    const claims = JSON.parse(Buffer.from(session.access_token.split(".")[1] ?? "", "base64url").toString());
    assert.deepEqual([claims.aal, claims.amr[0].method], ["aal1", "oauth"]);
  });

  it("takes a token with a nonce once", async () => {
    await grant({ nonce: hashOf("once") }, { nonce: "once" });
    await assert.rejects(grant({ nonce: hashOf("once") }, { nonce: "once" }), rejection(400, "bad_jwt", /used before/));
  });

  it("rejects a nonce that is missing or another one", async () => {
    await assert.rejects(grant({ nonce: hashOf("a") }), rejection(400, "validation_failed"));
    await assert.rejects(grant({}, { nonce: "a" }), rejection(400, "validation_failed"));
    await assert.rejects(grant({ nonce: hashOf("a") }, { nonce: "b" }), rejection(400, "validation_failed"));
    await assert.rejects(grant({ nonce: "a" }, { nonce: "a" }), rejection(400, "validation_failed"));
  });

  it("rejects tokens for others, of others, and that are none", async () => {
    await assert.rejects(grant({ aud: "somebody-else" }), rejection(400, "unexpected_audience"));
    await assert.rejects(grant({ azp: "somebody-else" }), rejection(400, "unexpected_audience"));
    await assert.rejects(grant({ iss: "https://evil.example.com" }), rejection(400, "bad_jwt"));
    await assert.rejects(grant({ exp: 1 }), rejection(400, "bad_jwt"));
    // Of somebody else than `eva`, or of nobody.
    for (const sub of ["eva ", " ", "x".repeat(256)]) await assert.rejects(grant({ sub }), rejection(400, "bad_jwt"));
    await assert.rejects(grant({}, { provider: "other" }), rejection(400, "bad_jwt"));
    for (const id_token of ["x", "a.b.c", "x".repeat(16_000)])
      await assert.rejects(grant({}, { id_token }), rejection(400, "bad_jwt"));
    await assert.rejects(grant({}, { id_token: "" }), rejection(400, "validation_failed"));
    await assert.rejects(grant({}, { provider: "unknown" }), rejection(400, "oauth_provider_not_supported"));
  });

  it("links the identity to the account of the bearer, and to none without one", async () => {
    const link = { link_identity: true };
    const { access_token: token, user } = await signUp(stage, "linker@example.com");
    const anonymous = { headers: { apikey: stage.anonKey } };
    await assert.rejects(grant({ sub: "linked" }, link, anonymous), rejection(401, "no_authorization"));
    const session = await grant({ sub: "linked" }, link, { headers: headersOf(token) });
    assert.equal(session.user.id, user.id);
    assert.equal(session.user.email, "linker@example.com");
    assert.deepEqual(session.user.app_metadata, { provider: "email", providers: ["email", "acme"] });
    const again = await grant({ sub: "linked" });
    assert.equal(again.user.id, user.id);
    const another = grant({ sub: "linked" }, link, { headers: headersOf(token) });
    await assert.rejects(another, rejection(422, "identity_already_exists"));
  });

  function headersOf(token: string): Record<string, string> {
    return { apikey: stage.anonKey, authorization: `Bearer ${token}` };
  }
});
