import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { decodeJwt, SignJWT } from "jose";
import {
  type Body,
  errorOf,
  type Fields,
  type OAuthStage,
  openOAuthStage,
  PASSWORD,
  type Person,
  REDIRECT,
  type TestClient,
} from "./support/oauth-stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: OAuthStage;
let client: TestClient;
let person: Person;

before(async () => {
  stage = await openOAuthStage({ after: (close: () => Promise<void>) => void closers.unshift(close) });
  client = await stage.addClient({ registration: "manual" });
  person = await stage.signUp();
});
after(async () => {
  for (const close of closers) await close();
});

const consentOf = (id: string): string => `POST /auth/v1/oauth/authorizations/${id}/consent`;
const APPROVE = { action: "approve" };

/** What the authorization endpoint answers to a request with these parameters in place of good ones; "" leaves one out. */
async function ask(more: Fields, by: TestClient = client): Promise<string> {
  const { query } = stage.requestOf(by, more);
  const answer = await stage.authorize(Object.entries(query).filter(([, value]) => value !== ""));
  assert.ok(answer.status === 303 || answer.status === 400, String(answer.status));
  return errorOf(answer);
}

async function redeemError(more: Fields, { by = client, from = client } = {}): Promise<string> {
  const begun = await stage.getCode(from, person, { prompt: "consent" });
  return errorOf(await stage.redeem(by, begun.code, begun, more));
}

/** Sign-ins of the person, other than the one that is older than the test. */
async function signIn(): Promise<Body> {
  const { email } = person;
  return stage.callOk("POST /auth/v1/token?grant_type=password", null, { email, password: PASSWORD });
}

