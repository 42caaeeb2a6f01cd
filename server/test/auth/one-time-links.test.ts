import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { collectClosers } from "./one-time-closers.ts";
import { findPerson, follow, makePerson, readMail, sessionOf } from "./one-time-mailbox.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";

const EXPIRED = {
  error: "access_denied",
  error_code: "otp_expired",
  error_description: "Email link is invalid or has expired",
};

describe("the link of a mail", () => {
  const closers = collectClosers();
  let auth: TestAuthContext;
  before(async () => {
    auth = await createAuthContext(closers, {
      settings: {
        authAutoconfirm: false,
        siteUrl: "https://site.example",
        redirectAllowList: ["https://app.example/**", "myapp://callback"],
      },
    });
  });

  async function ask(email: string, body: object = {}, redirectTo = "https://app.example/in?kept=1") {
    await makePerson(auth, email);
    await auth.call("POST", "/otp", { body: { email, ...body }, query: { redirect_to: redirectTo } });
    return readMail(auth, email, "magiclink");
  }

  it("signs in: the session is in the fragment, in GoTrue's order, and nowhere else", async () => {
    const { link } = await ask("click@example.com");
    const { target, fragment, query } = await follow(auth, link);
    assert.equal(`${target.origin}${target.pathname}`, "https://app.example/in");
    assert.deepEqual(query, { kept: "1" });
    assert.deepEqual(Object.keys(fragment), [
      "access_token",
      "expires_at",
      "expires_in",
      "refresh_token",
      "sb",
      "token_type",
      "type",
    ]);
    assert.deepEqual(
      [fragment["sb"], fragment["token_type"], fragment["type"], fragment["expires_in"]],
      ["", "bearer", "magiclink", "3600"],
    );
    await auth.call("GET", "/user", { token: fragment["access_token"] ?? "" });
    await auth.call("POST", "/token", {
      query: { grant_type: "refresh_token" },
      body: { refresh_token: fragment["refresh_token"] },
    });
  });

  it("confirms a sign-up and accepts an invitation", async () => {
    await auth.call("POST", "/signup", { body: { email: "sign-up@example.com", password: "correct horse" } });
    const signUp = await follow(auth, readMail(auth, "sign-up@example.com", "confirmation").link);
    assert.equal(signUp.target.origin, "https://site.example");
    assert.equal(signUp.fragment["type"], "signup");
    assert.ok((await findPerson(auth, "sign-up@example.com")).email_confirmed_at);
    await auth.call("POST", "/invite", { token: auth.serviceRoleKey, body: { email: "invited@example.com" } });
    const invite = await follow(auth, readMail(auth, "invited@example.com", "invite").link);
    assert.equal(invite.fragment["type"], "invite");
  });

  it("redirects to a custom scheme", async () => {
    const { link } = await ask("phone@example.com", {}, "myapp://callback");
    const { target, fragment } = await follow(auth, link);
    assert.match(target.href, /^myapp:\/\/callback#access_token=/);
    assert.equal(fragment["type"], "magiclink");
  });

  it("is valid once", async () => {
    const { link } = await ask("twice@example.com");
    await follow(auth, link);
    const { target, fragment, query } = await follow(auth, link);
    assert.equal(target.origin, "https://app.example");
    assert.deepEqual(fragment, { ...EXPIRED, sb: "" });
    assert.deepEqual(query, { kept: "1" });
  });

  it("followed concurrently works once", async () => {
    const { link } = await ask("storm@example.com");
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => follow(auth, link)));
    assert.equal(outcomes.filter(({ fragment }) => fragment["access_token"] !== undefined).length, 1);
    assert.equal(outcomes.filter(({ fragment }) => fragment["error_code"] === "otp_expired").length, 7);
  });

  it("is not used up by a prefetch", async () => {
    const { link } = await ask("prefetch@example.com");
    const query = Object.fromEntries(link.searchParams);
    for (const headers of [{ "sec-purpose": "prefetch;prerender" }, { purpose: "prefetch" }, { "x-moz": "prefetch" }]) {
      assert.equal((await auth.call("GET", "/verify", { query, headers })).status, 503);
    }
    assert.ok((await follow(auth, link)).fragment["access_token"]);
  });

  it("redirects to the site when its redirect was tampered with", async () => {
    const { link } = await ask("changed@example.com");
    for (const evil of [
      "https://evil.example/",
      "//evil.example",
      "javascript:alert(1)",
      "https://app.example@evil.example/",
      "https://site.example.evil.example/",
    ]) {
      const bent = new URL(link);
      bent.searchParams.set("redirect_to", evil);
      bent.searchParams.set("token", "0".repeat(64));
      assert.equal((await follow(auth, bent)).target.origin, "https://site.example");
    }
    link.searchParams.set("redirect_to", "https://evil.example/");
    const { target, fragment } = await follow(auth, link);
    assert.equal(target.origin, "https://site.example");
    assert.ok(fragment["access_token"]);
  });

  it("redirects to the site when the requested redirect is not on the allow list", async () => {
    const { link } = await ask("asked@example.com", {}, "https://evil.example/in");
    assert.equal(link.searchParams.get("redirect_to"), "https://site.example");
  });

  const broken: readonly [string, Record<string, string>, string][] = [
    ["without anything", {}, "validation_failed"],
    ["without a type", { token: "0".repeat(64) }, "validation_failed"],
    ["with an unknown type", { token: "0".repeat(64), type: "nonsense" }, "validation_failed"],
    ["without a token", { type: "signup" }, "otp_expired"],
    ["with a token that never was", { type: "signup", token: "0".repeat(64) }, "otp_expired"],
    ["with an endless token", { type: "signup", token: "0".repeat(50_000) }, "otp_expired"],
    ["with NUL in the token", { type: "signup", token: "a\u0000b" }, "otp_expired"],
  ];
  for (const [name, query, code] of broken) {
    it(`${name} redirects with the error`, async () => {
      const answer = await auth.call("GET", "/verify", { query });
      assert.equal(answer.status, 303);
      const { origin, hash, search } = new URL(answer.headers?.["location"] ?? "");
      assert.deepEqual([origin, search], ["https://site.example", ""]);
      assert.equal(new URLSearchParams(hash.slice(1)).get("error_code"), code);
    });
  }

  it("of one kind is not valid as another", async () => {
    const { link } = await ask("kinds@example.com");
    for (const type of ["signup", "recovery", "invite", "email_change"]) {
      link.searchParams.set("type", type);
      assert.equal((await follow(auth, link)).fragment["error_code"], "otp_expired");
    }
  });

  it("of the admin API is equivalent to its code", async () => {
    for (const [place, use] of ["hash", "code", "link"].entries()) {
      const email = `generated-${place}@example.com`;
      await makePerson(auth, email);
      const body = { type: "magiclink", email };
      const { body: made } = await auth.call("POST", "/admin/generate_link", { token: auth.serviceRoleKey, body });
      const { email_otp, hashed_token, action_link } = made as {
        email_otp: string;
        hashed_token: string;
        action_link: string;
      };
      if (use === "link") assert.ok((await follow(auth, new URL(action_link))).fragment["access_token"]);
      else if (use === "hash")
        sessionOf(await auth.call("POST", "/verify", { body: { type: "magiclink", token_hash: hashed_token } }));
      else sessionOf(await auth.call("POST", "/verify", { body: { type: "magiclink", email, token: email_otp } }));
    }
  });
});
