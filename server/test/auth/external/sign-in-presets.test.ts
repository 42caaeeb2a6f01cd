import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { before, describe, it } from "node:test";
import { createLocalJWKSet, exportJWK, jwtVerify } from "jose";
import { collectClosers } from "../one-time-closers.ts";
import { CLIENT_ID, openSignInStage, readEnd, type SignInStage } from "./sign-in-stage.ts";

const TENANT = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490";
const GITHUB = { AUTH_GITHUB_CLIENT_ID: CLIENT_ID, AUTH_GITHUB_CLIENT_SECRET: "SECRET-CANARY" };
const GOOGLE = { AUTH_GOOGLE_CLIENT_ID: CLIENT_ID, AUTH_GOOGLE_CLIENT_SECRET: "SECRET-CANARY" };
const AZURE = { AUTH_AZURE_CLIENT_ID: CLIENT_ID, AUTH_AZURE_CLIENT_SECRET: "SECRET-CANARY" };
const apple = generateKeyPairSync("ec", { namedCurve: "P-256" });
const APPLE = {
  AUTH_APPLE_CLIENT_ID: CLIENT_ID,
  AUTH_APPLE_TEAM_ID: "DEF123GHIJ",
  AUTH_APPLE_KEY_ID: "ABC123DEFG",
  AUTH_APPLE_PRIVATE_KEY: apple.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};

