import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { FORBIDDEN, openStage, violates, rejects } from "./support/stage.ts";

const TOOL = { name: "search", description: "Finds things" };

const REJECTED: readonly [string, Record<string, unknown>][] = [
  ...["", "1a", "a b", "a".repeat(65), "é"].map((name): [string, Record<string, unknown>] => [
    "tools_name_format",
    { name },
  ]),
  ["tools_description_length", { description: "" }],
  ["tools_description_length", { description: "a".repeat(1025) }],
  ["tools_category_length", { category: "a".repeat(101) }],
  ["tools_icon_length", { icon: "a".repeat(2049) }],
  ["tools_input_schema_object", { input_schema: "[]" }],
  ["tools_input_schema_object", { input_schema: {} }],
  ["tools_input_schema_object", { input_schema: { type: "array" } }],
  ["tools_input_schema_size", { input_schema: { type: "object", title: "a".repeat(32_768) } }],
  ["tools_config_object", { config: "[]" }],
  ["tools_config_size", { config: { url: "a".repeat(32_768) } }],
  ["tools_visibility_known", { visibility: "secret" }],
  ["tools_kind_known", { kind: "no kind" }],
  ["tools_timeout_ms_range", { timeout_ms: 999 }],
  ["tools_timeout_ms_range", { timeout_ms: 120_001 }],
  ["tools_max_output_chars_range", { max_output_chars: 0 }],
  ["tools_max_retries_range", { max_retries: 6 }],
  ["tools_requires_approval_of_service", { kind: "client", requires_approval: true }],
];

const opened = openStage();

describe("tools", () => {
  it("that are built in are idempotent", async () => {
    const { stage } = opened;
    const rows = await stage.run(
      "internal",
      "select name, idempotent from public.tools where id::text like '019a8000-%'",
    );
    assert.ok(rows.length >= 5);
    for (const { name, idempotent } of rows) assert.equal(idempotent, true, String(name));
  });

  it("get their defaults and reject what is out of bounds", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { id, created_at, updated_at, ...rest } = await stage.insert(user, "tools", TOOL);
    assert.ok(id !== "" && created_at instanceof Date && updated_at instanceof Date);
    assert.deepEqual(rest, {
      ...TOOL,
      owner_id: user,
      category: null,
      icon: null,
      input_schema: { type: "object", properties: {} },
      kind: "http",
      config: {},
      visibility: "private",
      requires_approval: false,
      timeout_ms: 30_000,
      max_output_chars: 16_000,
      enabled: true,
      secret_names: [],
      max_retries: 1,
      idempotent: false,
      is_vouched: false,
    });
    for (const [constraint, record] of REJECTED)
      await rejects(
        stage.insert(user, "tools", { ...TOOL, name: "other", ...record }),
        violates(constraint),
        JSON.stringify(record).slice(0, 60),
      );
    await rejects(stage.insert(user, "tools", TOOL), { code: "23505", constraint: "tools_owner_id_name_key" });
  });

  it("of everybody come from the service role alone", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    for (const record of [{ visibility: "public" }, { kind: "builtin", owner_id: null }, { owner_id: null }])
      await rejects(stage.insert(user, "tools", { ...TOOL, ...record }), FORBIDDEN);
    const builtin = { ...TOOL, kind: "builtin", owner_id: null };
    await stage.insert("service_role", "tools", builtin);
    await rejects(stage.insert("service_role", "tools", builtin), {
      code: "23505",
      constraint: "tools_owner_id_name_key",
    });
    await rejects(stage.insert("service_role", "tools", { ...builtin, owner_id: user }), { code: "23514" });
    const { id } = await stage.insert(user, "tools", TOOL);
    await rejects(stage.update(user, "tools", id, { visibility: "public" }), FORBIDDEN);
    await rejects(stage.update(user, "tools", id, { kind: "mcp" }), violates("tools_kind_immutable"));
    await rejects(stage.update(user, "tools", id, { owner_id: null }), {
      ...FORBIDDEN,
      constraint: "tools_owner_id_transfer",
    });
  });

  it("are seen by their owner, by co-members when shared, by all when public", async () => {
    const { stage } = opened;
    const [owner, friend, outsider, invited] = [
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
    ];
    const swarm = await stage.newSwarm(owner, { [friend]: "viewer" });
    await stage.insert(owner, "swarm_members", { swarm_id: swarm, user_id: invited });
    const hidden = await stage.insert(owner, "tools", { ...TOOL, name: "hidden" });
    const shared = await stage.insert(owner, "tools", { ...TOOL, name: "shared", visibility: "shared" });
    const open = await stage.insert("service_role", "tools", {
      ...TOOL,
      name: "open",
      owner_id: owner,
      visibility: "public",
    });
    const ids = [hidden.id, shared.id, open.id];
    const seen = async (caller: string) =>
      (await stage.run(caller, "select name from tools where id = any ($1) order by name", [ids])).map(
        (row) => row["name"],
      );
    assert.deepEqual(await seen(owner), ["hidden", "open", "shared"]);
    assert.deepEqual(await seen(friend), ["open", "shared"]);
    assert.deepEqual(await seen(outsider), ["open"]);
    assert.deepEqual(await seen(invited), ["open"]);
    for (const id of ids) assert.deepEqual(await stage.update(friend, "tools", id, { description: "mine" }), []);
  });
});