describe("the authorization endpoint", () => {
  test("redirects to registered addresses alone, compared exactly, and shows its error itself otherwise", async () => {
    const { origin, pathname } = new URL(REDIRECT);
    const wrong = [
      "",
      `${origin}${pathname}`,
      `${REDIRECT}&more=1`,
      `${REDIRECT}/`,
      REDIRECT.toUpperCase(),
      REDIRECT.replace("https:", "http:"),
      REDIRECT.replace("callback", "callback/../callback"),
      REDIRECT.replace("callback", "%63allback"),
      REDIRECT.replace(".com", ".com.evil.example"),
      REDIRECT.replace("https://", "https://program.example.com@evil.example/"),
      `${REDIRECT}#fragment`,
      "https://evil.example/",
      "//evil.example/",
      "javascript:alert(1)",
    ];
    for (const uri of wrong) assert.equal(await ask({ redirect_uri: uri }), "400 invalid_request", uri);
    for (const id of ["", randomUUID(), "https://unknown.invalid/client.json"])
      assert.equal(await ask({ client_id: id, scope: "nonsense" }), "400 invalid_request", id);
  });

  test("accepts another port of a registered loopback address, and no other host or path", async () => {
    const local = await stage.addClient({ redirect_uris: ["http://127.0.0.1:1/callback", "https://127.0.0.1:1/tls"] });
    assert.equal(await ask({ redirect_uri: "http://127.0.0.1:49152/callback" }, local), "redirect null");
    for (const uri of [
      "http://127.0.0.1:49152/other",
      "http://localhost:49152/callback",
      "http://127.0.0.2:49152/callback",
      "http://127.0.0.1:49152@evil.example/callback",
      "https://127.0.0.1:2/tls",
    ])
      assert.equal(await ask({ redirect_uri: uri }, local), "400 invalid_request", uri);
  });

  test("never redirects an error before the address is known, and shows browsers a page without links", async () => {
    const { query } = stage.requestOf(client, { redirect_uri: "https://evil.example/", state: "<script>" });
    const { status, body, headers } = await stage.authorize(query, { accept: "text/html" });
    assert.equal(status, 400);
    assert.match(headers.get("content-type") ?? "", /^text\/html/);
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.ok(!/evil|<a |<script/.test(body), body);
  });

  test("names the issuer in success and in errors, against mix-up, and passes the state through", async () => {
    const state = "s t&a=t?e%/+";
    const begun = await stage.begin(client, { state });
    const back = await stage.answer(person, begun);
    const failed = await stage.authorize(stage.requestOf(client, { state, scope: "nonsense" }).query);
    const error = new URL(failed.headers.get("location") ?? "");
    for (const { searchParams } of [back, error])
      assert.deepEqual([searchParams.get("iss"), searchParams.get("state")], [stage.issuer, state]);
    assert.equal(error.searchParams.get("error"), "invalid_scope");
    assert.equal(`${error.origin}${error.pathname}`, "https://program.example.com/callback");
  });

  test("requires PKCE, with S256", async () => {
    const faults: Fields[] = [
      { code_challenge: "" },
      { code_challenge_method: "" },
      { code_challenge: "", code_challenge_method: "" },
      { code_challenge_method: "plain" },
      { code_challenge_method: "s256" },
      { code_challenge: "short" },
      { code_challenge: "x".repeat(44) },
    ];
    for (const fault of faults) assert.equal(await ask(fault), "redirect invalid_request", JSON.stringify(fault));
  });

  test("answers each other fault with its error", async () => {
    const cases: readonly [Fields, string][] = [
      [{ response_type: "" }, "invalid_request"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ response_type: "code id_token" }, "unsupported_response_type"],
      [{ response_mode: "fragment" }, "invalid_request"],
      [{ request: "x.y.z" }, "request_not_supported"],
      [{ request_uri: "https://evil.example/" }, "request_uri_not_supported"],
      [{ resource: "https://evil.example/" }, "invalid_target"],
      [{ resource: `${stage.url}/mcp/x` }, "invalid_target"],
      [{ resource: `${stage.url}//` }, "invalid_target"],
      [{ max_age: "soon" }, "invalid_request"],
      [{ prompt: "none" }, "login_required"],
      [{ prompt: "none login" }, "invalid_request"],
    ];
    for (const [fault, error] of cases) assert.equal(await ask(fault), `redirect ${error}`, JSON.stringify(fault));
    const other = await stage.addClient({ registration: "manual", grant_types: ["refresh_token"] });
    assert.equal(await ask({}, other), "redirect unauthorized_client");
  });

  test("lets only clients that an administrator has registered ask for approve and share, and nobody for secrets", async () => {
    const manual = await stage.addClient({ registration: "manual" });
    const dynamic = await stage.addClient();
    const document = await stage.addClient({ registration: "document", document_expires_at: new Date(8e12) });
    for (const scope of ["approve", "share"]) {
      assert.equal(await ask({ scope }, manual), "redirect null");
      assert.equal(await ask({ scope: `read ${scope}` }, dynamic), "400 invalid_scope");
      assert.equal(await ask({ scope }, document), "400 invalid_scope");
    }
    assert.equal(await ask({ scope: "read secrets" }, manual), "redirect invalid_scope");
    for (const by of [document, dynamic]) assert.equal(await ask({ scope: "read secrets" }, by), "400 invalid_scope");
    const limited = await stage.addClient({ registration: "manual", scopes: ["read"] });
    assert.equal(await ask({ scope: "read run" }, limited), "redirect invalid_scope");
  });

  test("rejects parameters that are given twice, too long, or not ASCII", async () => {
    const { query } = stage.requestOf(client, { state: "s", nonce: "n", scope: "read", resource: stage.url });
    for (const name of Object.keys(query)) {
      const answer = await stage.authorize([...Object.entries(query), [name, query[name] ?? ""]]);
      const isFatal = name === "client_id" || name === "redirect_uri";
      assert.equal(errorOf(answer), isFatal ? "400 invalid_request" : "redirect invalid_request", name);
    }
    for (const name of ["state", "nonce"]) {
      assert.equal(await ask({ [name]: "x".repeat(2_048) }), "redirect null");
      for (const value of ["x".repeat(2_049), "ü", "a\0b", "a\nb"])
        assert.equal(await ask({ [name]: value }), "redirect invalid_request", value.slice(0, 10));
    }
  });

  test("answers with 303, keeps nothing in caches, sends no referrer, and has nothing for scripts and frames", async () => {
    const { query } = stage.requestOf(client);
    const { status, headers } = await stage.authorize(query);
    assert.deepEqual(
      [status, headers.get("cache-control"), headers.get("referrer-policy")],
      [303, "no-store", "no-referrer"],
    );
    for (const destination of ["empty", "iframe", "image"]) {
      const sent = { "sec-fetch-site": "cross-site", "sec-fetch-dest": destination };
      assert.equal(errorOf(await stage.authorize(query, sent)), "400 invalid_request");
    }
    const followed = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" };
    assert.equal((await stage.authorize(query, followed)).status, 303);
  });
});

