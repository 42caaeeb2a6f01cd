import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { openAdmin } from "./admin-fixture.ts";
import { PASSWORD, readClaims, assertRejected } from "./mfa-person.ts";

const BCRYPT = "$2b$04$CCCCCCCCCCCCCCCCCCCCC.";

describe("POST /admin/users", () => {
  it("creates the user, the identity, the profile and the settings", async (t) => {
    const { stage, create, count } = await openAdmin(t);
    const user = await create({
      email: " New@Example.COM ",
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { full_name: "Ada", sub: "A-1", email: null, ["__proto__"]: { role: "x" } },
      app_metadata: { plan: "pro" },
      phone: "",
      role: "editor",
    });
    assert.equal(user["email"], "new@example.com");
    assert.equal(user["role"], "editor");
    assert.ok(user["email_confirmed_at"] instanceof Date);
    assert.deepEqual(user["app_metadata"], { plan: "pro", provider: "email", providers: ["email"] });
    assert.deepEqual(user["user_metadata"], { full_name: "Ada", sub: "A-1", email: null });
    assert.equal(user["identities"].length, 1);
    assert.equal(user["identities"][0].identity_data.email, "new@example.com");
    assert.ok(!("password_hash" in user));
    const profile = await stage.context.pool.query("select full_name from public.profiles where id = $1", [user["id"]]);
    assert.deepEqual(profile.rows, [{ full_name: "Ada" }]);
    assert.equal(await count("public.user_settings"), 1);
    assert.equal(stage.mails.length, 0);
  });

  it("creates an unconfirmed account without a password by default", async (t) => {
    const { stage, create, signIn } = await openAdmin(t);
    const user = await create({ email: "a@example.com", password: PASSWORD });
    assert.ok(!("email_confirmed_at" in user));
    await assertRejected(signIn("a@example.com"), 400, "email_not_confirmed");
    await create({ email: "b@example.com", email_confirm: true, password: "" });
    await assertRejected(signIn("b@example.com", PASSWORD), 400, "invalid_credentials");
    const { rows } = await stage.context.pool.query(
      "select password_hash from auth.users where email = 'b@example.com'",
    );
    assert.deepEqual(rows, [{ password_hash: null }]);
  });

  it("accepts an id and rejects it when it is taken", async (t) => {
    const { create } = await openAdmin(t);
    const id = randomUUID();
    assert.equal((await create({ id: id.toUpperCase(), email: "a@example.com" }))["id"], id);
    await assertRejected(create({ id, email: "b@example.com" }), 422, "user_already_exists");
    const nil = "00000000-0000-0000-0000-000000000000";
    for (const bad of [nil, "x", `${id}'`])
      await assertRejected(create({ id: bad, email: "c@example.com" }), 400, "validation_failed");
  });

  it("accepts a password hash of another system", async (t) => {
    const { create, signIn, stage } = await openAdmin(t);
    const hash = await stage.context.hasher.hash(PASSWORD);
    await create({ email: "a@example.com", email_confirm: true, password_hash: hash });
    assert.equal(readClaims((await signIn("a@example.com")).access_token)["email"], "a@example.com");
    await assertRejected(create({ email: "b@example.com", password_hash: "md5:abc" }), 400, "validation_failed");
    await assertRejected(create({ email: "b@example.com", password_hash: BCRYPT }), 400, "validation_failed");
    const both = create({ email: "b@example.com", password: PASSWORD, password_hash: hash });
    await assertRejected(both, 400, "validation_failed");
  });

  it("rejects invalid bodies with a message", async (t) => {
    const { create, count } = await openAdmin(t, { settings: { authPasswordMinLength: 8 } });
    await create({ email: "taken@example.com" });
    await assertRejected(create({ email: "TAKEN@example.com" }), 422, "email_exists");
    await assertRejected(create({}), 400, "validation_failed");
    await assertRejected(create({ email: "nobody" }), 400, "validation_failed");
    await assertRejected(create({ phone: "+49123456" }), 400, "phone_provider_disabled");
    await assertRejected(create({ email: "a@example.com", phone: "+49123456" }), 400, "phone_provider_disabled");
    await assertRejected(create({ phone: "0170/1234" }), 400, "validation_failed");
    await assertRejected(create({ email: "a@example.com", password: "short" }), 422, "weak_password");
    for (const body of [
      { role: "service_role" },
      { role: "anon" },
      { role: "sb_service" },
      { ban_duration: "for ever" },
      { user_metadata: [] },
      { user_metadata: { a: "\0" } },
      { app_metadata: "x" },
      { app_metadata: { big: "x".repeat(40_000) } },
      { email_confirm: "yes" },
      { password: 12345678 },
    ])
      await assertRejected(create({ email: "a@example.com", ...body }), 400, "validation_failed");
    assert.equal(await count("auth.users"), 1);
  });

  it("requires the service role", async (t) => {
    const { stage, newUser } = await openAdmin(t);
    const { tokens } = await newUser();
    const calls = [
      ["POST", "/admin/users"],
      ["GET", "/admin/users"],
      ["GET", `/admin/users/${randomUUID()}`],
      ["PUT", `/admin/users/${randomUUID()}`],
      ["DELETE", `/admin/users/${randomUUID()}`],
      ["POST", `/admin/users/${randomUUID()}/logout`],
      ["GET", `/admin/users/${randomUUID()}/factors`],
      ["DELETE", `/admin/users/${randomUUID()}/factors/${randomUUID()}`],
      ["POST", "/admin/generate_link"],
      ["POST", "/invite"],
      ["GET", "/admin/oauth/clients"],
    ] as const;
    for (const [method, path] of calls) {
      await assertRejected(stage.call(method, path, { token: tokens.access_token }), 403, "not_admin");
      await assertRejected(stage.call(method, path, { token: stage.anonKey }), 403, "not_admin");
      await assertRejected(stage.call(method, path), 401, "no_authorization");
    }
  });
});

