import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import { SignInProviders } from "../../../src/auth/providers/sign-in-providers.ts";
import { until } from "../../support/until.ts";
import { collectClosers } from "../one-time-closers.ts";
import { type ShownSession, signUp } from "../support/accounts.ts";
import { type HookStage, openHookStage } from "../support/hook-stage.ts";
import { rejection } from "../support/rejection.ts";
import { APP, type Begun, openSignInStage, readEnd, type SignInStage } from "./sign-in-stage.ts";

const closers = collectClosers();
let stage: SignInStage;
let hookStage: HookStage;
before(async () => {
  stage = await openSignInStage(closers);
  hookStage = await openHookStage(closers, stage);
});

const claimsOf = (sub: string) => ({ sub, email: `${sub}@example.com`, email_verified: true });

async function rowsOf(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await stage.database.owner.query<Record<string, unknown>>(text, values)).rows;
}

/** Changes rows in a transaction, and commits when the work waits for it. */
async function whileChanging<T>(change: string, values: unknown[], work: () => Promise<T>): Promise<T> {
  await rowsOf("begin");
  await rowsOf(change, ...values);
  const working = work();
  working.catch(() => {});
  try {
    await until(async () => {
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      return (await stage.context.pool.query(waiting)).rows.length > 0;
    }, "the work waits");
  } finally {
    await rowsOf("commit");
  }
  return working;
}

describe("an account that changes during a sign-in at an identity provider", () => {
  it("refuses an identity that its owner unlinks at that moment", async () => {
    const { id } = await stage.userOf(await stage.signIn("acme", claimsOf("unlinked")));
    const unlink = `with locked as (select from auth.users where id = $1 for update)
                    delete from auth.identities where user_id = $1 and exists (select from locked)`;
    const ended = await whileChanging(unlink, [id], () => stage.signIn("acme", claimsOf("unlinked")));
    assert.equal(ended.query["error_code"], "conflict");
    assert.deepEqual(await rowsOf("select from auth.identities where provider_id = 'unlinked'"), []);
  });

  it("does not get an address that somebody else takes at that moment", async () => {
    const { access_token: token } = (await stage.call("POST", "/signup", { body: {} })).body as ShownSession;
    const query = { provider: "acme", redirect_to: APP, skip_http_redirect: "true" };
    const { body } = await stage.call("GET", "/user/identities/authorize", { token, query });
    const begun = await stage.begin("acme", Object.fromEntries(new URL((body as { url: string }).url).searchParams));
    await stage.answerWith("acme", claimsOf("taken-address"), begun);
    const take = "insert into auth.users (email) values ('taken-address@example.com')";
    const ended = await whileChanging(take, [], () => stage.end(begun, { code: "c", state: begun.state }));
    assert.equal(ended.query["error_code"], "email_exists");
    assert.deepEqual(await rowsOf("select from auth.identities where provider_id = 'taken-address'"), []);
  });
});

describe("an account that is deleted at the moment of a mail or link for it", () => {
  const remove = "delete from auth.users where email = $1";
  const hooks = () => hookStage.open(hookStage.at("http", "BEFORE_USER_CREATED"));
  const created = async (email: string): Promise<number> => {
    await hookStage.answer({});
    await stage.call("POST", "/invite", { token: stage.serviceRoleKey, body: { email } });
    await stage.database.owner.query("delete from auth.mail_throttles");
    await hookStage.takeEvents();
    return (await rowsOf("select from auth.users where email = $1", email)).length;
  };

  for (const [path, body] of [
    ["/invite", {}],
    ["/admin/generate_link", { type: "invite" }],
  ] as const)
    it(`is not created again by ${path} without the hook for new accounts`, async () => {
      const email = `deleted${path.replaceAll("/", "-")}@example.com`;
      assert.equal(await created(email), 1);
      const options = { token: stage.serviceRoleKey, body: { ...body, email }, node: { hooks: hooks() } };
      const asking = whileChanging(remove, [email], () => stage.call("POST", path, options));
      await assert.rejects(asking, rejection(409, "conflict"));
      assert.deepEqual(await rowsOf("select from auth.users where email = $1", email), []);
      assert.deepEqual(await hookStage.takeEvents(), []);
    });

  it("is not found by a recovery link", async () => {
    const email = "deleted-recovery@example.com";
    assert.equal(await created(email), 1);
    const options = { token: stage.serviceRoleKey, body: { type: "recovery", email } };
    const asking = whileChanging(remove, [email], () => stage.call("POST", "/admin/generate_link", options));
    await assert.rejects(asking, rejection(404, "user_not_found"));
  });

  it("is created again by a code, after the hook was asked", async () => {
    const email = "deleted-otp@example.com";
    assert.equal(await created(email), 1);
    const node = { hooks: hooks() };
    await whileChanging(remove, [email], () => stage.call("POST", "/otp", { body: { email }, node }));
    const [event, ...others] = await hookStage.takeEvents();
    assert.deepEqual(others, []);
    assert.deepEqual(await rowsOf("select id from auth.users where email = $1", email), [{ id: event?.["user"].id }]);
  });
});

