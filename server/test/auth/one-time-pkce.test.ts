import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import { collectClosers } from "./one-time-closers.ts";
import { claimsOf, follow, makePerson, readMail, sessionOf } from "./one-time-mailbox.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

const VERIFIER = "v".repeat(56);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");
const S256 = { code_challenge: CHALLENGE, code_challenge_method: "s256" };
const EXPIRED = {
  error: "access_denied",
  error_code: "otp_expired",
  error_description: "Email link is invalid or has expired",
};

describe("the PKCE flow", () => {
  const closers = collectClosers();
  let auth: TestAuthContext;
  before(async () => {
    auth = await createAuthContext(closers, {
      settings: { authAutoconfirm: false, siteUrl: "https://site.example/x?y=1" },
    });
  });

  const exchange = (auth_code: unknown, code_verifier: unknown) =>
    auth.call("POST", "/token", { query: { grant_type: "pkce" }, body: { auth_code, code_verifier } });

  async function start(email: string, challenge: object = S256): Promise<{ link: URL; hash: string; code: string }> {
    await makePerson(auth, email);
    await auth.call("POST", "/recover", { body: { email, ...challenge } });
    return readMail(auth, email, "recovery");
  }

  async function reachCode(email: string, challenge: object = S256): Promise<string> {
    const { query, fragment } = await follow(auth, (await start(email, challenge)).link);
    assert.deepEqual(fragment, {});
    assert.equal(query["y"], "1");
    assert.match(query["code"] ?? "", /^[0-9a-f-]{36}$/);
    return query["code"] ?? "";
  }

  for (const [name, challenge] of [
    ["s256", S256],
    ["plain", { code_challenge: VERIFIER, code_challenge_method: "plain" }],
  ] as const) {
    it(`with ${name}: the link brings a code, the code and the verifier a session`, async () => {
      const code = await reachCode(`${name}@example.com`, challenge);
      const session = sessionOf(await exchange(code, VERIFIER));
      assert.equal(claimsOf(session).email, `${name}@example.com`);
      assert.deepEqual(
        claimsOf(session).amr.map(({ method }) => method),
        ["recovery"],
      );
      await assert.rejects(exchange(code, VERIFIER), rejection(404, "flow_state_not_found"));
    });
  }

  it("records the authentication method", async () => {
    const ways = [
      [
        "email/signup",
        "confirmation",
        () =>
          auth.call("POST", "/signup", {
            body: { email: "way-signup@example.com", password: "correct horse", ...S256 },
          }),
        "way-signup@example.com",
      ],
      [
        "magiclink",
        "magiclink",
        async () => {
          await makePerson(auth, "way-link@example.com");
          await auth.call("POST", "/otp", { body: { email: "way-link@example.com", ...S256 } });
        },
        "way-link@example.com",
      ],
    ] as const;
    for (const [method, kind, ask, email] of ways) {
      await ask();
      const { link, hash } = readMail(auth, email, kind);
      assert.match(hash, /^pkce_/);
      const { query } = await follow(auth, link);
      const session = sessionOf(await exchange(query["code"], VERIFIER));
      assert.deepEqual(
        claimsOf(session).amr.map((entry) => entry.method),
        [method],
      );
    }
  });

  it("rejects a wrong verifier without using the code up", async () => {
    const code = await reachCode("wrong-verifier@example.com");
    for (const wrong of ["w".repeat(56), CHALLENGE, VERIFIER.slice(1), `${VERIFIER}v`]) {
      await assert.rejects(exchange(code, wrong), rejection(400, "bad_code_verifier"));
    }
    sessionOf(await exchange(code, VERIFIER));
  });

  it("requires the verifier of POST /verify with the token of the link, and rejects others without using it up", async () => {
    const { hash } = await start("posted@example.com");
    const verify = (verifier: object) =>
      auth.call("POST", "/verify", { body: { type: "recovery", token_hash: hash, ...verifier } });
    await assert.rejects(verify({}), rejection(400, "validation_failed", /code_verifier/));
    for (const wrong of ["w".repeat(56), CHALLENGE]) {
      await assert.rejects(verify({ code_verifier: wrong }), rejection(400, "bad_code_verifier"));
    }
    const session = sessionOf(await verify({ code_verifier: VERIFIER }));
    assert.equal(claimsOf(session).email, "posted@example.com");
    await assert.rejects(verify({ code_verifier: VERIFIER }), rejection(403, "otp_expired"));
  });

  it("creates one session for concurrent exchanges of a code", async () => {
    const code = await reachCode("exchange-storm@example.com");
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => exchange(code, VERIFIER)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  });

  it("expires when the code is not exchanged", async () => {
    const code = await reachCode("slow-exchange@example.com");
    auth.clock.advance(5 * 60 * 1000 + 1);
    await assert.rejects(exchange(code, VERIFIER), rejection(400, "flow_state_expired"));
  });

  it("accepts a link long after it was requested", async () => {
    const { link } = await start("late-link@example.com");
    auth.clock.advance(60 * 60 * 1000);
    const { query } = await follow(auth, link);
    sessionOf(await exchange(query["code"], VERIFIER));
  });

  const unknown: readonly [string, unknown, unknown, number, string][] = [
    ["a code that never was", "00000000-0000-4000-8000-000000000000", VERIFIER, 404, "flow_state_not_found"],
    ["no uuid for a code", "'; drop table auth.users; --", VERIFIER, 404, "flow_state_not_found"],
    ["no code", undefined, VERIFIER, 400, "validation_failed"],
    ["no verifier", "00000000-0000-4000-8000-000000000000", undefined, 400, "validation_failed"],
    ["an endless verifier", "00000000-0000-4000-8000-000000000000", "v".repeat(100_000), 400, "validation_failed"],
    ["an object for a code", { $ne: null }, VERIFIER, 400, "validation_failed"],
  ];
  for (const [name, code, verifier, status, error] of unknown) {
    it(`rejects ${name}`, async () => {
      await assert.rejects(exchange(code, verifier), rejection(status, error));
    });
  }

  it("reports an invalid link in query and fragment", async () => {
    const { link } = await start("dead-link@example.com");
    await follow(auth, link);
    const { query, fragment } = await follow(auth, link);
    assert.deepEqual(query, { y: "1", ...EXPIRED });
    assert.deepEqual(fragment, { ...EXPIRED, sb: "" });
  });

  it("cannot be bypassed by removing the prefix of the link", async () => {
    const { link, hash } = await start("stripped@example.com");
    const bare = new URL(link);
    bare.searchParams.set("token", hash.replace("pkce_", ""));
    assert.equal((await follow(auth, bare)).fragment["error_code"], "otp_expired");
    assert.ok((await follow(auth, link)).query["code"]);
  });

  it("accepts the code of the mail, and its hash with the verifier, without an exchange", async () => {
    const first = await start("code-of-flow@example.com");
    sessionOf(
      await auth.call("POST", "/verify", {
        body: { type: "recovery", email: "code-of-flow@example.com", token: first.code },
      }),
    );
    const second = await start("hash-of-flow@example.com");
    sessionOf(
      await auth.call("POST", "/verify", {
        body: { type: "recovery", token_hash: second.hash, code_verifier: VERIFIER },
      }),
    );
  });

  it("rejects users who were banned meanwhile", async () => {
    const code = await reachCode("ban-on-the-way@example.com");
    await auth.context.pool.query(
      "update auth.users set banned_until = 'infinity' where email = 'ban-on-the-way@example.com'",
    );
    await assert.rejects(exchange(code, VERIFIER), rejection(403, "user_banned"));
  });
});