describe("PUT /admin/users/:id", () => {
  it("merges metadata and changes the address at once", async (t) => {
    const { change, newUser, stage } = await openAdmin(t);
    const { id } = await newUser({ user_metadata: { a: 1, b: 2 } });
    const first = await change(id, { user_metadata: { b: null, c: 3 }, app_metadata: { plan: "pro" } });
    assert.deepEqual(first["user_metadata"], { a: 1, c: 3 });
    assert.deepEqual((await change(id, { ban_duration: "none" }))["user_metadata"], { a: 1, c: 3 });
    assert.equal(first["app_metadata"].plan, "pro");
    const second = await change(id, { email: "Moved@example.com", app_metadata: { plan: null } });
    assert.deepEqual([second["email"], second["user_metadata"].email], ["moved@example.com", "moved@example.com"]);
    assert.equal(second["identities"][0].email, "moved@example.com");
    assert.deepEqual(second["app_metadata"], { provider: "email", providers: ["email"] });
    const profile = await stage.context.pool.query("select email from public.profiles where id = $1", [id]);
    assert.deepEqual(profile.rows, [{ email: "moved@example.com" }]);
    assert.equal(stage.mails.length, 0);
  });

  it("confirms an address and makes an anonymous account permanent", async (t) => {
    const { create, change, stage, signIn } = await openAdmin(t);
    const user = await create({ email: "a@example.com", password: PASSWORD });
    const confirmed = await change(user["id"], { email_confirm: true });
    assert.ok(confirmed["email_confirmed_at"]);
    assert.equal(confirmed["user_metadata"].email_verified, true);
    assert.equal(confirmed["identities"][0].identity_data.email_verified, true);
    await signIn("a@example.com");

    const guest = (await stage.call("POST", "/signup", { body: {} })).body as { user: { id: string } };
    const known = await change(guest.user.id, { email: "b@example.com", email_confirm: true });
    assert.deepEqual([known["is_anonymous"], known["app_metadata"].provider], [false, "email"]);
    assert.equal(known["identities"].length, 1);
  });

  it("of a link has the data that the administrator sent, and nothing else", async (t) => {
    const { stage } = await openAdmin(t);
    const generate = async (body: object) =>
      (await stage.call("POST", "/admin/generate_link", { token: stage.serviceRoleKey, body })).body as {
        user_metadata: object;
      };
    for (const type of ["signup", "invite"]) {
      const body = { type, email: `${type}@example.com`, password: "a good password" };
      assert.deepEqual((await generate(body)).user_metadata, {});
      assert.deepEqual((await generate({ ...body, data: { seat: 4 } })).user_metadata, { seat: 4 });
    }
  });

  it("discards a pending change of address and every open link", async (t) => {
    const { change, newUser, stage, count } = await openAdmin(t);
    const { id } = await newUser();
    const pending = [
      "update auth.users set new_email = 'x@example.com', email_change_confirmations = 1 where id = $1",
      [id],
    ];
    await stage.context.pool.query(...(pending as [string, string[]]));
    await stage.call("POST", "/admin/generate_link", {
      token: stage.serviceRoleKey,
      body: { type: "recovery", email: (await change(id, {}))["email"] },
    });
    assert.equal(await count("auth.one_time_tokens"), 1);
    const user = await change(id, { email: "moved@example.com" });
    assert.ok(!("new_email" in user));
    assert.equal(await count("auth.one_time_tokens"), 0);
  });

  it("ends every session with a new password", async (t) => {
    const { change, newUser, signIn, stage } = await openAdmin(t);
    const { id, email, tokens } = await newUser();
    await change(id, { password: "another password" });
    await assertRejected(stage.call("GET", "/user", { token: tokens.access_token }), 401, "session_not_found");
    await assertRejected(signIn(email), 400, "invalid_credentials");
    await signIn(email, "another password");
    await assertRejected(change(id, { password: "" }), 422, "weak_password");
    await assertRejected(change(id, { password: "12345" }), 422, "weak_password");
  });

  it("ends every session with a ban and rejects sign-ins until it ends", async (t) => {
    const { change, newUser, signIn, stage } = await openAdmin(t);
    const { id, email, tokens } = await newUser();
    const banned = await change(id, { ban_duration: "24h" });
    const left = banned["banned_until"].getTime() - stage.clock.now().getTime();
    assert.ok(Math.abs(left - 24 * 3_600_000) < 60_000);
    await assertRejected(stage.call("GET", "/user", { token: tokens.access_token }), 401, "user_banned");
    const refresh = { query: { grant_type: "refresh_token" }, body: { refresh_token: tokens.refresh_token } };
    await assertRejected(stage.call("POST", "/token", refresh), 400, "refresh_token_not_found");
    await assertRejected(signIn(email), 400, "user_banned");
    const unbanned = await change(id, { ban_duration: "none" });
    assert.ok(!("banned_until" in unbanned));
    await assertRejected(stage.call("GET", "/user", { token: tokens.access_token }), 401, "session_not_found");
    await signIn(email);
  });

  it("keeps sessions otherwise", async (t) => {
    const { change, newUser, stage } = await openAdmin(t);
    const { id, tokens } = await newUser();
    await change(id, { user_metadata: { a: 1 }, role: "editor", ban_duration: "none" });
    const user = (await stage.call("GET", "/user", { token: tokens.access_token })).body as Record<string, unknown>;
    assert.equal(user["role"], "editor");
  });

  it("rejects invalid requests", async (t) => {
    const { change, create, newUser } = await openAdmin(t);
    await create({ email: "taken@example.com" });
    const { id } = await newUser();
    await assertRejected(change(id, { email: "taken@example.com" }), 422, "email_exists");
    await assertRejected(change(id, { phone: "+49123456" }), 400, "phone_provider_disabled");
    await assertRejected(change(id, { phone: "+0123" }), 400, "validation_failed");
    await assertRejected(change(id, { role: "postgres" }), 400, "validation_failed");
    await assertRejected(change(id, { ban_duration: "-1h" }), 400, "validation_failed");
    await assertRejected(change(randomUUID(), { role: "editor" }), 404, "user_not_found");
    await assertRejected(change("nobody", {}), 404, "validation_failed");
  });
});

describe("POST /admin/users/:id/logout", () => {
  it("ends all sessions of the user and no others", async (t) => {
    const { stage, newUser } = await openAdmin(t);
    const [user, other] = [await newUser(), await newUser()];
    const signOut = (id: string) => stage.call("POST", `/admin/users/${id}/logout`, { token: stage.serviceRoleKey });
    assert.deepEqual(await signOut(user.id), { status: 204 });
    await assertRejected(stage.call("GET", "/user", { token: user.tokens.access_token }), 401, "session_not_found");
    assert.equal((await stage.call("GET", "/user", { token: other.tokens.access_token })).status, 200);
    await assertRejected(signOut(randomUUID()), 404, "user_not_found");
    await assertRejected(signOut("x"), 404, "validation_failed");
  });
});

describe("unsupported admin endpoints", () => {
  it("return a specific error", async (t) => {
    const { stage } = await openAdmin(t);
    const token = stage.serviceRoleKey;
    await assertRejected(stage.call("POST", "/admin/custom-providers", { token, body: {} }), 404, "feature_disabled");
  });
});
