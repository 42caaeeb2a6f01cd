import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import { CompactSign, type JWTPayload, SignJWT } from "jose";
import { SignInProviders } from "../../../src/auth/providers/sign-in-providers.ts";
import { collectClosers } from "../one-time-closers.ts";
import { rejection } from "../support/rejection.ts";
import { signUp } from "../support/accounts.ts";
import { APP, CLIENT_ID, openSignInStage, type SignInStage } from "./sign-in-stage.ts";

const VERIFIER = "v".repeat(56);
const S256 = {
  code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
  code_challenge_method: "s256",
};
const claimsOf = (name: string) => ({ sub: name, email: `${name}@example.com`, email_verified: true, name });

describe("the sign-in at an identity provider", () => {
  const closers = collectClosers();
  let stage: SignInStage;
  before(async () => {
    stage = await openSignInStage(closers);
  });
  const failsWith = async (ended: ReturnType<SignInStage["end"]>, code: string, error?: string): Promise<void> => {
    const { url, query, fragment } = await ended;
    assert.equal(url.origin, "https://app.example.com");
    assert.equal(query["error_code"], code, url.href);
    assert.equal(fragment["error_code"], code);
    assert.ok(query["error_description"]);
    if (error !== undefined) assert.equal(query["error"], error);
    assert.equal(fragment["access_token"], undefined);
    assert.doesNotMatch(url.href, /CANARY/);
  };
  const countFlows = async (): Promise<number> =>
    (await stage.database.owner.query("select from auth.sign_in_flows")).rowCount ?? 0;

  it("asks the issuer with state, nonce and PKCE, and binds the flow to the browser", async () => {
    const begun = await stage.begin("acme", { scopes: "calendar", prompt: "login", client_id: "evil", nonce: "mine" });
    const asked = Object.fromEntries(begun.url.searchParams);
    assert.equal(begun.url.origin + begun.url.pathname, `${stage.issuer.origin}/acme/authorize`);
    assert.equal(asked["client_id"], CLIENT_ID);
    assert.equal(asked["redirect_uri"], "https://localhost:8443/auth/v1/callback");
    assert.equal(asked["scope"], "openid email profile calendar");
    assert.equal(asked["prompt"], "login");
    assert.equal(asked["code_challenge_method"], "S256");
    assert.match(asked["nonce"] ?? "", /^[\w-]{43}$/);
    assert.match(begun.cookie, /^__Host-sign-in=[\w-]{43}$/);
    const { rows } = await stage.database.owner.query("select * from auth.sign_in_flows");
    for (const secret of [begun.state, begun.nonce, begun.cookie.split("=")[1] ?? ""])
      assert.ok(!JSON.stringify(rows).includes(secret));
  });

  it("creates an account with the verified address, and gives its tokens to the client alone", async () => {
    const ended = await stage.signIn("acme", { ...claimsOf("ada"), picture: "https://example.com/ada.png" });
    assert.equal(ended.url.origin + ended.url.pathname, APP);
    assert.deepEqual(ended.query, {});
    assert.equal(ended.fragment["provider_token"], "ACCESS-CANARY");
    assert.equal(ended.fragment["provider_refresh_token"], "REFRESH-CANARY");
    assert.deepEqual([ended.fragment["token_type"], ended.fragment["sb"]], ["bearer", ""]);
    const user = await stage.userOf(ended);
    assert.equal(user.email, "ada@example.com");
    assert.ok(user["email_confirmed_at"]);
    assert.deepEqual(user.app_metadata, { provider: "acme", providers: ["acme"] });
    assert.equal(user.user_metadata["full_name"], "ada");
    const [identity] = user.identities;
    assert.deepEqual(Object.keys(identity ?? {}).sort(), [
      "created_at",
      "email",
      "id",
      "identity_data",
      "identity_id",
      "last_sign_in_at",
      "provider",
      "updated_at",
      "user_id",
    ]);
    assert.deepEqual([identity?.["provider"], identity?.["id"]], ["acme", "ada"]);
    const { rows } = await stage.database.owner.query(
      "select json_agg(i) from auth.identities i union all select json_agg(f) from auth.flow_states f",
    );
    assert.doesNotMatch(JSON.stringify(rows), /CANARY/);
    const again = await stage.userOf(await stage.signIn("acme", claimsOf("ada")));
    assert.equal(again.id, user.id);
  });

  it("returns a code in a flow of PKCE, whose exchange returns the tokens of the provider once", async () => {
    const ended = await stage.signIn("acme", claimsOf("pkce"), S256);
    assert.deepEqual(Object.keys(ended.query), ["code"]);
    assert.equal(ended.url.hash, "");
    const { rows } = await stage.database.owner.query("select json_agg(f) from auth.flow_states f");
    assert.doesNotMatch(JSON.stringify(rows), /CANARY/);
    const exchange = (code_verifier: string) =>
      stage.call("POST", "/token", {
        query: { grant_type: "pkce" },
        body: { auth_code: ended.query["code"], code_verifier },
      });
    await assert.rejects(exchange("w".repeat(56)), rejection(400, "bad_code_verifier"));
    const { body } = await exchange(VERIFIER);
    const session = body as { provider_token: string; provider_refresh_token: string; user: { email: string } };
    assert.deepEqual(
      [session.provider_token, session.provider_refresh_token, session.user.email],
      ["ACCESS-CANARY", "REFRESH-CANARY", "pkce@example.com"],
    );
    await assert.rejects(exchange(VERIFIER), rejection(404, "flow_state_not_found"));
  });

  it("rejects a state that was used, is unknown, has expired or comes from another browser", async () => {
    const begun = await stage.begin("acme");
    await stage.answerWith("acme", claimsOf("replay"), begun);
    const answer = { code: "c", state: begun.state };
    const stranger = await stage.begin("acme");
    await failsWith(stage.end(stranger, answer), "bad_oauth_state", "invalid_request");
    await failsWith(stage.end({ cookie: "" }, answer), "bad_oauth_state");
    await failsWith(stage.end(begun, { code: "c", state: "x".repeat(43) }), "bad_oauth_state");
    await failsWith(stage.end(begun, { code: "c" }), "bad_oauth_state");
    await stage.userOf(await stage.end(begun, answer));
    await failsWith(stage.end(begun, answer), "bad_oauth_state");
    const late = await stage.begin("acme");
    stage.clock.advance(601_000);
    await failsWith(stage.end(late, { code: "c", state: late.state }), "bad_oauth_state");
  });

  it("lets two tabs of a browser sign in, each with its own state", async () => {
    const first = await stage.begin("acme");
    const second = await stage.begin("acme", {}, first.cookie);
    assert.equal(second.cookie, first.cookie);
    for (const tab of [second, first]) {
      await stage.answerWith("acme", claimsOf("tabs"), tab);
      await stage.userOf(await stage.end(first, { code: "c", state: tab.state }));
    }
  });

  it("rejects the answer of another issuer, and a code that another provider is asked for", async () => {
    const begun = await stage.begin("acme");
    await stage.answerWith("acme", claimsOf("mixed"), begun);
    const iss = `${stage.issuer.origin}/other`;
    await failsWith(stage.end(begun, { code: "c", state: begun.state, iss }), "bad_oauth_callback", "server_error");
    const other = await stage.begin("other");
    const foreign = await stage.issuer.sign(stage.claims("acme", { ...claimsOf("mixed"), nonce: other.nonce }));
    const body = { access_token: "a", token_type: "Bearer", id_token: foreign };
    stage.issuer.serve(`${iss}/token`, body);
    await failsWith(stage.end(other, { code: "c", state: other.state, iss }), "bad_oauth_callback");
  });

  it("rejects ID tokens with a wrong nonce, audience, issuer, time, signature or algorithm", async () => {
    const now = Math.floor(Date.now() / 1000);
    const wrong = [
      { nonce: "another" },
      { nonce: undefined },
      { aud: "somebody-else" },
      { aud: [CLIENT_ID, "somebody-else"] },
      { azp: "somebody-else" },
      { iss: "https://evil.example.com" },
      { exp: now - 3600, iat: now - 7200 },
      { sub: undefined },
      { sub: "" },
    ];
    for (const claims of wrong) {
      const begun = await stage.begin("acme");
      await stage.answerWith("acme", { ...claimsOf("wrong"), ...claims } as JWTPayload, begun);
      const { query } = await stage.end(begun, { code: "c", state: begun.state });
      assert.ok(
        ["bad_oauth_callback", "unexpected_audience"].includes(query["error_code"] ?? ""),
        JSON.stringify(claims),
      );
    }
    const keys = new TextEncoder().encode("SECRET-CANARY".padEnd(64, "x"));
    const forge: ((claims: object) => Promise<string>)[] = [
      (claims) => new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256" }).sign(keys),
      async (claims) => {
        const parts = [{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
        return `${parts.join(".")}.`;
      },
      async (claims) => {
        const [head = "", , signature = ""] = (await stage.issuer.sign({ ...claims, sub: "x" })).split(".");
        return [head, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
      },
      (claims) => stage.issuer.sign({ ...claims }, { kid: "unknown" }),
      (claims) => new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ alg: "HS512" }).sign(keys),
    ];
    for (const make of forge) {
      const begun = await stage.begin("acme");
      const claims = stage.claims("acme", { ...claimsOf("forged"), nonce: begun.nonce });
      const id_token = await make(claims);
      stage.issuer.serve(`${stage.issuer.origin}/acme/token`, { access_token: "a", token_type: "Bearer", id_token });
      await failsWith(stage.end(begun, { code: "c", state: begun.state }), "bad_oauth_callback");
    }
    const { rowCount } = await stage.database.owner.query(
      "select from auth.identities where provider_id in ('wrong', 'forged', 'mixed')",
    );
    assert.equal(rowCount, 0);
  });

  it("accepts a new key of the issuer, and does not ask again for every unknown one", async () => {
    const asked = (): number => stage.issuer.received.filter(({ url }) => url.endsWith("/other/keys")).length;
    await stage.userOf(await stage.signIn("other", claimsOf("rotated")));
    const before = asked();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const begun = await stage.begin("other");
      const id_token = await stage.issuer.sign(stage.claims("other", { sub: "x", nonce: begun.nonce }), {
        kid: `${attempt}`,
      });
      stage.issuer.serve(`${stage.issuer.origin}/other/token`, { access_token: "a", token_type: "Bearer", id_token });
      await failsWith(stage.end(begun, { code: "c", state: begun.state }), "bad_oauth_callback");
    }
    assert.equal(asked() - before, 0, "the keys were read a moment ago");
    const rotating = await openSignInStage(closers);
    const { list } = rotating.context.signInProviders;
    const options = { providers: list, fetch: rotating.issuer.fetch, clock: rotating.clock, keysCooldownMs: 0 };
    const node = { signInProviders: new SignInProviders(options) };
    for (const _ of [1, 2]) {
      const begun = await rotating.begin("acme");
      await rotating.answerWith("acme", claimsOf("rotated"), begun);
      const query = { code: "c", state: begun.state };
      const answer = await rotating.call("GET", "/callback", { query, headers: { cookie: begun.cookie }, node });
      assert.match(answer.headers?.["location"] ?? "", /access_token=/);
      await rotating.issuer.rotate();
    }
  });

  it("goes back to the app with an error when the issuer refuses, is away, or answers without end", async () => {
    const refused = await stage.begin("acme");
    const answer = { error: "access_denied", error_description: "TEXT-CANARY", state: refused.state };
    await failsWith(stage.end(refused, answer), "bad_oauth_callback", "access_denied");
    const strange = await stage.begin("acme");
    await failsWith(
      stage.end(strange, { error: "<script>", state: strange.state }),
      "bad_oauth_callback",
      "server_error",
    );
    const huge = await stage.begin("acme");
    stage.issuer.serve(`${stage.issuer.origin}/acme/token`, {
      access_token: "x".repeat(1_000_000),
      token_type: "Bearer",
    });
    await failsWith(stage.end(huge, { code: "c", state: huge.state }), "bad_oauth_callback");
    const flows = await countFlows();
    const environment = { AUTH_AWAY_CLIENT_ID: "x", AUTH_AWAY_ISSUER: `${stage.issuer.origin}/away` };
    const away = await openSignInStage(closers, { environment });
    const { headers } = await away.call("GET", "/authorize", { query: { provider: "away", redirect_to: APP } });
    assert.match(headers?.["location"] ?? "", /^https:\/\/app\.example\.com\/welcome\?error=.*bad_oauth_callback/);
    assert.equal(await countFlows(), flows);
  });

  it("reaches a configured issuer on loopback, but not what it names elsewhere in the internal network", async () => {
    const inner = await openSignInStage(closers);
    inner.issuer.serveIssuer(`${inner.issuer.origin}/acme`, { token_endpoint: "https://10.0.0.1/token" });
    const begun = await inner.begin("acme");
    await failsWith(inner.end(begun, { code: "c", state: begun.state }), "bad_oauth_callback");
  });

  it("redirects to allowed addresses alone", async () => {
    for (const redirect_to of [
      "https://evil.example.com/",
      "//evil.example.com",
      "javascript:alert(1)",
      `${APP}@evil.com`,
    ]) {
      const begun = await stage.begin("acme", { redirect_to });
      await stage.answerWith("acme", claimsOf("open-redirect"), begun);
      const { url } = await stage.end(begun, { code: "c", state: begun.state });
      assert.equal(url.origin, "https://app.example.com");
    }
  });

  it("rejects an unknown provider and a challenge that is not one", async () => {
    const ask = (query: Record<string, string>) => stage.call("GET", "/authorize", { query });
    await assert.rejects(ask({ provider: "facebook" }), rejection(400, "oauth_provider_not_supported"));
    await assert.rejects(ask({}), rejection(400, "oauth_provider_not_supported"));
    await assert.rejects(ask({ provider: "acme", code_challenge: "short" }), rejection(400, "validation_failed"));
    await assert.rejects(
      ask({ provider: "acme", code_challenge: "short", code_challenge_method: "s256" }),
      rejection(400, "validation_failed"),
    );
  });

  it("does not create an account while sign-ups are disabled", async () => {
    const begun = await stage.begin("acme");
    await stage.answerWith("acme", claimsOf("late"), begun);
    const settings = { ...stage.context.settings, authSignupEnabled: false };
    const { headers } = await stage.call("GET", "/callback", {
      query: { code: "c", state: begun.state },
      headers: { cookie: begun.cookie },
      node: { settings },
    });
    assert.match(headers?.["location"] ?? "", /error_code=signup_disabled/);
  });

  it("creates one account for two sign-ins at once", async () => {
    const tabs = await Promise.all([stage.begin("acme"), stage.begin("other")]);
    await stage.answerWith("acme", { ...claimsOf("twice"), sub: "one" }, tabs[0]);
    await stage.answerWith("other", { ...claimsOf("twice"), sub: "two" }, tabs[1]);
    const ended = await Promise.all(tabs.map((tab) => stage.end(tab, { code: "c", state: tab.state })));
    const [first, second] = await Promise.all(ended.map((end) => stage.userOf(end)));
    assert.equal(first?.id, second?.id);
  });

  it("keeps the address of the account when the issuer changes it", async () => {
    const user = await stage.userOf(await stage.signIn("acme", claimsOf("mover")));
    const victim = await signUp(stage, "moved@example.com");
    const moved = await stage.userOf(await stage.signIn("acme", { ...claimsOf("mover"), email: "moved@example.com" }));
    assert.equal(moved.id, user.id);
    assert.equal(moved.email, "mover@example.com");
    assert.equal(moved.identities[0]?.["email"], "moved@example.com");
    assert.notEqual(moved.id, victim.user.id);
  });

  it("gives an address that the issuer does not call verified to nobody", async () => {
    const victim = await signUp(stage, "victim@example.com");
    const unverified = { sub: "liar", email: "victim@example.com" };
    const user = await stage.userOf(await stage.signIn("acme", { ...unverified, email_verified: false }));
    assert.notEqual(user.id, victim.user.id);
    assert.equal(user.email, "");
    assert.equal(user.user_metadata["email"], undefined);
    const stranger = await stage.userOf(await stage.signIn("acme", { sub: "unknown-liar", email: "free@example.com" }));
    assert.equal(stranger.email, "");
  });

  it("does not sign in a banned user", async () => {
    const user = await stage.userOf(await stage.signIn("acme", claimsOf("banned")));
    await stage.database.owner.query("update auth.users set banned_until = 'infinity' where id = $1", [user.id]);
    const { query } = await stage.signIn("acme", claimsOf("banned"));
    assert.deepEqual([query["error"], query["error_code"]], ["access_denied", "user_banned"]);
  });
});