describe("a consent", () => {
  test("is given once: a second tab and an answer after the code get 404", async () => {
    const { id } = await stage.begin(client);
    const answers = await Promise.all([1, 2, 3].map(() => stage.call(consentOf(id), person.token, APPROVE)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 404, 404],
    );
    assert.equal((await stage.call(`GET /auth/v1/oauth/authorizations/${id}`, person.token)).status, 404);
    assert.equal((await stage.call(consentOf(id), person.token, { action: "deny" })).status, 404);
  });

  test("belongs to who opened the request first; for others, and for forged and expired ids, there is none", async () => {
    const other = await stage.signUp();
    const { id } = await stage.begin(client);
    const path = `GET /auth/v1/oauth/authorizations/${id}`;
    assert.equal((await stage.call(path, person.token)).status, 200);
    for (const [operation, body] of [[path], [consentOf(id), APPROVE], [consentOf(id), { action: "deny" }]] as const) {
      const { status, body: answer } = await stage.call(operation, other.token, body);
      assert.deepEqual([status, answer.error_code], [404, "oauth_authorization_not_found"]);
    }
    for (const forged of [randomUUID(), "nonsense", "%00"])
      assert.equal((await stage.call(consentOf(forged), person.token, APPROVE)).status, 404);
    await stage.sql("update auth.oauth_authorizations set expires_at = now() - interval '1 second' where id = $1", [
      id,
    ]);
    assert.equal((await stage.call(consentOf(id), person.token, APPROVE)).status, 404);
  });

  test("is given by a person: not with an API key, the token of a program, or no token", async () => {
    const { key } = await stage.callOk("POST /functions/v1/api-keys", person.token, { action: "create", name: "key" });
    const { access_token: token } = await stage.connect(client, person, { prompt: "consent" });
    const { id } = await stage.begin(client);
    for (const bearer of [key, token])
      for (const operation of [
        consentOf(id),
        `GET /auth/v1/oauth/authorizations/${id}`,
        "GET /auth/v1/user/oauth/grants",
        `DELETE /auth/v1/user/oauth/grants?client_id=${client.id}`,
      ]) {
        const body = operation.startsWith("POST") ? APPROVE : undefined;
        assert.equal((await stage.call(operation, bearer, body)).status, 403, operation);
      }
    assert.equal((await stage.call(consentOf(id), null, APPROVE)).status, 401);
    assert.equal((await stage.call(consentOf(id), person.token, APPROVE)).status, 200);
  });

  test("needs a recent sign-in, and one after the request where the program asks for it", async () => {
    const { access_token: token, user } = await signIn();
    const { session_id: session } = decodeJwt(token);
    const signedIn = (since: string) =>
      stage.sql(`update auth.sessions set proven_at = now() - interval '${since}' where id = $1`, [session]);
    const answer = async (more: Fields): Promise<string> => {
      const { id } = await stage.begin(client, { prompt: "consent", ...more });
      const { status, body } = await stage.call(consentOf(id), token, APPROVE);
      return `${status} ${body.error_code}`;
    };
    assert.equal(user.id, person.id);
    await signedIn("25 hours");
    assert.equal(await answer({}), "400 reauthentication_needed");
    const { id } = await stage.begin(client);
    const shown = await stage.callOk(`GET /auth/v1/oauth/authorizations/${id}`, token);
    assert.equal(shown.redirect_url, undefined, "an earlier consent does not replace the sign-in");
    await signedIn("1 hour");
    assert.equal(await answer({}), "200 undefined");
    assert.equal(await answer({ max_age: "60" }), "400 reauthentication_needed");
    assert.equal(await answer({ prompt: "login" }), "400 reauthentication_needed");
    assert.equal(await answer({ max_age: "7200" }), "200 undefined");
  });

  test("needs the second factor of a person who has one, which the session of the program then has", async () => {
    const careful = await stage.signUp();
    const factor = await stage.callOk("POST /auth/v1/factors", careful.token, { factor_type: "totp" });
    const secret = Secret.fromBase32(factor.totp.secret);
    const { id: challenge } = await stage.callOk(`POST /auth/v1/factors/${factor.id}/challenge`, careful.token, {});
    const code = new TOTP({ secret }).generate();
    const verified = await stage.callOk(`POST /auth/v1/factors/${factor.id}/verify`, careful.token, {
      challenge_id: challenge,
      code,
    });
    const low = await stage.callOk("POST /auth/v1/token?grant_type=password", null, {
      email: careful.email,
      password: PASSWORD,
    });
    const begun = await stage.begin(client);
    for (const operation of [consentOf(begun.id), `GET /auth/v1/oauth/authorizations/${begun.id}`]) {
      const body = operation.startsWith("POST") ? APPROVE : undefined;
      const { status, body: answer } = await stage.call(operation, low.access_token, body);
      assert.deepEqual([status, answer.error_code], [401, "insufficient_aal"]);
    }
    careful.token = verified.access_token;
    const back = await stage.answer(careful, begun);
    const { body } = await stage.redeem(client, back.searchParams.get("code") ?? "", begun);
    assert.equal(await stage.isLive(body.access_token), true);
    const [{ aal }] = await stage.sql("select aal from auth.sessions where user_id = $1 and api_key_hash is not null", [
      careful.id,
    ]);
    assert.equal(aal, "aal2");
  });

  test("cannot be for more than the program asks for", async () => {
    const { id } = await stage.begin(client, { scope: "read" });
    for (const scopes of [["read", "write"], ["secrets"], []]) {
      const { status } = await stage.call(consentOf(id), person.token, { ...APPROVE, scopes });
      assert.equal(status, 400);
    }
  });
});

