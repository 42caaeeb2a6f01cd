import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { buildScope, inTransaction } from "../../src/db/index.ts";
import { until } from "../support/until.ts";
import { type AdminFixture, openAdmin } from "./admin-fixture.ts";
import { PASSWORD, assertRejected, type Shown } from "./mfa-person.ts";

/** Uses the service role on behalf of a user, so that rows get the owner that a request would set. */
async function insertAs(
  fixture: AdminFixture,
  userId: string,
  table: string,
  record: Record<string, unknown>,
): Promise<Shown> {
  const columns = Object.keys(record);
  const text = `insert into public.${table} (${columns.join(", ")})
                values (${columns.map((_, place) => `$${place + 1}`).join(", ")}) returning *`;
  return inTransaction(fixture.stage.context.pool, async (client) => {
    const claims = { sub: userId, role: "authenticated" };
    const scope = buildScope({
      role: "authenticated",
      claims,
      schemas: ["public"],
      statementTimeoutMs: 20_000,
      isReadOnly: false,
      request: { method: "POST", path: "/", headers: {} },
    });
    await client.query(scope.text, [...scope.values]);
    const { rows } = await client.query<Shown>(text, Object.values(record));
    return rows[0]!;
  });
}

/** Olga owns a swarm and an agent, and has written a message in Maria's swarm. */
async function openWorld(t: TestContext) {
  const fixture = await openAdmin(t);
  const olga = await fixture.newUser({ user_metadata: { full_name: "Olga" } });
  const maria = await fixture.newUser({ user_metadata: { full_name: "Maria" } });
  const agent = await insertAs(fixture, olga.id, "agents", { name: "Ada" });
  const swarm = await insertAs(fixture, olga.id, "swarms", { name: "Hers" });
  const elsewhere = await insertAs(fixture, maria.id, "swarms", { name: "Maria's" });
  const member =
    "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')";
  await fixture.stage.context.pool.query(member, [elsewhere["id"], olga.id]);
  const message = await insertAs(fixture, olga.id, "messages", { swarm_id: elsewhere["id"], content: "Hello" });
  const url = "https://hooks.example.com/x";
  const webhook = await insertAs(fixture, olga.id, "webhooks", { name: "Hook", url, events: ["message.created"] });
  const ids = { agents: agent["id"], swarms: swarm["id"], messages: message["id"], webhooks: webhook["id"] };
  const find = async (table: string, id: unknown): Promise<Shown | undefined> =>
    (await fixture.stage.context.pool.query<Shown>(`select * from ${table} where id = $1`, [id])).rows[0];
  return { fixture, olga, maria, ids, find };
}

describe("deleting an account", () => {
  it("deletes what the user owns and keeps their messages", async (t) => {
    const { fixture, olga, maria, ids, find } = await openWorld(t);
    assert.deepEqual(await fixture.remove(olga.id), {});
    assert.equal(await find("auth.users", olga.id), undefined);
    assert.equal(await find("public.profiles", olga.id), undefined);
    for (const table of ["agents", "swarms", "webhooks"] as const)
      assert.equal(await find(`public.${table}`, ids[table]), undefined, table);
    const message = await find("public.messages", ids.messages);
    assert.deepEqual(
      [message?.["content"], message?.["sender_name"], message?.["sender_id"], message?.["sender_deleted"]],
      ["Hello", "Olga", olga.id, true],
    );
    await assertRejected(
      fixture.stage.call("GET", "/user", { token: olga.tokens.access_token }),
      401,
      "user_not_found",
    );
    await assertRejected(fixture.read(olga.id), 404, "user_not_found");
    await assertRejected(fixture.signIn(olga.email), 400, "invalid_credentials");
    assert.equal((await fixture.read(maria.id))["email"], maria.email);
    await fixture.create({ email: olga.email, id: olga.id });
  });

  it("withdraws what the user has granted elsewhere, once the account is gone", async (t) => {
    const steps: string[] = [];
    const fixture = await openAdmin(t, {
      async prepareWithdrawal(userId) {
        steps.push(`read ${userId}`);
        return () => void steps.push(`withdraw ${userId}`);
      },
    });
    const { id } = await fixture.newUser();
    const { pool } = fixture.stage.context;
    await pool.query(
      "insert into private.tool_authorizations (id, owner_id, url, credentials_wrapped) values ($1, $2, 'https://x', 'x')",
      [randomUUID(), id],
    );
    const expected = [`read ${id}`, `withdraw ${id}`];
    await fixture.remove(id, { should_soft_delete: true });
    assert.deepEqual(steps, expected);
    const { rows } = await pool.query("select 1 from private.tool_authorizations where owner_id = $1", [id]);
    assert.deepEqual(rows, []);
    await fixture.remove(id);
    assert.deepEqual(steps, [...expected, ...expected]);
    const unknown = randomUUID();
    await assertRejected(fixture.remove(unknown), 404, "user_not_found");
    assert.deepEqual(steps.slice(4), [`read ${unknown}`]);
  });

  for (const place of ["their own", "another"] as const) {
    it(`waits for a run in ${place} swarm without locking what the run locks next`, async (t) => {
      const { fixture, olga, maria, ids, find } = await openWorld(t);
      const { owner } = fixture.stage.database;
      const { rows: runs } = await owner.query(
        `insert into public.runs (swarm_id, user_id, strategy)
         select id, $2, strategy from public.swarms where owner_id = $1 returning id as run_id`,
        [place === "another" ? maria.id : olga.id, olga.id],
      );
      await owner.query("begin");
      await owner.query("select private.lock_runs($1, true)", [JSON.stringify(runs)]);
      const removing = fixture.remove(olga.id);
      await until(async () => {
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        return (await fixture.stage.context.pool.query(waiting)).rows.length > 0;
      }, "the removal waits");
      await owner.query("select from public.agents where id = $1 for key share nowait", [ids.agents]);
      await owner.query("select from auth.users where id = $1 for key share nowait", [olga.id]);
      await owner.query("commit");
      assert.deepEqual(await removing, {});
      assert.equal(await find("auth.users", olga.id), undefined);
    });
  }

  it("rejects unknown users", async (t) => {
    const fixture = await openAdmin(t);
    await assertRejected(fixture.remove(randomUUID()), 404, "user_not_found");
    await assertRejected(fixture.remove("x"), 404, "validation_failed");
    const { id } = await fixture.newUser();
    await assertRejected(fixture.remove(id, { should_soft_delete: "yes" }), 400, "validation_failed");
    assert.equal((await fixture.read(id))["id"], id);
  });

  it("succeeds once for concurrent requests", async (t) => {
    const { fixture, olga } = await openWorld(t);
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => fixture.remove(olga.id)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected")
        await assertRejected(Promise.reject(outcome.reason as Error), 404, "user_not_found");
  });
});

