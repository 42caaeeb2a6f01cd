import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import { collectClosers } from "../one-time-closers.ts";
import { Person } from "../mfa-person.ts";
import { rejection } from "../support/rejection.ts";
import { getUser, type ShownSession, signUp } from "../support/accounts.ts";
import { APP, type Begun, openSignInStage, type SignInStage } from "./sign-in-stage.ts";

const VERIFIER = "v".repeat(56);
const PKCE = {
  code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
  code_challenge_method: "s256",
};
const DAY_MS = 86_400_000;

describe("linking an identity", () => {
  const closers = collectClosers();
  let stage: SignInStage;
  before(async () => {
    stage = await openSignInStage(closers);
  });

  const askToLink = async (token: string, query: object = {}): Promise<Record<string, string>> => {
    const asked = { provider: "acme", redirect_to: APP, skip_http_redirect: "true", ...query };
    const { body } = await stage.call("GET", "/user/identities/authorize", { token, query: asked });
    return Object.fromEntries(new URL((body as { url: string }).url).searchParams);
  };
  const follow = (link: Record<string, string>): Promise<Begun> => stage.begin("acme", link);
  const finish = async (begun: Begun, subject: string) => {
    await stage.answerWith("acme", { sub: subject, email: `${subject}@work.example.com`, email_verified: true }, begun);
    return stage.end(begun, { code: "c", state: begun.state });
  };
  const unlink = (token: string, id: unknown) => stage.call("DELETE", `/user/identities/${String(id)}`, { token });

  it("adds the identity to the account, and answers with the same session", async () => {
    const { access_token: token, user } = await signUp(stage, "ada@example.com");
    const ended = await finish(await follow(await askToLink(token)), "ada-work");
    const linked = await stage.userOf(ended);
    assert.equal(linked.id, user.id);
    assert.equal(linked.email, "ada@example.com");
    assert.deepEqual(
      linked.identities.map(({ provider }) => provider),
      ["email", "acme"],
    );
    assert.deepEqual(linked.app_metadata["providers"], ["email", "acme"]);
    const sessionOf = (jwt = ""): unknown =>
      JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()).session_id;
    assert.equal(sessionOf(ended.fragment["access_token"]), sessionOf(token));
    const { rows } = await stage.database.owner.query("select action from auth.audit_log_entries where user_id = $1", [
      user.id,
    ]);
    assert.deepEqual(rows, [{ action: "identity_linked" }]);
  });

  it("happens at the exchange with PKCE, so that somebody who is sent the link gives nothing away", async () => {
    const { access_token: token, user } = await signUp(stage, "attacker@example.com");
    // The victim follows the link of the attacker and agrees. The app of the victim has no verifier.
    const ended = await finish(await follow(await askToLink(token, PKCE)), "victim");
    assert.deepEqual((await getUser(stage, token)).identities.length, 1);
    const exchange = (code_verifier: string) =>
      stage.call("POST", "/token", {
        query: { grant_type: "pkce" },
        body: { auth_code: ended.query["code"], code_verifier },
      });
    await assert.rejects(exchange("w".repeat(56)), rejection(400, "bad_code_verifier"));
    const session = (await exchange(VERIFIER)).body as ShownSession & { provider_token: string };
    assert.equal(session.user.id, user.id);
    assert.equal(session.provider_token, "ACCESS-CANARY");
    assert.equal(session.user.identities.length, 2);
  });

  it("is followed by one browser, once, and ended by the same", async () => {
    const { access_token: token } = await signUp(stage, "once@example.com");
    const link = await askToLink(token);
    const begun = await follow(link);
    const again = await stage.call("GET", "/authorize", { query: link });
    assert.match(again.headers?.["location"] ?? "", /bad_oauth_state/);
    const stranger = await stage.begin("acme");
    const { query } = await stage.end({ cookie: stranger.cookie }, { code: "c", state: begun.state });
    assert.equal(query["error_code"], "bad_oauth_state");
    const other = await stage.call("GET", "/authorize", { query: { ...(await askToLink(token)), provider: "other" } });
    assert.match(other.headers?.["location"] ?? "", /bad_oauth_state/);
  });

  it("makes the issuer ask the person, whatever the link of somebody else says", async () => {
    const { access_token: token } = await signUp(stage, "sender@example.com");
    const { url } = await follow({ ...(await askToLink(token)), prompt: "none" });
    assert.equal(url.searchParams.get("prompt"), "login");
  });

  it("fails after a sign-out, before and after the browser has followed, and before the exchange", async () => {
    const signOut = (token: string) => stage.call("POST", "/logout", { token, query: { scope: "local" } });
    const first = await signUp(stage, "gone-1@example.com");
    const link = await askToLink(first.access_token);
    await signOut(first.access_token);
    const answer = await stage.call("GET", "/authorize", { query: link });
    assert.match(answer.headers?.["location"] ?? "", /bad_oauth_state/);
    const second = await signUp(stage, "gone-2@example.com");
    const begun = await follow(await askToLink(second.access_token));
    await signOut(second.access_token);
    assert.equal((await finish(begun, "gone-2")).query["error_code"], "bad_oauth_state");
    const third = await signUp(stage, "gone-3@example.com");
    const ended = await finish(await follow(await askToLink(third.access_token, PKCE)), "gone-3");
    await signOut(third.access_token);
    const body = { auth_code: ended.query["code"], code_verifier: VERIFIER };
    const exchange = stage.call("POST", "/token", { query: { grant_type: "pkce" }, body });
    await assert.rejects(exchange, rejection(403, "session_not_found"));
  });

  it("does not take an identity from another account", async () => {
    const owner = await stage.userOf(
      await stage.signIn("acme", { sub: "taken", email: "taken@example.com", email_verified: true }),
    );
    const { access_token: token } = await signUp(stage, "taker@example.com");
    const { query } = await finish(await follow(await askToLink(token)), "taken");
    assert.equal(query["error_code"], "identity_already_exists");
    const { rows } = await stage.database.owner.query(
      "select user_id from auth.identities where provider_id = 'taken'",
    );
    assert.deepEqual(rows, [{ user_id: owner.id }]);
  });

  it("links to the account that asks and not to the one with the address, and not twice", async () => {
    const other = await signUp(stage, "address@work.example.com");
    await stage.database.owner.query("update auth.users set proven_email = email where id = $1", [other.user.id]);
    const { access_token: token, user } = await signUp(stage, "asker@example.com");
    const linked = await stage.userOf(await finish(await follow(await askToLink(token)), "address"));
    assert.equal(linked.id, user.id);
    const { query } = await finish(await follow(await askToLink(token)), "address");
    assert.equal(query["error_code"], "identity_already_exists");
    assert.equal((await getUser(stage, other.access_token)).identities.length, 1);
  });

  it("makes an anonymous account permanent, with the address that the provider has verified", async () => {
    const { body } = await stage.call("POST", "/signup", { body: {} });
    const { access_token: token, user } = body as ShownSession;
    const linked = await stage.userOf(await finish(await follow(await askToLink(token)), "anonymous"));
    assert.deepEqual([linked.id, linked.is_anonymous, linked.email], [user.id, false, "anonymous@work.example.com"]);
  });

  it("needs a proof within 24 hours, and aal2 where a second factor is set", async () => {
    const person = new Person(stage, "mfa@example.com", await signUp(stage, "mfa@example.com"));
    const linked = await stage.userOf(await finish(await follow(await askToLink(person.token)), "mfa"));
    const identity = linked.identities.find(({ provider }) => provider === "acme")?.["identity_id"];
    const begun = await follow(await askToLink(person.token, { provider: "acme" }));
    await stage.database.owner.query(
      `insert into auth.mfa_factors (user_id, factor_type, status, secret_wrapped) values ($1, 'totp', 'verified', 'x')`,
      [person.id],
    );
    await assert.rejects(askToLink(person.token), rejection(401, "insufficient_aal"));
    await assert.rejects(unlink(person.token, identity), rejection(401, "insufficient_aal"));
    assert.equal((await finish(begun, "mfa-2")).query["error_code"], "insufficient_aal");
    await stage.database.owner.query("delete from auth.mfa_factors where user_id = $1", [person.id]);
    await stage.database.owner.query("update auth.sessions set proven_at = $2 where user_id = $1", [
      person.id,
      new Date(Date.now() - DAY_MS - 1_000_000),
    ]);
    await assert.rejects(askToLink(person.token), rejection(400, "reauthentication_needed"));
    await assert.rejects(unlink(person.token, identity), rejection(400, "reauthentication_needed"));
  });

  it("unlinks any identity but the last, and the password with the identity of the address", async () => {
    const { access_token: token } = await signUp(stage, "unlink@example.com");
    const { identities } = await stage.userOf(await finish(await follow(await askToLink(token)), "unlink"));
    const idOf = (name: string): unknown => identities.find(({ provider }) => provider === name)?.["identity_id"];
    const other = await signUp(stage, "unlink-other@example.com");
    await assert.rejects(unlink(other.access_token, idOf("acme")), rejection(404, "identity_not_found"));
    await assert.rejects(unlink(token, "x"), rejection(404, "validation_failed"));
    await unlink(token, idOf("email"));
    const user = await getUser(stage, token);
    assert.deepEqual(user.app_metadata, { provider: "acme", providers: ["acme"] });
    const body = { email: "unlink@example.com", password: "correct horse" };
    const signIn = stage.call("POST", "/token", { query: { grant_type: "password" }, body });
    await assert.rejects(signIn, rejection(400, "invalid_credentials"));
    await assert.rejects(unlink(token, idOf("acme")), rejection(422, "single_identity_not_deletable"));
  });
});