describe("an authorization code", () => {
  test("needs the verifier of its request", async () => {
    const other = stage.requestOf(client).verifier;
    assert.equal(await redeemError({ code_verifier: other }), "400 invalid_grant");
    assert.equal(await redeemError({ code_verifier: "short" }), "400 invalid_grant");
    assert.equal(await redeemError({ code_verifier: "" }), "400 invalid_request");
    // A code of somebody else that is injected into the client's own flow has another challenge.
    const [own, stolen] = [await stage.begin(client), await stage.getCode(client, person)];
    assert.equal(errorOf(await stage.redeem(client, stolen.code, own)), "400 invalid_grant");
    assert.equal((await stage.redeem(client, stolen.code, stolen)).status, 200, "the attempt has not used it up");
  });

  test("is bound to its client, redirect address and resource", async () => {
    const other = await stage.addClient();
    assert.equal(await redeemError({}, { by: other }), "400 invalid_grant");
    assert.equal(await redeemError({ redirect_uri: "https://program.example.com/callback" }), "400 invalid_grant");
    assert.equal(await redeemError({ redirect_uri: "" }), "400 invalid_request");
    assert.equal(await redeemError({ resource: `${stage.url}/mcp` }), "400 invalid_target");
    assert.equal(await redeemError({ code: "nonsense" }), "400 invalid_grant");
    const local = await stage.addClient({ redirect_uris: ["http://127.0.0.1/callback"] });
    const begun = await stage.getCode(local, person, { redirect_uri: "http://127.0.0.1:4711/callback" });
    const at = { redirect_uri: "http://127.0.0.1:4712/callback" };
    assert.equal(errorOf(await stage.redeem(local, begun.code, begun, at)), "400 invalid_grant");
  });

  test("lives for a minute", async () => {
    const begun = await stage.getCode(client, person, { prompt: "consent" });
    const [{ seconds }] = await stage.sql(
      "select extract(epoch from expires_at - now())::int as seconds from auth.oauth_authorizations where id = $1",
      [begun.id],
    );
    assert.ok(seconds > 30 && seconds <= 60, String(seconds));
    await stage.sql("update auth.oauth_authorizations set expires_at = now() where id = $1", [begun.id]);
    assert.equal(errorOf(await stage.redeem(client, begun.code, begun)), "400 invalid_grant");
  });

  test("that is used twice ends the session that it made, and leaves a trace", async () => {
    const begun = await stage.getCode(client, person, { prompt: "consent" });
    const { body } = await stage.redeem(client, begun.code, begun);
    assert.equal(await stage.isLive(body.access_token), true);
    // Another client learns nothing and ends nothing.
    const other = await stage.addClient();
    assert.equal(errorOf(await stage.redeem(other, begun.code, begun)), "400 invalid_grant");
    assert.equal(await stage.isLive(body.access_token), true);
    const verifier = stage.requestOf(client).verifier;
    assert.equal(errorOf(await stage.redeem(client, begun.code, { verifier })), "400 invalid_grant");
    assert.equal(await stage.isLive(body.access_token), false);
    assert.equal(errorOf(await stage.refresh(client, body.refresh_token)), "400 invalid_grant");
    await stage.service.waitFor("oauth.code_reused");
    const trace = await stage.sql(
      "select 1 from auth.audit_log_entries where user_id = $1 and action = 'authorization_code_reused' and client_id = $2",
      [person.id, client.id],
    );
    assert.equal(trace.length, 1);
  });

  test("is redeemed by one of several concurrent attempts", async () => {
    const begun = await stage.getCode(client, person, { prompt: "consent" });
    const attempts = Array.from({ length: 6 }, () => stage.redeem(client, begun.code, begun));
    const won = (await Promise.all(attempts)).filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    const sessions = await stage.sql("select session_id from auth.oauth_authorizations where id = $1", [begun.id]);
    assert.deepEqual(sessions, [{ session_id: null }], "the others have ended its session");
  });

  test("of a person who was banned or has taken the consent back is worth nothing", async () => {
    const other = await stage.signUp();
    const [banned, revoked] = [
      await stage.getCode(client, other, { prompt: "consent" }),
      await stage.getCode(client, other, { prompt: "consent" }),
    ];
    await stage.sql("update auth.users set banned_until = now() + interval '1 hour' where id = $1", [other.id]);
    assert.equal(errorOf(await stage.redeem(client, banned.code, banned)), "400 invalid_grant");
    await stage.sql("update auth.users set banned_until = null where id = $1", [other.id]);
    await stage.callOk(`DELETE /auth/v1/user/oauth/grants?client_id=${client.id}`, other.token);
    assert.equal(errorOf(await stage.redeem(client, revoked.code, revoked)), "400 invalid_grant");
  });
});