describe("deleting an account softly", () => {
  it("keeps the id and what references it, and removes personal data", async (t) => {
    const { fixture, olga, ids, find } = await openWorld(t);
    await fixture.stage.call("POST", "/factors", { token: olga.tokens.access_token, body: { factor_type: "totp" } });
    const recovery = { type: "recovery", email: olga.email };
    await fixture.stage.call("POST", "/admin/generate_link", { token: fixture.stage.serviceRoleKey, body: recovery });
    assert.deepEqual(await fixture.remove(olga.id, { should_soft_delete: true }), {});

    const user = await fixture.read(olga.id);
    assert.ok(user["deleted_at"]);
    assert.deepEqual(
      [user["email"], user["user_metadata"], user["app_metadata"], user["identities"], user["factors"]],
      ["", {}, {}, [], undefined],
    );
    const row = await find("auth.users", olga.id);
    assert.deepEqual([row?.["email"], row?.["password_hash"]], [null, null]);
    const profile = await find("public.profiles", olga.id);
    assert.deepEqual([profile?.["email"], profile?.["full_name"], profile?.["avatar_url"]], [null, null, null]);
    const gone = ["sessions", "one_time_tokens", "identities", "mfa_factors"];
    for (const table of gone) {
      const { rows } = await fixture.stage.context.pool.query(`select 1 from auth.${table} where user_id = $1`, [
        olga.id,
      ]);
      assert.equal(rows.length, 0, table);
    }

    assert.ok(await find("public.agents", ids.agents));
    assert.ok(await find("public.swarms", ids.swarms));
    const message = await find("public.messages", ids.messages);
    assert.deepEqual(
      [message?.["content"], message?.["sender_name"], message?.["sender_user_id"], message?.["sender_deleted"]],
      ["Hello", "Olga", olga.id, false],
    );
    const webhook = await find("public.webhooks", ids.webhooks);
    assert.deepEqual([webhook?.["is_active"], webhook?.["disabled_reason"]], [false, "account_deleted"]);
  });

  it("ends access and frees the address", async (t) => {
    const fixture = await openAdmin(t);
    const { id, email, tokens } = await fixture.newUser();
    await fixture.remove(id, { should_soft_delete: true });
    await assertRejected(fixture.stage.call("GET", "/user", { token: tokens.access_token }), 401, "user_not_found");
    await assertRejected(fixture.signIn(email), 400, "invalid_credentials");
    await assertRejected(fixture.change(id, { password: PASSWORD }), 404, "user_not_found");
    const other = await fixture.create({ email });
    assert.notEqual(other["id"], id);
  });

  it("can be repeated, and followed by a hard deletion", async (t) => {
    const fixture = await openAdmin(t);
    const { id } = await fixture.newUser();
    await fixture.remove(id, { should_soft_delete: true });
    const { deleted_at } = await fixture.read(id);
    fixture.stage.clock.advance(5000);
    await fixture.remove(id, { should_soft_delete: true });
    assert.deepEqual((await fixture.read(id))["deleted_at"], deleted_at);
    await fixture.remove(id);
    await assertRejected(fixture.read(id), 404, "user_not_found");
  });
});
