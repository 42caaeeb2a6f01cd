import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertEvents, openSwarmFixture } from "./support/swarm-fixture.ts";
import { FORBIDDEN, openStage, violates, rejects } from "./support/stage.ts";

const REJECTED: readonly [string, string, Record<string, unknown>][] = [
  ["profiles", "profiles_full_name_length", { full_name: "a".repeat(201) }],
  ["profiles", "profiles_avatar_url_http", { avatar_url: "javascript:1" }],
  ["profiles", "profiles_avatar_url_length", { avatar_url: "https://example.com/".padEnd(2049, "a") }],
  ["profiles", "profiles_email_immutable", { email: "other@example.com" }],
  ["user_settings", "user_settings_theme_length", { theme: "a".repeat(51) }],
  ["user_settings", "user_settings_default_framework_known", { default_framework: "x" }],
  ["user_settings", "user_settings_notifications_object", { notifications: "[]" }],
  ["user_settings", "user_settings_preferences_size", { preferences: { a: "a".repeat(32_768) } }],
  ["user_settings", "user_settings_daily_token_budget_range", { daily_token_budget: -1 }],
];

describe("accounts", () => {
  const opened = openStage();

  it("come with a profile and settings, whatever the metadata says", async () => {
    const { stage } = opened;
    const avatar_url = "https://example.com/a.png";
    const cases: readonly [Record<string, unknown>, unknown, unknown][] = [
      [{ full_name: " Ada \u3000", avatar_url }, "Ada", avatar_url],
      [{ full_name: "a".repeat(300), avatar_url: "javascript:1" }, "a".repeat(200), null],
      [{ full_name: 5, avatar_url: ["x"] }, "5", null],
      [{ full_name: "\t", avatar_url: `https://${"a".repeat(3000)}` }, null, null],
      [{}, null, null],
    ];
    for (const [user_metadata, full_name, avatar] of cases) {
      const id = await stage.newUser({ user_metadata });
      const profile = await stage.find(id, "profiles", id);
      assert.deepEqual([profile?.["full_name"], profile?.["avatar_url"]], [full_name, avatar]);
      const [settings] = await stage.run(id, "select * from user_settings");
      assert.deepEqual(
        [settings?.["user_id"], settings?.["preferences"], settings?.["require_request_signature"]],
        [id, {}, false],
      );
    }
  });

  it("keep the address of the profile in step", async () => {
    const { stage } = opened;
    const id = await stage.newUser();
    const email = `new-${id}@example.com`;
    await stage.run("internal", "update auth.users set email = $2 where id = $1", [id, email]);
    assert.equal((await stage.find(id, "profiles", id))?.["email"], email);
  });

  it("are one per address, in lower case", async () => {
    const { stage } = opened;
    await stage.newUser({ email: "one@example.com" });
    await rejects(stage.newUser({ email: "one@example.com" }), { code: "23505", constraint: "users_email_key" });
    await rejects(stage.newUser({ email: "Two@example.com" }), violates("users_email_lower_case"));
    await stage.run("internal", "update auth.users set deleted_at = now() where email = 'one@example.com'");
    await stage.newUser({ email: "one@example.com" });
  });

  it("show and change their own profile and settings alone", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    for (const [table, constraint, record] of REJECTED) {
      const key = table === "profiles" ? "id" : "user_id";
      const [[column, value]] = Object.entries(record) as [[string, unknown]];
      await rejects(
        stage.run(user, `update ${table} set ${column} = $1 where ${key} = $2`, [value, user]),
        violates(constraint),
        constraint,
      );
    }
    await stage.run(user, "update profiles set full_name = 'Me'; ");
    assert.equal((await stage.find(other, "profiles", other))?.["full_name"], null);
    assert.deepEqual(await stage.run(user, "select id from profiles where id = $1", [other]), []);
    await rejects(stage.run(user, "update user_settings set user_id = $1", [other]), FORBIDDEN);
    await rejects(stage.run(user, "delete from profiles"), FORBIDDEN);
    await rejects(stage.run(user, "insert into user_settings (user_id) values ($1)", [user]), FORBIDDEN);
    for (const caller of [user, "anon", "service_role"])
      await rejects(stage.run(caller, "select id from auth.users"), FORBIDDEN);
  });

  it("show name and picture to those who share a swarm", async () => {
    const { stage, owner, viewer, outsider } = await openSwarmFixture(opened.stage);
    const seen = (caller: string, id: string) => stage.run(caller, "select * from public_profiles where id = $1", [id]);
    assert.deepEqual(await seen(viewer, owner), [{ id: owner, full_name: "Olga", avatar_url: null }]);
    assert.equal((await seen(outsider, outsider)).length, 1);
    assert.deepEqual(await seen(outsider, owner), []);
    assert.equal((await seen("service_role", owner)).length, 1);
    await rejects(seen("anon", owner), FORBIDDEN);
  });

  it("take everything of theirs along, in one statement", async () => {
    const fixture = await openSwarmFixture(opened.stage);
    const { stage, owner, admin, member, viewer, swarm, agent, message } = fixture;
    const elsewhere = await stage.newSwarm(admin, { [owner]: "member" });
    await stage.insert("service_role", "swarm_agents", { swarm_id: elsewhere, agent_id: agent });
    const { id: said } = await stage.insert(owner, "messages", { swarm_id: elsewhere, content: "Hi" });
    await stage.insert(owner, "message_flags", { message_id: said });
    const tool = await stage.insert(owner, "tools", { name: "t", description: "Tool" });
    await stage.insert(owner, "agent_tools", { agent_id: agent, tool_id: tool.id });
    await stage.takeEvents();
    await stage.run("internal", "delete from auth.users where id = $1", [owner]);
    const events = await stage.takeEvents();
    assertEvents(
      events.filter(({ type }) => type === "swarm.deleted"),
      [{ type: "swarm.deleted", to: [owner, admin, member, viewer], data: { swarm_id: swarm } }],
    );
    assertEvents(
      events.filter(({ type, data }) => type === "user.removed" && data["swarm_id"] === elsewhere),
      [{ type: "user.removed", to: [owner, admin], data: { user_id: owner, reason: "account_deleted" } }],
    );
    assertEvents(
      events.filter(({ type, data }) => type === "swarm.agent_removed" && data["swarm_id"] === elsewhere),
      [{ type: "swarm.agent_removed", to: [owner, admin], data: { agent_id: agent, reason: "agent_deleted" } }],
    );
    assert.deepEqual(events.filter(({ type }) => type === "user.removed").length, 1);
    for (const [table, id] of Object.entries({ swarms: swarm, agents: agent, tools: tool.id, messages: message }))
      assert.equal(await stage.find("service_role", table, id), undefined, table);
    const left = await stage.find(admin, "messages", said);
    assert.deepEqual([left?.["content"], left?.["sender_id"], left?.["sender_deleted"]], ["Hi", owner, true]);
    const [flag] = await stage.run(admin, "select flagged_by from message_flags where message_id = $1", [said]);
    assert.equal(flag?.["flagged_by"], null);
  });
});