describe("the token endpoint", () => {
  test("refuses a client that does not prove who it is in the way that it has registered", async () => {
    const post = await stage.addClient({ secret: "right" });
    const basic = await stage.addClient({ secret: "right", token_endpoint_auth_method: "client_secret_basic" });
    const attempts: readonly TestClient[] = [
      { ...post, secret: "wrong" },
      { ...post, secret: "" },
      { ...post, method: "none" },
      { ...post, method: "client_secret_basic" },
      { ...basic, secret: "wrong" },
      { ...basic, secret: "" },
      { ...basic, method: "client_secret_post" },
      { ...basic, method: "none" },
      { ...client, method: "client_secret_post", secret: "any" },
      { ...client, method: "client_secret_basic", secret: "any" },
      { ...client, method: "client_secret_basic", secret: "" },
      { ...client, id: randomUUID() },
    ];
    const fields = { grant_type: "authorization_code", code: "x", code_verifier: "x", redirect_uri: "x" };
    for (const path of ["/oauth/token", "/oauth/revoke"])
      for (const attempt of attempts) {
        const answer = await stage.post(path, attempt, { ...fields, token: "x" });
        assert.equal(errorOf(answer), "401 invalid_client", JSON.stringify(attempt));
        assert.match(answer.headers.get("www-authenticate") ?? "", /^Basic /);
      }
    const two = { authorization: `Basic ${Buffer.from(`${post.id}:right`).toString("base64")}` };
    assert.equal(errorOf(await stage.post("/oauth/token", post, fields, two)), "400 invalid_request");
  });

  test("answers faults in the form of the protocol, keeps nothing in caches, and accepts any origin", async () => {
    const cases: readonly [Fields, string][] = [
      [{}, "400 invalid_request"],
      [{ grant_type: "password" }, "400 unsupported_grant_type"],
      [{ grant_type: "client_credentials" }, "400 unsupported_grant_type"],
      [{ grant_type: "authorization_code" }, "400 invalid_request"],
      [{ grant_type: "refresh_token" }, "400 invalid_request"],
      [{ grant_type: "refresh_token", refresh_token: "nonsense" }, "400 invalid_grant"],
    ];
    for (const [fields, error] of cases) {
      const answer = await stage.post("/oauth/token", client, fields);
      assert.equal(errorOf(answer), error);
      assert.deepEqual(Object.keys(answer.body).sort(), ["error", "error_description"]);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    }
    const twice = `grant_type=refresh_token&grant_type=refresh_token&client_id=${client.id}&refresh_token=x`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = await fetch(`${stage.issuer}/oauth/token`, { method: "POST", body: twice, headers });
    assert.equal((await sent.json()).error, "invalid_request");
    const xml = { method: "POST", body: "<x/>", headers: { "content-type": "application/xml" } };
    const rejected = await fetch(`${stage.issuer}/oauth/token`, xml);
    assert.equal((await rejected.json()).error, "invalid_request");
    const ok = await stage.getCode(client, person, { prompt: "consent" });
    const { headers: given } = await stage.redeem(client, ok.code, ok);
    assert.equal(given.get("cache-control"), "no-store");
  });

  test("reads parameters from the body alone", async () => {
    const { code, verifier } = await stage.getCode(client, person, { prompt: "consent" });
    const query = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
      client_id: client.id,
    });
    assert.equal(errorOf(await stage.post(`/oauth/token?${query}`, null, {})), "400 invalid_request");
  });
});

