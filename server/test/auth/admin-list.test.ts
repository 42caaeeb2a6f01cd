import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GoTrueAdminApi } from "@supabase/supabase-js";
import { type AdminFixture, openAdmin } from "./admin-fixture.ts";
import { AUTH_URL, createFetch } from "./admin-fetch.ts";
import { assertRejected, type Shown } from "./mfa-person.ts";

const HUNDRED_TWENTY = `insert into auth.users (email, user_metadata, created_at)
  select 'user-' || lpad(n::text, 3, '0') || '@example.com', jsonb_build_object('full_name', 'Person ' || n),
         '2026-01-01'::timestamptz + n * interval '1 minute'
    from generate_series(1, 120) as n`;

async function openFull(t: Parameters<typeof openAdmin>[0]): Promise<AdminFixture> {
  const fixture = await openAdmin(t);
  await fixture.stage.context.pool.query(HUNDRED_TWENTY);
  return fixture;
}

async function list({ stage }: AdminFixture, query: Record<string, string> = {}) {
  const { body, headers } = await stage.call("GET", "/admin/users", { token: stage.serviceRoleKey, query });
  const { users } = body as { users: Shown[] };
  return { emails: users.map((user) => String(user["email"])), users, headers };
}

describe("the list of accounts", () => {
  it("has pages of fifty, newest first, and a total", async (t) => {
    const fixture = await openFull(t);
    const first = await list(fixture);
    assert.equal(first.emails.length, 50);
    assert.deepEqual([first.emails[0], first.emails[49]], ["user-120@example.com", "user-071@example.com"]);
    assert.equal(first.headers?.["x-total-count"], "120");
    const third = await list(fixture, { page: "3", per_page: "50" });
    assert.deepEqual([third.emails.length, third.emails[19]], [20, "user-001@example.com"]);
    assert.deepEqual((await list(fixture, { page: "4" })).emails, []);
    assert.equal((await list(fixture, { page: "", per_page: "" })).emails.length, 50);
    assert.equal((await list(fixture, { page: "0" })).emails[0], "user-120@example.com");
    assert.equal(
      (await list(fixture, { per_page: "5000" })).headers?.["link"],
      '</admin/users?page=1&per_page=1000>; rel="last"',
    );
  });

  it("is read by the client library, page by page", async (t) => {
    const fixture = await openFull(t);
    const headers = { Authorization: `Bearer ${fixture.stage.serviceRoleKey}` };
    const admin = new GoTrueAdminApi({ url: AUTH_URL, headers, fetch: createFetch(fixture.stage) });
    const seen = new Set<string>();
    let page: number | null = 1;
    while (page !== null) {
      const { data, error } = await admin.listUsers({ page, perPage: 50 });
      assert.equal(error, null);
      assert.ok("total" in data);
      assert.deepEqual([data.total, data.lastPage], [120, 3]);
      for (const user of data.users) seen.add(user.id);
      page = data.nextPage;
    }
    assert.equal(seen.size, 120);
  });

  it("filters by part of the address or the name, with wildcards escaped", async (t) => {
    const fixture = await openFull(t);
    assert.deepEqual((await list(fixture, { filter: "USER-007" })).emails, ["user-007@example.com"]);
    assert.deepEqual((await list(fixture, { filter: "person 12" })).emails, [
      "user-120@example.com",
      "user-012@example.com",
    ]);
    await fixture.create({ email: "a_b@example.com", user_metadata: { name: "100% \\ sure" } });
    assert.deepEqual((await list(fixture, { filter: "_" })).emails, ["a_b@example.com"]);
    assert.deepEqual((await list(fixture, { filter: "%" })).emails, ["a_b@example.com"]);
    assert.deepEqual((await list(fixture, { filter: "\\" })).emails, ["a_b@example.com"]);
    assert.deepEqual((await list(fixture, { filter: "' or 1=1 --" })).emails, []);
    const found = await list(fixture, { filter: "user-0", per_page: "60" });
    assert.equal(found.headers?.["x-total-count"], "99");
    assert.match(found.headers?.["link"] ?? "", /page=2&per_page=60&filter=user-0>; rel="next"/);
  });

  it("filters by the exact address", async (t) => {
    const fixture = await openFull(t);
    assert.deepEqual((await list(fixture, { email: "User-007@Example.com" })).emails, ["user-007@example.com"]);
    assert.deepEqual((await list(fixture, { email: "user-00@example.com" })).emails, []);
    await assertRejected(list(fixture, { email: "nobody" }), 400, "validation_failed");
  });

  it("sorts by the requested column", async (t) => {
    const fixture = await openFull(t);
    assert.equal((await list(fixture, { sort: "created_at asc" })).emails[0], "user-001@example.com");
    assert.equal((await list(fixture, { sort: "email desc" })).emails[0], "user-120@example.com");
    assert.equal((await list(fixture, { sort: "email" })).emails[0], "user-120@example.com");
    assert.equal((await list(fixture, { sort: "EMAIL ASC" })).emails[0], "user-001@example.com");
    for (const sort of ["password_hash", "email down", "email asc, id", "constructor asc", "id;drop table x"])
      await assertRejected(list(fixture, { sort }), 400, "validation_failed");
  });

  it("rejects invalid pages", async (t) => {
    const fixture = await openAdmin(t);
    for (const query of [
      { page: "-1" },
      { page: "x" },
      { page: "1.5" },
      { page: "9999999999" },
      { per_page: "0" },
      { per_page: "-5" },
      { filter: "a\0" },
      { filter: "a".repeat(321) },
    ])
      await assertRejected(list(fixture, query), 400, "validation_failed");
    const { headers, emails } = await list(fixture);
    assert.deepEqual([emails, headers?.["x-total-count"]], [[], "0"]);
  });

  it("contains identities and factors of each account", async (t) => {
    const fixture = await openAdmin(t);
    const { id, tokens } = await fixture.newUser();
    await fixture.newUser();
    await fixture.stage.call("POST", "/factors", { token: tokens.access_token, body: { factor_type: "totp" } });
    const { users } = await list(fixture);
    const user = users.find((candidate) => candidate["id"] === id);
    assert.equal(user?.["factors"].length, 1);
    assert.equal(user?.["identities"][0].user_id, id);
    assert.ok(!("factors" in users.find((candidate) => candidate["id"] !== id)!));
    assert.doesNotMatch(JSON.stringify(users), /password_hash|secret/);
  });
});