describe("a new account whose first session a hook refuses the claims of", () => {
  const refusing = async () => {
    await hookStage.answer({ error: { http_code: 403, message: "Members only" } });
    return { hooks: hookStage.open(hookStage.at("http", "CUSTOM_ACCESS_TOKEN")) };
  };
  const countOf = async (sub: string): Promise<number> =>
    (await rowsOf("select from auth.users where email = $1", `${sub}@example.com`)).length;
  const VERIFIER = "v".repeat(56);
  const S256 = {
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "s256",
  };
  const comeBack = async (sub: string, begun: Begun, node: object = {}) => {
    await stage.answerWith("acme", claimsOf(sub), begun);
    const query = { code: "c", state: begun.state };
    const { headers = {} } = await stage.call("GET", "/callback", { query, headers: { cookie: begun.cookie }, node });
    return readEnd(headers["location"] ?? "");
  };
  const exchange = (code: string | undefined, node: object) =>
    stage.call("POST", "/token", {
      query: { grant_type: "pkce" },
      body: { auth_code: code, code_verifier: VERIFIER },
      node,
    });

  it("does not remain after a sign-in at a provider", async () => {
    const ended = await comeBack("refused", await stage.begin("acme"), await refusing());
    assert.deepEqual([ended.query["error_code"], ended.query["error_description"]], ["hook_refused", "Members only"]);
    assert.equal(await countOf("refused"), 0);
    assert.deepEqual(await rowsOf("select from auth.identities where provider_id = 'refused'"), []);
  });

  it("does not remain after the exchange of a code", async () => {
    const { query } = await comeBack("refused-code", await stage.begin("acme", S256));
    assert.equal(await countOf("refused-code"), 1);
    await assert.rejects(exchange(query["code"], await refusing()), rejection(403, "hook_refused"));
    assert.equal(await countOf("refused-code"), 0);
  });

  it("does not remain after a sign-in with an ID token", async () => {
    const id_token = await stage.issuer.sign(stage.claims("acme", claimsOf("refused-token")));
    const options = { query: { grant_type: "id_token" }, body: { provider: "acme", id_token }, node: await refusing() };
    await assert.rejects(stage.call("POST", "/token", options), rejection(403, "hook_refused"));
    assert.equal(await countOf("refused-token"), 0);
  });

  it("remains when it was there before, or somebody uses it by now", async () => {
    const { access_token: token } = await signUp(stage, "old@example.com");
    await rowsOf("update auth.users set proven_email = email where email = 'old@example.com'");
    await comeBack("old", await stage.begin("acme"), await refusing());
    assert.equal((await stage.call("GET", "/user", { token })).status, 200);
    const { query } = await comeBack("used", await stage.begin("acme", S256));
    const other = await stage.signIn("acme", claimsOf("used"));
    await assert.rejects(exchange(query["code"], await refusing()), rejection(403, "hook_refused"));
    assert.equal((await stage.userOf(other)).email, "used@example.com");
  });
});

describe("a provider that gets another issuer under its name", () => {
  it("lets nobody in as the subjects of the issuer before, and in again when that one is back", async () => {
    const { id } = await stage.userOf(await stage.signIn("acme", claimsOf("subject")));
    const { context, issuer, clock } = stage;
    const moved = context.signInProviders.list.map((provider) =>
      provider.name === "acme" ? { ...provider, issuer: `${issuer.origin}/other` } : provider,
    );
    const node = { signInProviders: new SignInProviders({ providers: moved, fetch: issuer.fetch, clock }) };
    const grant = async (sub: string, on: object, iss: string, more: object = {}) => {
      const id_token = await issuer.sign(stage.claims("acme", { ...claimsOf(sub), iss: `${issuer.origin}/${iss}` }));
      const body = { provider: "acme", id_token, ...more };
      return stage.call("POST", "/token", { query: { grant_type: "id_token" }, body, node: on });
    };
    const refused = rejection(400, "bad_oauth_callback", /had another issuer/);
    await assert.rejects(grant("subject", node, "other"), refused);
    // A subject that is new at both.
    assert.equal((await grant("newcomer", node, "other")).status, 200);
    await assert.rejects(grant("newcomer", {}, "acme"), refused);
    const back = (await grant("subject", {}, "acme")).body as ShownSession;
    assert.equal(back.user.id, id);
  });

  it("keeps the issuer of an imported identity from the first sign-in on", async () => {
    const { id } = await stage.userOf(await stage.signIn("acme", claimsOf("imported")));
    await rowsOf("update auth.identities set issuer = null where user_id = $1", id);
    assert.equal((await stage.userOf(await stage.signIn("acme", claimsOf("imported")))).id, id);
    assert.deepEqual(await rowsOf("select issuer from auth.identities where user_id = $1", id), [
      { issuer: `${stage.issuer.origin}/acme` },
    ]);
  });
});