describe("a refresh token", () => {
  test("belongs to its client and to what was granted", async () => {
    const other = await stage.addClient();
    const tokens = await stage.connect(client, person, { scope: "read", prompt: "consent" });
    const { refresh_token: token } = tokens;
    assert.equal(errorOf(await stage.refresh(other, token)), "400 invalid_grant");
    assert.equal(errorOf(await stage.refresh(client, token, { scope: "read run" })), "400 invalid_scope");
    assert.equal(errorOf(await stage.refresh(client, token, { scope: "openid" })), "400 invalid_scope");
    const elsewhere = { resource: `${stage.url}/mcp` };
    assert.equal(errorOf(await stage.refresh(client, token, elsewhere)), "400 invalid_target");
    assert.equal(await stage.isLive(tokens.access_token), true);
    const { status, body } = await stage.refresh(client, token, { scope: "read", resource: `${stage.url}/` });
    assert.deepEqual([status, body.scope], [200, "read"]);
  });

  test("that was forged is refused and ends nothing", async () => {
    const tokens = await stage.connect(client, person, { prompt: "consent" });
    const other = await stage.connect(client, person, { prompt: "consent" });
    const bytes = Buffer.from(tokens.refresh_token.slice(4), "base64url");
    const foreign = Buffer.from(other.refresh_token.slice(4), "base64url");
    // The id of one session with the signature of another.
    const mixed = Buffer.concat([bytes.subarray(0, 18), foreign.subarray(18)]).toString("base64url");
    const altered = tokens.refresh_token.replace(/.$/, (last: string) => (last === "A" ? "B" : "A"));
    for (const token of [`ort_${mixed}`, altered, tokens.refresh_token.slice(4), "ort_", `sk_${mixed}`])
      assert.equal(errorOf(await stage.refresh(client, token)), "400 invalid_grant");
    assert.equal(await stage.isLive(tokens.access_token), true);
  });

  test("that is replayed after its successor was used ends the session, and leaves a trace", async () => {
    const tokens = await stage.connect(client, person, { prompt: "consent" });
    const { body: renewed } = await stage.refresh(client, tokens.refresh_token);
    assert.equal(await stage.isLive(renewed.access_token), true);
    const { body: latest } = await stage.refresh(client, renewed.refresh_token);
    // Within seconds, another process of the client may be behind.
    assert.equal((await stage.refresh(client, tokens.refresh_token)).body.refresh_token, latest.refresh_token);
    await stage.sql("update auth.sessions set refreshed_at = now() - interval '1 minute' where user_id = $1", [
      person.id,
    ]);
    assert.equal(errorOf(await stage.refresh(client, tokens.refresh_token)), "400 invalid_grant");
    assert.equal(await stage.isLive(latest.access_token), false);
    assert.equal(errorOf(await stage.refresh(client, latest.refresh_token)), "400 invalid_grant");
    await stage.service.waitFor("oauth.refresh_reused");
    const trace = await stage.sql(
      "select 1 from auth.audit_log_entries where user_id = $1 and action = 'refresh_token_reused' and client_id = $2",
      [person.id, client.id],
    );
    assert.equal(trace.length, 1);
  });

  test("that is used by several processes at once advances the session once", async () => {
    const tokens = await stage.connect(client, person, { prompt: "consent" });
    const answers = await Promise.all(Array.from({ length: 6 }, () => stage.refresh(client, tokens.refresh_token)));
    const [first] = answers;
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, first?.body]);
    const [{ refresh_counter: counter }] = await stage.sql(
      `select s.refresh_counter from auth.sessions s join auth.oauth_authorizations a on a.session_id = s.id
        order by a.redeemed_at desc limit 1`,
    );
    assert.equal(counter, "1");
  });

  test("of a session that is over, or of a person who was banned, ends the session", async () => {
    const other = await stage.signUp();
    for (const change of [
      "update auth.sessions set not_after = now() where user_id = $1 and api_key_hash is not null",
      "update auth.users set banned_until = now() + interval '1 hour' where id = $1",
    ]) {
      const { refresh_token: token } = await stage.connect(client, other, { prompt: "consent" });
      await stage.sql(change, [other.id]);
      assert.equal(errorOf(await stage.refresh(client, token)), "400 invalid_grant");
      assert.deepEqual(await stage.sql("select 1 from auth.oauth_sessions where user_id = $1", [other.id]), []);
    }
  });

  test("of a program is not accepted for the session of a person, nor the other way round", async () => {
    const tokens = await stage.connect(client, person, { prompt: "consent" });
    const { refresh_token: own } = await signIn();
    const asPerson = (token: string) =>
      stage.call("POST /auth/v1/token?grant_type=refresh_token", null, { refresh_token: token });
    for (const token of [tokens.refresh_token, tokens.refresh_token.slice(4)])
      assert.deepEqual(
        [(await asPerson(token)).status, (await asPerson(token)).body.error_code],
        [400, "refresh_token_not_found"],
      );
    for (const token of [own, `ort_${own}`])
      assert.equal(errorOf(await stage.refresh(client, token)), "400 invalid_grant");
    assert.equal((await stage.post("/oauth/revoke", client, { token: `ort_${own}` })).status, 200);
    assert.equal((await asPerson(own)).status, 200);
    assert.equal(await stage.isLive(tokens.access_token), true);
  });
});