describe("assignments", () => {
  it("belong to the owner of the agent, whatever is sent", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const agent_id = await stage.newAgent(user);
    const tool_id = (await stage.insert(user, "tools", TOOL)).id;
    const { id, created_at, ...rest } = await stage.insert(user, "agent_tools", { agent_id, tool_id, user_id: other });
    assert.ok(created_at instanceof Date);
    assert.deepEqual(rest, {
      agent_id,
      tool_id,
      user_id: user,
      enabled: true,
      configuration: {},
      approver: null,
      is_vouched: false,
    });
    await rejects(stage.insert(user, "agent_tools", { agent_id, tool_id }), {
      code: "23505",
      constraint: "agent_tools_agent_id_tool_id_key",
    });
    await rejects(stage.update(user, "agent_tools", id, { user_id: other }), {
      ...FORBIDDEN,
      constraint: "agent_tools_user_id_transfer",
    });
    await rejects(
      stage.update(user, "agent_tools", id, { agent_id: await stage.newAgent(user) }),
      violates("agent_tools_agent_id_immutable"),
    );
    await rejects(
      stage.update(user, "agent_tools", id, { configuration: "[]" }),
      violates("agent_tools_configuration_object"),
    );
    await rejects(
      stage.update(user, "agent_tools", id, { configuration: { a: "a".repeat(32_768) } }),
      violates("agent_tools_configuration_size"),
    );
    assert.equal((await stage.update(user, "agent_tools", id, { enabled: false }))[0]?.["enabled"], false);
    assert.deepEqual(await stage.run(other, "select id from agent_tools"), []);
  });

  it("report a missing agent and an agent of another user with different codes", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const tool_id = (await stage.insert(user, "tools", TOOL)).id;
    await rejects(stage.insert(user, "agent_tools", { agent_id: randomUUID(), tool_id }), {
      code: "23503",
      constraint: "agent_tools_agent_id_fkey",
      column: "agent_id",
    });
    await rejects(stage.insert(user, "agent_tools", { agent_id: await stage.newAgent(other), tool_id }), FORBIDDEN);
    const hidden = (await stage.insert(other, "tools", TOOL)).id;
    await rejects(
      stage.insert(user, "agent_tools", { agent_id: await stage.newAgent(user), tool_id: hidden }),
      FORBIDDEN,
    );
  });

  it("embed their tool and go with agent or tool", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const [agent_id, second] = [await stage.newAgent(user), await stage.newAgent(user)];
    const tool_id = (await stage.insert(user, "tools", TOOL)).id;
    for (const agent of [agent_id, second]) await stage.insert(user, "agent_tools", { agent_id: agent, tool_id });
    const rows = await stage.run(user, "select t.name from agent_tools a cross join lateral tool(a) t");
    assert.deepEqual(rows, [{ name: "search" }, { name: "search" }]);
    await stage.remove(user, "agents", agent_id);
    assert.equal((await stage.run(user, "select id from agent_tools")).length, 1);
    await stage.remove(user, "tools", tool_id);
    assert.equal((await stage.run(user, "select id from agent_tools")).length, 0);
  });
});