// The requests and responses are those of the vendors' documentation.
describe("the presets", () => {
  const closers = collectClosers();
  let stage: SignInStage;
  before(async () => {
    stage = await openSignInStage(closers, { environment: { ...GITHUB, ...GOOGLE, ...AZURE, ...APPLE } });
    const { issuer } = stage;
    issuer.serveIssuer("https://accounts.google.com", {
      authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
      token_endpoint: "https://oauth2.googleapis.com/token",
      jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    });
    issuer.serve("https://www.googleapis.com/oauth2/v3/certs", () => issuer.keys());
    issuer.serveIssuer("https://appleid.apple.com", {
      token_endpoint: "https://appleid.apple.com/token",
      response_modes_supported: ["query", "fragment", "form_post"],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
    });
    const microsoft = "https://login.microsoftonline.com/common/v2.0";
    issuer.serveIssuer("https://login.microsoftonline.com/{tenantid}/v2.0", {});
    issuer.serve(`${microsoft}/.well-known/openid-configuration`, {
      issuer: "https://login.microsoftonline.com/{tenantid}/v2.0",
      authorization_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
      token_endpoint: `${microsoft}/token`,
      jwks_uri: `${microsoft}/keys`,
      id_token_signing_alg_values_supported: ["RS256"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt", "client_secret_basic"],
    });
  });

  it("google: signs in with the claims of the ID token", async () => {
    const begun = await stage.begin("google", { access_type: "offline", hd: "example.com" });
    assert.equal(begun.url.origin + begun.url.pathname, "https://accounts.google.com/o/oauth2/v2/auth");
    assert.deepEqual(
      [begun.url.searchParams.get("access_type"), begun.url.searchParams.get("hd")],
      ["offline", "example.com"],
    );
    const claims = stage.claims("google", {
      nonce: begun.nonce,
      azp: CLIENT_ID,
      sub: "10769150350006150715113082367",
      hd: "example.com",
      email: "jsmith@example.com",
      email_verified: true,
      name: "J. Smith",
      picture: "https://lh3.googleusercontent.com/a/x",
    });
    const id_token = await stage.issuer.sign(claims);
    const answer = { access_token: "ya29.a0", expires_in: 3599, scope: "openid", token_type: "Bearer", id_token };
    stage.issuer.serve("https://oauth2.googleapis.com/token", answer);
    const user = await stage.userOf(
      await stage.end(begun, { code: "4/0A", state: begun.state, scope: "email", prompt: "none" }),
    );
    assert.equal(user.email, "jsmith@example.com");
    assert.equal(user.user_metadata["avatar_url"], "https://lh3.googleusercontent.com/a/x");
    const data = user.identities[0]?.["identity_data"] as Record<string, unknown> | undefined;
    assert.deepEqual(data?.["custom_claims"], { hd: "example.com" });
    const sent = stage.issuer.received.find(({ url }) => url.endsWith("oauth2.googleapis.com/token"));
    assert.deepEqual([sent?.form.get("client_secret"), sent?.form.get("code")], ["SECRET-CANARY", "4/0A"]);
  });

  it("github: signs in with the primary address, if it is verified", async () => {
    const signIn = async (id: number, primary: object) => {
      const begun = await stage.begin("github");
      assert.equal(begun.url.origin + begun.url.pathname, "https://github.com/login/oauth/authorize");
      assert.equal(begun.url.searchParams.get("scope"), "read:user user:email");
      assert.equal(begun.nonce, "");
      stage.issuer.serve("https://github.com/login/oauth/access_token", {
        access_token: "gho_16C7e42F292c6912E7710c838347Ae178B4a",
        scope: "read:user,user:email",
        token_type: "bearer",
      });
      const user = {
        login: "octocat",
        id,
        avatar_url: "https://github.com/images/o.gif",
        name: "The Octocat",
        email: "public@evil.example.com",
      };
      stage.issuer.serve("https://api.github.com/user", user);
      stage.issuer.serve("https://api.github.com/user/emails", [
        { email: "other@example.com", verified: true, primary: false, visibility: null },
        { visibility: "private", ...primary },
      ]);
      const iss = "https://github.com/login/oauth";
      return stage.userOf(await stage.end(begun, { code: "c", state: begun.state, iss }));
    };
    const user = await signIn(583231, { email: "Octocat@GitHub.example.com", verified: true, primary: true });
    assert.equal(user.email, "octocat@github.example.com");
    assert.deepEqual([user.identities[0]?.["id"], user.user_metadata["user_name"]], ["583231", "octocat"]);
    const sent = stage.issuer.received.find(({ url }) => url.endsWith("api.github.com/user"));
    assert.equal(sent?.headers["authorization"], "Bearer gho_16C7e42F292c6912E7710c838347Ae178B4a");
    const other = await signIn(583232, { email: "unverified@example.com", verified: false, primary: true });
    assert.equal(other.email, "");
  });

  it("azure: accepts every tenant, and addresses of those that own the domain", async () => {
    const signIn = async (claims: object) => {
      const begun = await stage.begin("azure");
      assert.equal(begun.url.pathname, "/common/oauth2/v2.0/authorize");
      await stage.answerWith(
        "azure",
        { tid: TENANT, iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, ...claims },
        begun,
      );
      return stage.end(begun, { code: "c", state: begun.state, session_state: "x" });
    };
    const owned = { sub: "AAAA-owned", email: "owner@contoso.example.com", xms_edov: true };
    assert.equal((await stage.userOf(await signIn(owned))).email, "owner@contoso.example.com");
    const claimed = { sub: "AAAA-claimed", email: "boss@contoso.example.com", email_verified: true };
    assert.equal((await stage.userOf(await signIn(claimed))).email, "");
    for (const iss of ["https://login.microsoftonline.com/{tenantid}/v2.0", "https://evil.example.com/v2.0"]) {
      const { query } = await signIn({ ...owned, iss });
      assert.equal(query["error_code"], "bad_oauth_callback");
    }
  });

  it("azure: trusts the addresses of a single tenant", async () => {
    const issuer = `https://login.microsoftonline.com/${TENANT}/v2.0`;
    const single = await openSignInStage(closers, { environment: { ...AZURE, AUTH_AZURE_ISSUER: issuer } });
    single.issuer.serveIssuer(issuer);
    const claims = { sub: "AAAA", tid: TENANT, email: "anna@contoso.example.com" };
    assert.equal((await single.userOf(await single.signIn("azure", claims))).email, "anna@contoso.example.com");
    const foreign = { ...claims, iss: "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0" };
    assert.equal((await single.signIn("azure", foreign)).query["error_code"], "bad_oauth_callback");
  });

  it("apple: takes the posted answer, signs its secret, and keeps the name of the first sign-in", async () => {
    const signIn = async (user: Record<string, string>) => {
      const begun = await stage.begin("apple");
      assert.equal(begun.url.searchParams.get("response_mode"), "form_post");
      assert.equal(begun.url.searchParams.get("scope"), "openid email name");
      assert.match(begun.cookie, /^__Host-sign-in-posted=/);
      await stage.answerWith(
        "apple",
        { sub: "001122.abc", email: "x1@privaterelay.example.com", email_verified: "true" },
        begun,
      );
      const body = new URLSearchParams({ code: "c", state: begun.state, ...user }).toString();
      const { headers = {} } = await stage.call("POST", "/callback", { body, headers: { cookie: begun.cookie } });
      return stage.userOf(readEnd(headers["location"] ?? ""));
    };
    const user = JSON.stringify({ name: { firstName: "Ada", lastName: "Lovelace" }, email: "victim@example.com" });
    const first = await signIn({ user });
    assert.deepEqual([first.email, first.user_metadata["full_name"]], ["x1@privaterelay.example.com", "Ada Lovelace"]);
    const again = await signIn({});
    assert.deepEqual([again.id, again.user_metadata["full_name"]], [first.id, "Ada Lovelace"]);
    await signIn({ user: "{" });

    const sent = stage.issuer.received.find(({ url }) => url.endsWith("appleid.apple.com/token"));
    const jwk = { ...(await exportJWK(apple.publicKey)), kid: "ABC123DEFG", alg: "ES256" };
    const secret = sent?.form.get("client_secret") ?? "";
    const { payload, protectedHeader } = await jwtVerify(secret, createLocalJWKSet({ keys: [jwk] }));
    assert.deepEqual([protectedHeader.alg, protectedHeader.kid], ["ES256", "ABC123DEFG"]);
    assert.deepEqual([payload.iss, payload.sub, payload.aud], ["DEF123GHIJ", CLIENT_ID, "https://appleid.apple.com"]);
  });
});