describe("a revocation", () => {
  test("by either token ends the session, and by another client or with an unknown token nothing", async () => {
    const other = await stage.addClient();
    for (const name of ["access_token", "refresh_token"] as const) {
      const tokens = await stage.connect(client, person, { prompt: "consent" });
      const revoke = (by: TestClient, token: string) => stage.post("/oauth/revoke", by, { token });
      assert.equal((await revoke(other, tokens[name])).status, 200);
      for (const token of ["nonsense", "ort_nonsense", `oat_${"0".repeat(49)}`])
        assert.equal((await revoke(client, token)).status, 200);
      assert.equal(await stage.isLive(tokens.access_token), true);
      assert.equal((await revoke(client, tokens[name])).status, 200);
      assert.equal(await stage.isLive(tokens.access_token), false);
      assert.equal(errorOf(await stage.refresh(client, tokens.refresh_token)), "400 invalid_grant");
    }
    assert.equal(errorOf(await stage.post("/oauth/revoke", client, {})), "400 invalid_request");
  });

  test("comes with everything that ends the access of somebody else to an account", async () => {
    const ends: readonly [string, boolean, (one: Person) => Promise<unknown>][] = [
      ["a sign-out everywhere", true, ({ token }) => stage.callOk("POST /auth/v1/logout?scope=global", token)],
      [
        "a change of the password",
        false,
        ({ token }) => stage.callOk("PUT /auth/v1/user", token, { password: "another good password" }),
      ],
      [
        "a ban",
        false,
        ({ id }) => stage.callOk(`PUT /auth/v1/admin/users/${id}`, serviceKey(), { ban_duration: "1h" }),
      ],
      [
        "a soft deletion",
        false,
        ({ id }) => stage.callOk(`DELETE /auth/v1/admin/users/${id}`, serviceKey(), { should_soft_delete: true }),
      ],
      ["a deletion", false, ({ id }) => stage.callOk(`DELETE /auth/v1/admin/users/${id}`, serviceKey())],
      [
        "the removal of all access",
        false,
        ({ id }) => stage.sql("update auth.users set access_removed_at = now() where id = $1", [id]),
      ],
    ];
    for (const [name, isConsentKept, end] of ends) {
      const one = await stage.signUp();
      const tokens = await stage.connect(client, one);
      const waiting = await stage.getCode(client, one, { prompt: "consent" });
      await end(one);
      assert.equal(await stage.isLive(tokens.access_token), false, name);
      assert.equal(errorOf(await stage.refresh(client, tokens.refresh_token)), "400 invalid_grant", name);
      assert.equal(errorOf(await stage.redeem(client, waiting.code, waiting)), "400 invalid_grant", name);
      const consents = await stage.sql("select 1 from auth.oauth_consents where user_id = $1", [one.id]);
      assert.equal(consents.length, isConsentKept ? 1 : 0, name);
    }
    // The end of one device is no concern of programs.
    const tokens = await stage.connect(client, person, { prompt: "consent" });
    for (const scope of ["local", "others"])
      await stage.callOk(`POST /auth/v1/logout?scope=${scope}`, (await signIn()).access_token);
    assert.equal(await stage.isLive(tokens.access_token), true);
    person = await stage.signUp();
  });
});

