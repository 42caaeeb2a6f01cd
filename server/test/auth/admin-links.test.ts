import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AdminFixture, openAdmin } from "./admin-fixture.ts";
import { PASSWORD, readClaims, assertRejected, type Shown, type Tokens } from "./mfa-person.ts";

const SITE = "https://app.example.com";

async function generate({ stage }: AdminFixture, body: unknown, query: Record<string, string> = {}): Promise<Shown> {
  const answer = await stage.call("POST", "/admin/generate_link", { token: stage.serviceRoleKey, body, query });
  return answer.body as Shown;
}

async function verify({ stage }: AdminFixture, body: unknown): Promise<Shown> {
  return (await stage.call("POST", "/verify", { body })).body as Shown;
}

async function invite({ stage }: AdminFixture, body: unknown, query: Record<string, string> = {}): Promise<Shown> {
  return (await stage.call("POST", "/invite", { token: stage.serviceRoleKey, body, query })).body as Shown;
}

describe("POST /admin/generate_link", () => {
  it("creates the user, and both link and code are valid", async (t) => {
    const fixture = await openAdmin(t, { settings: { siteUrl: SITE } });
    const body = { type: "signup", email: "New@example.com", password: PASSWORD, data: { full_name: "Ada" } };
    const link = await generate(fixture, body);
    assert.equal(link["email"], "new@example.com");
    assert.equal(link["user_metadata"].full_name, "Ada");
    assert.ok(link["confirmation_sent_at"]);
    assert.deepEqual([link["verification_type"], link["redirect_to"]], ["signup", SITE]);
    assert.match(link["email_otp"], /^\d{6}$/);
    const url = new URL(link["action_link"]);
    assert.equal(url.origin + url.pathname, "https://localhost:8443/auth/v1/verify");
    assert.deepEqual(
      [url.searchParams.get("token"), url.searchParams.get("type"), url.searchParams.get("redirect_to")],
      [link["hashed_token"], "signup", SITE],
    );
    assert.equal(fixture.stage.mails.length, 0);
    const session = await verify(fixture, { type: "signup", email: "new@example.com", token: link["email_otp"] });
    assert.equal(readClaims(session["access_token"])["sub"], link["id"]);
    await fixture.signIn("new@example.com");

    const other = await generate(fixture, { type: "signup", email: "b@example.com", password: PASSWORD });
    assert.ok((await verify(fixture, { type: "signup", token_hash: other["hashed_token"] }))["access_token"]);
  });

  it("creates recovery and sign-in links for existing users", async (t) => {
    const fixture = await openAdmin(t);
    const { id, email } = await fixture.newUser();
    for (const type of ["recovery", "magiclink"]) {
      const link = await generate(fixture, { type, email });
      assert.deepEqual([link["id"], link["verification_type"]], [id, type]);
      assert.ok(link["recovery_sent_at"]);
      const session = await verify(fixture, { type, token_hash: link["hashed_token"] });
      assert.equal(session["user"].id, id);
      await assertRejected(verify(fixture, { type, token_hash: link["hashed_token"] }), 403, "otp_expired");
    }
    const stranger = generate(fixture, { type: "recovery", email: "nobody@example.com" });
    await assertRejected(stranger, 404, "user_not_found");
  });

  it("turns a magic link for an unknown address into a sign-up", async (t) => {
    const fixture = await openAdmin(t);
    const link = await generate(fixture, { type: "magiclink", email: "new@example.com" });
    assert.equal(link["verification_type"], "signup");
    const session = await verify(fixture, { type: "signup", token_hash: link["hashed_token"] });
    assert.equal(session["user"].email, "new@example.com");
  });

  it("creates an invitation, and another one until it is accepted", async (t) => {
    const fixture = await openAdmin(t);
    const first = await generate(fixture, { type: "invite", email: "a@example.com", data: { team: 1 } });
    const second = await generate(fixture, { type: "invite", email: "a@example.com", data: { team: 2 } });
    assert.equal(first["id"], second["id"]);
    assert.ok(second["invited_at"]);
    assert.equal(second["user_metadata"].team, 2);
    await assertRejected(verify(fixture, { type: "invite", token_hash: first["hashed_token"] }), 403, "otp_expired");
    await verify(fixture, { type: "invite", token_hash: second["hashed_token"] });
    await assertRejected(generate(fixture, { type: "invite", email: "a@example.com" }), 422, "email_exists");
    await assertRejected(
      generate(fixture, { type: "signup", email: "a@example.com", password: PASSWORD }),
      422,
      "email_exists",
    );
  });

  it("changes an address after both confirmations", async (t) => {
    const fixture = await openAdmin(t);
    const { id, email } = await fixture.newUser();
    const change = { email, new_email: "Moved@example.com" };
    const current = await generate(fixture, { type: "email_change_current", ...change });
    await verify(fixture, { type: "email_change", token_hash: current["hashed_token"] });
    const fresh = await generate(fixture, { type: "email_change_new", ...change });
    assert.equal(fresh["new_email"], "moved@example.com");
    assert.equal(new URL(fresh["action_link"]).searchParams.get("type"), "email_change");
    assert.equal((await fixture.read(id))["email"], email);
    await verify(fixture, { type: "email_change", token_hash: fresh["hashed_token"] });
    assert.equal((await fixture.read(id))["email"], "moved@example.com");
  });

  it("rejects invalid bodies", async (t) => {
    const fixture = await openAdmin(t, { settings: { authSecureEmailChange: false } });
    const { email } = await fixture.newUser();
    await fixture.create({ email: "taken@example.com" });
    await assertRejected(generate(fixture, { type: "sms", email }), 400, "validation_failed");
    await assertRejected(generate(fixture, { type: "constructor", email }), 400, "validation_failed");
    await assertRejected(generate(fixture, { email }), 400, "validation_failed");
    await assertRejected(generate(fixture, { type: "signup", email: "x" }), 400, "validation_failed");
    await assertRejected(generate(fixture, { type: "signup", email: "new@example.com" }), 400, "validation_failed");
    await assertRejected(
      generate(fixture, { type: "signup", email: "new@example.com", password: "1" }),
      422,
      "weak_password",
    );
    const change = (type: string, new_email?: string) => generate(fixture, { type, email, new_email });
    await assertRejected(change("email_change_current", "n@example.com"), 400, "validation_failed");
    await assertRejected(change("email_change_new"), 400, "validation_failed");
    await assertRejected(change("email_change_new", "taken@example.com"), 422, "email_exists");
    await assertRejected(change("email_change_new", email), 422, "email_exists");
    assert.equal(await fixture.count("auth.users"), 2);
  });

  it("restricts redirects to the allow list", async (t) => {
    const settings = { siteUrl: SITE, redirectAllowList: ["https://other.example.com/**"] };
    const fixture = await openAdmin(t, { settings });
    const { email } = await fixture.newUser();
    const redirect = async (body: object, query = {}) =>
      (await generate(fixture, { type: "magiclink", email, ...body }, query))["redirect_to"];
    assert.equal(await redirect({}, { redirect_to: "https://other.example.com/in" }), "https://other.example.com/in");
    assert.equal(await redirect({ redirect_to: `${SITE}/in` }), `${SITE}/in`);
    assert.equal(await redirect({}, { redirect_to: "https://evil.example.net/" }), SITE);
  });
});

