import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { buildScope, inTransaction } from "../../src/db/index.ts";
import { type Desk, openAdmin } from "./admin-stage.ts";
import { PASSWORD, refuses, type Shown } from "./mfa-person.ts";

/** As the service role, but speaking for a user, so that rows get the owner they would get from a request. */
async function insertAs(desk: Desk, userId: string, table: string, record: Record<string, unknown>): Promise<Shown> {
  const columns = Object.keys(record);
  const text = `insert into public.${table} (${columns.join(", ")})
                values (${columns.map((_, place) => `$${place + 1}`).join(", ")}) returning *`;
  return inTransaction(desk.stage.context.pool, async (client) => {
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

/** Olga owns a swarm and an agent, and has spoken in the swarm of Maria. */
async function openWorld(t: TestContext) {
  const desk = await openAdmin(t);
  const olga = await desk.newUser({ user_metadata: { full_name: "Olga" } });
  const maria = await desk.newUser({ user_metadata: { full_name: "Maria" } });
  const agent = await insertAs(desk, olga.id, "agents", { name: "Ada" });
  const swarm = await insertAs(desk, olga.id, "swarms", { name: "Hers" });
  const elsewhere = await insertAs(desk, maria.id, "swarms", { name: "Maria's" });
  const member =
    "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')";
  await desk.stage.context.pool.query(member, [elsewhere["id"], olga.id]);
  const message = await insertAs(desk, olga.id, "messages", { swarm_id: elsewhere["id"], content: "Hello" });
  const url = "https://hooks.example.com/x";
  const webhook = await insertAs(desk, olga.id, "webhooks", { name: "Hook", url, events: ["message.created"] });
  const ids = { agents: agent["id"], swarms: swarm["id"], messages: message["id"], webhooks: webhook["id"] };
  const find = async (table: string, id: unknown): Promise<Shown | undefined> =>
    (await desk.stage.context.pool.query<Shown>(`select * from ${table} where id = $1`, [id])).rows[0];
  return { desk, olga, maria, ids, find };
}

describe("deleting an account", () => {
  it("deletes what the user owns and keeps their messages", async (t) => {
    const { desk, olga, maria, ids, find } = await openWorld(t);
    assert.deepEqual(await desk.remove(olga.id), {});
    assert.equal(await find("auth.users", olga.id), undefined);
    assert.equal(await find("public.profiles", olga.id), undefined);
    for (const table of ["agents", "swarms", "webhooks"] as const)
      assert.equal(await find(`public.${table}`, ids[table]), undefined, table);
    const message = await find("public.messages", ids.messages);
    assert.deepEqual(
      [message?.["content"], message?.["sender_name"], message?.["sender_id"], message?.["sender_deleted"]],
      ["Hello", "Olga", olga.id, true],
    );
    await refuses(desk.stage.call("GET", "/user", { token: olga.tokens.access_token }), 401, "user_not_found");
    await refuses(desk.read(olga.id), 404, "user_not_found");
    await refuses(desk.signIn(olga.email), 400, "invalid_credentials");
    assert.equal((await desk.read(maria.id))["email"], maria.email);
    await desk.create({ email: olga.email, id: olga.id });
  });

  it("rejects unknown users", async (t) => {
    const desk = await openAdmin(t);
    await refuses(desk.remove(randomUUID()), 404, "user_not_found");
    await refuses(desk.remove("x"), 404, "validation_failed");
    const { id } = await desk.newUser();
    await refuses(desk.remove(id, { should_soft_delete: "yes" }), 400, "validation_failed");
    assert.equal((await desk.read(id))["id"], id);
  });

  it("succeeds once for concurrent requests", async (t) => {
    const { desk, olga } = await openWorld(t);
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => desk.remove(olga.id)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected") await refuses(Promise.reject(outcome.reason as Error), 404, "user_not_found");
  });
});

describe("deleting an account softly", () => {
  it("keeps the id and what references it, and removes personal data", async (t) => {
    const { desk, olga, ids, find } = await openWorld(t);
    await desk.stage.call("POST", "/factors", { token: olga.tokens.access_token, body: { factor_type: "totp" } });
    const recovery = { type: "recovery", email: olga.email };
    await desk.stage.call("POST", "/admin/generate_link", { token: desk.stage.serviceRoleKey, body: recovery });
    assert.deepEqual(await desk.remove(olga.id, { should_soft_delete: true }), {});

    const user = await desk.read(olga.id);
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
      const { rows } = await desk.stage.context.pool.query(`select 1 from auth.${table} where user_id = $1`, [olga.id]);
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
    const desk = await openAdmin(t);
    const { id, email, tokens } = await desk.newUser();
    await desk.remove(id, { should_soft_delete: true });
    await refuses(desk.stage.call("GET", "/user", { token: tokens.access_token }), 401, "user_not_found");
    await refuses(desk.signIn(email), 400, "invalid_credentials");
    await refuses(desk.change(id, { password: PASSWORD }), 404, "user_not_found");
    const other = await desk.create({ email });
    assert.notEqual(other["id"], id);
  });

  it("can be repeated, and followed by a hard deletion", async (t) => {
    const desk = await openAdmin(t);
    const { id } = await desk.newUser();
    await desk.remove(id, { should_soft_delete: true });
    const { deleted_at } = await desk.read(id);
    desk.stage.clock.advance(5000);
    await desk.remove(id, { should_soft_delete: true });
    assert.deepEqual((await desk.read(id))["deleted_at"], deleted_at);
    await desk.remove(id);
    await refuses(desk.read(id), 404, "user_not_found");
  });
});