const serviceKey = (): string => stage.service.credentials.service_role_key;

describe("tokens", () => {
  test("of identity are accepted nowhere: not as a bearer, nor for a sign-in", async () => {
    const { id_token: token } = await stage.connect(client, person, { scope: "openid read", prompt: "consent" });
    const [header = "", payload = "", signature = ""] = token.split(".");
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = decodeJwt(token);
    const forged = await new SignJWT({ ...claims, aud: "authenticated" })
      .setProtectedHeader({ alg: "HS256" })
      .sign(Buffer.from(JSON.stringify((await stage.callOk("GET /auth/v1/.well-known/jwks.json")).keys[0])));
    const bearers = [
      token,
      `${encode({ alg: "none" })}.${payload}.`,
      `${header}.${encode({ ...claims, aud: ["authenticated", client.id] })}.${signature}`,
      forged,
    ];
    for (const bearer of bearers)
      for (const operation of ["GET /rest/v1/agents", "GET /auth/v1/user", "GET /auth/v1/oauth/userinfo"])
        assert.equal((await stage.call(operation, bearer)).status, 401, operation);
    const signedIn = await stage.call("POST /auth/v1/token?grant_type=id_token", null, {
      provider: "google",
      id_token: token,
    });
    assert.equal(signedIn.status, 400);
  });

  test("of access are read from the header alone, and expire", async () => {
    const { access_token: token } = await stage.connect(client, person, { scope: "openid read", prompt: "consent" });
    const { anon_key: apikey } = stage.service.credentials;
    const inQuery = await fetch(`${stage.url}/rest/v1/agents?access_token=${token}`, { headers: { apikey } });
    assert.ok(inQuery.status === 401 || inQuery.status === 400, String(inQuery.status));
    assert.equal((await stage.call(`GET /auth/v1/oauth/userinfo?access_token=${token}`)).status, 401);
    assert.equal((await stage.call("GET /auth/v1/oauth/userinfo", token)).status, 200);
    const { access_token: expired } = await stage.connect(client, person, { prompt: "consent" });
    await stage.sql("update auth.oauth_sessions set access_expires_at = now()");
    assert.equal(await stage.isLive(expired), false);
  });

  test("tell about the person with the scope openid alone", async () => {
    const { access_token: token } = await stage.connect(client, person, { scope: "read email", prompt: "consent" });
    for (const bearer of [token, person.token])
      assert.equal((await stage.call("GET /auth/v1/oauth/userinfo", bearer)).status, 403);
    const { access_token: open } = await stage.connect(client, person, {
      scope: "openid",
      prompt: "consent",
      resource: `${stage.url}/mcp`,
    });
    assert.deepEqual(await stage.callOk("POST /auth/v1/oauth/userinfo", open, {}), { sub: person.id });
  });

  test("and codes, secrets and verifiers are in no line of the log", async () => {
    const secret = "SECRET-CANARY-of-the-program";
    const confidential = await stage.addClient({ secret });
    const begun = await stage.getCode(confidential, person, { prompt: "consent", state: "STATE-CANARY" });
    const { body: first } = await stage.redeem(confidential, begun.code, begun);
    const { body: second } = await stage.refresh(confidential, first.refresh_token);
    await stage.redeem(confidential, begun.code, begun);
    await stage.post("/oauth/revoke", confidential, { token: second.access_token });
    await stage.refresh({ ...confidential, secret: `${secret}x` }, second.refresh_token);
    await stage.service.waitFor("oauth.client_refused");
    const output = stage.service.output();
    const hidden = [secret, begun.code, begun.verifier, first.access_token, first.refresh_token, second.access_token];
    for (const text of [...hidden, second.refresh_token, "STATE-CANARY"]) assert.ok(!output.includes(text), text);
  });
});