describe("an invitation", () => {
  it("sends a mail whose link signs in", async (t) => {
    const fixture = await openAdmin(t, { settings: { siteUrl: SITE } });
    const user = await invite(
      fixture,
      { email: "A@example.com", data: { full_name: "Ada" } },
      { redirect_to: `${SITE}/hi` },
    );
    assert.deepEqual([user["email"], user["user_metadata"].full_name], ["a@example.com", "Ada"]);
    assert.ok(user["invited_at"]);
    assert.ok(user["confirmation_sent_at"]);
    const [mail] = fixture.stage.mails;
    assert.deepEqual([mail?.kind, mail?.to], ["invite", "a@example.com"]);
    const link = new URL(mail?.values.link ?? "");
    assert.equal(link.searchParams.get("redirect_to"), `${SITE}/hi`);
    const token_hash = link.searchParams.get("token");
    const session = (await verify(fixture, { type: "invite", token_hash })) as unknown as Tokens;
    assert.equal(session.user.id, user["id"]);
    await assertRejected(invite(fixture, { email: "a@example.com" }), 422, "email_exists");
  });

  it("can be sent again, and rejects invalid addresses", async (t) => {
    const fixture = await openAdmin(t);
    const first = await invite(fixture, { email: "a@example.com" });
    assert.equal((await invite(fixture, { email: "a@example.com" }))["id"], first["id"]);
    assert.equal(fixture.stage.mails.length, 2);
    await assertRejected(invite(fixture, { email: "a" }), 400, "validation_failed");
    await assertRejected(invite(fixture, {}), 400, "validation_failed");
  });

  it("returns an error when the mail cannot be sent, and can be repeated", async (t) => {
    let isAway = true;
    const fixture = await openAdmin(t, {
      onMail: () => {
        if (isAway) throw new Error("no mail server");
      },
    });
    await assert.rejects(invite(fixture, { email: "a@example.com" }));
    isAway = false;
    await invite(fixture, { email: "a@example.com" });
    assert.equal(fixture.stage.mails.length, 1);
  });
});
