import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openStage, type Query, rejects, type Row, type Stage, violates } from "./support/stage.ts";
import { until } from "../support/until.ts";

const NOT_FOUND = { code: "PT404" };
const CALCULATOR = "019a8000-0000-7000-8000-000000000002";
const JSON_QUERY = "019a8000-0000-7000-8000-000000000003";

interface Version extends Row {
  readonly number: number;
  readonly tools: readonly Record<string, unknown>[];
}

describe("versions of agents", () => {
  const opened = openStage();
  const list = async (caller: string, agentId: string): Promise<Version[]> => {
    const text = "select * from agent_versions where agent_id = $1 order by number";
    return (await opened.stage.run(caller, text, [agentId])) as Version[];
  };
  const listNumbers = async (caller: string, agentId: string): Promise<number[]> =>
    (await list(caller, agentId)).map(({ number }) => number);
  const restore = async (caller: string, agentId: unknown, number: unknown): Promise<Record<string, unknown>> => {
    const text = "select public.restore_agent_version($1, $2) as restored";
    const [row] = await opened.stage.run(caller, text, [agentId, number]);
    return row?.["restored"] as Record<string, unknown>;
  };
  const assign = (query: Query, agentId: string, toolId: string): Promise<Row[]> =>
    query("insert into agent_tools (agent_id, tool_id) values ($1, $2) returning *", [agentId, toolId]);

  it("stores the first with the agent, and one with each change of what the model gets", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const id = await stage.newAgent(user, { role: "Clerk", system_prompt: "a", settings: { temperature: 1 } });
    const [first] = await list(user, id);
    assert.deepEqual(
      { ...first, created_at: null },
      {
        agent_id: id,
        number: 1,
        role: "Clerk",
        framework: "provider_a",
        model: null,
        system_prompt: "a",
        settings: { temperature: 1 },
        tools: [],
        guardrails: [],
        changed_by: user,
        created_at: null,
      },
    );
    const changes: Record<string, unknown>[] = [
      { system_prompt: "b" },
      { role: null },
      { model: "m" },
      { framework: "provider_b" },
      { settings: { response_schema: { type: "object" } } },
    ];
    for (const change of changes) await stage.update(user, "agents", id, change);
    const [assignment] = await stage.transaction(user, (query) => assign(query, id, CALCULATOR));
    await stage.update(user, "agent_tools", assignment?.id, { enabled: false });
    await stage.update(user, "agent_tools", assignment?.id, { configuration: { precision: 2 } });
    await stage.remove(user, "agent_tools", assignment?.id);
    const versions = await list(user, id);
    const changed = versions
      .slice(1)
      .map((version, place) =>
        Object.keys(version).filter(
          (key) => key !== "number" && key !== "created_at" && !isSame(version[key], versions[place]?.[key]),
        ),
      );
    const tools = [["tools"], ["tools"], ["tools"], ["tools"]];
    assert.deepEqual(changed, [...changes.map((change) => Object.keys(change)), ...tools]);
    const tool = { tool_id: CALCULATOR, name: "calculator", approver: null, is_vouched: false, definition: null };
    assert.deepEqual(
      versions.slice(6).map((version) => version.tools),
      [
        [{ ...tool, enabled: true, configuration: {} }],
        [{ ...tool, enabled: false, configuration: {} }],
        [{ ...tool, enabled: false, configuration: { precision: 2 } }],
        [],
      ],
    );
  });

  it("stores none for a name, a status or the same values", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const id = await stage.newAgent(user, { system_prompt: "a" });
    await stage.update(user, "agents", id, { name: "Grace", avatar: "https://example.com/a.png" });
    await stage.update(user, "agents", id, { system_prompt: "a", settings: {}, role: null });
    await stage.update("internal", "agents", id, { status: "thinking" });
    await stage.transaction(user, async (query) => {
      await query("update agents set system_prompt = 'b' where id = $1", [id]);
      await query("update agents set system_prompt = 'a' where id = $1", [id]);
    });
    assert.deepEqual(await listNumbers(user, id), [1]);
  });

  it("stores one for a transaction, with savepoints too, and none for one that fails", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const id = await stage.transaction(user, async (query) => {
      const [agent] = await query("insert into agents (name) values ('Ada') returning id");
      await query("savepoint one");
      await query("update agents set system_prompt = 'a' where id = $1", [agent?.id]);
      await assign(query, String(agent?.id), CALCULATOR);
      await query("set constraints all immediate");
      await assign(query, String(agent?.id), JSON_QUERY);
      return String(agent?.id);
    });
    const versions = await list(user, id);
    assert.deepEqual(
      versions.map(({ number, system_prompt, tools }) => ({ number, system_prompt, tools: tools.length })),
      [{ number: 1, system_prompt: "a", tools: 2 }],
    );
    const failing = stage.transaction(user, async (query) => {
      await query("update agents set system_prompt = 'b' where id = $1", [id]);
      await query("update agents set name = '' where id = $1", [id]);
    });
    await rejects(failing, violates("agents_name_length"));
    await stage.transaction(user, async (query) => {
      await query("update agents set system_prompt = 'c' where id = $1", [id]);
      await query("delete from agent_tools where agent_id = $1", [id]);
    });
    assert.deepEqual(
      (await list(user, id)).map(({ number, system_prompt, tools }) => [number, system_prompt, tools.length]),
      [
        [1, "a", 2],
        [2, "c", 0],
      ],
    );
  });

  it("stores the changes of concurrent transactions one after the other", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const id = await stage.newAgent(user);
    // The second finds number 2 taken by a version that it cannot see yet.
    const second = await stage.transaction(user, async (query) => {
      await assign(query, id, CALCULATOR);
      await query("set constraints all immediate");
      const waiting = stage.transaction(user, (other) => assign(other, id, JSON_QUERY));
      await until(() => isBlocked(stage), "the second transaction waits");
      return { waiting };
    });
    await second.waiting;
    const versions = await list(user, id);
    assert.deepEqual(
      versions.map(({ number, tools }) => [number, tools.length]),
      [
        [1, 0],
        [2, 1],
        [3, 2],
      ],
    );
  });

  it("names the owner as the one who changed, and nobody for the service", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const id = await stage.newAgent(user);
    await stage.update("service_role", "agents", id, { system_prompt: "b" });
    await stage.update(user, "agents", id, { system_prompt: "c" });
    assert.deepEqual(
      (await list(user, id)).map(({ changed_by }) => changed_by),
      [user, null, user],
    );
  });

  it("restores a version as a new one, with its tools", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { id: mine } = await stage.insert(user, "tools", { name: "mine", description: "a tool" });
    const id = await stage.transaction(user, async (query) => {
      const [agent] = await query("insert into agents (name, system_prompt) values ('Ada', 'a') returning id");
      const agentId = String(agent?.id);
      await assign(query, agentId, mine);
      await assign(query, agentId, CALCULATOR);
      return agentId;
    });
    await stage.transaction(user, async (query) => {
      await query("update agents set name = 'Grace', system_prompt = 'b', settings = '{\"top_p\": 1}', model = 'm'");
      await query("update agent_tools set enabled = false where tool_id = $1", [mine]);
      await query("delete from agent_tools where tool_id = $1", [CALCULATOR]);
      await assign(query, id, JSON_QUERY);
    });
    assert.deepEqual(await restore(user, id, 1), { agent_id: id, number: 1, missing_tools: [] });
    const [first, second, third] = await list(user, id);
    const { number, created_at, ...restored } = third!;
    assert.deepEqual({ ...restored, number: 1, created_at: first?.["created_at"] }, first);
    assert.equal(second?.["system_prompt"], "b");
    assert.equal(number, 3);
    assert.ok((created_at as Date) >= (second["created_at"] as Date));
    assert.equal((await stage.find(user, "agents", id))?.["name"], "Grace");

    await restore(user, id, 3);
    assert.deepEqual(await listNumbers(user, id), [1, 2, 3], "restoring what the agent is stores no version");

    await stage.remove(user, "tools", mine);
    assert.deepEqual(await restore(user, id, 1), {
      agent_id: id,
      number: 1,
      missing_tools: [{ tool_id: mine, name: "mine" }],
    });
    const latest = (await list(user, id)).at(-1);
    assert.deepEqual(
      latest?.tools.map(({ name }) => name),
      ["calculator"],
    );
  });

  it("restores only versions that exist, for the owner and the service", async () => {
    const { stage } = opened;
    const [user, stranger] = [await stage.newUser(), await stage.newUser()];
    const id = await stage.newAgent(user, { system_prompt: "a" });
    await stage.update(user, "agents", id, { system_prompt: "b" });
    await rejects(restore(user, id, 9), NOT_FOUND);
    await rejects(restore(user, null, null), NOT_FOUND);
    await rejects(restore(stranger, id, 1), NOT_FOUND);
    await rejects(restore("anon", id, 1), { code: "42501" });
    assert.equal((await stage.find(user, "agents", id))?.["system_prompt"], "b");
    await restore("service_role", id, 1);
    assert.equal((await stage.find(user, "agents", id))?.["system_prompt"], "a");
  });

  it("keeps the latest versions and those that a turn or an eval run used", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const id = await stage.newAgent(user);
    const { owner } = stage.database;
    await owner.query("insert into private.settings (name, value) values ('agent_versions_kept', '3')");
    try {
      const swarm = await stage.newSwarm(user);
      const run = await stage.insert("internal", "runs", { swarm_id: swarm, strategy: "mention" });
      const turn = { run_id: run.id, swarm_id: swarm, agent_name: "Ada", framework: "provider_a", model: "m" };
      await stage.insert("internal", "run_turns", { ...turn, agent_id: id, position: 0, agent_version: 2 });
      const dataset = await stage.insert(user, "eval_datasets", { name: "support" });
      await stage.insert(user, "eval_runs", { dataset_id: dataset.id, agent_id: id, agent_version: 3 });
      for (const system_prompt of ["b", "c", "d", "e", "f", "g"])
        await stage.update(user, "agents", id, { system_prompt });
      assert.deepEqual(await listNumbers(user, id), [2, 3, 5, 6, 7]);
    } finally {
      await owner.query("delete from private.settings where name = 'agent_versions_kept'");
    }
    await stage.update(user, "agents", id, { system_prompt: "h" });
    assert.deepEqual(await listNumbers(user, id), [2, 3, 5, 6, 7, 8]);
  });

  it("is deleted with the agent and with the account", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const [one, other] = [await stage.newAgent(user), await stage.newAgent(user)];
    await stage.transaction(user, (query) => assign(query, other, CALCULATOR));
    await stage.remove(user, "agents", one);
    assert.deepEqual(await listNumbers("internal", one), []);
    assert.deepEqual(await listNumbers("internal", other), [1, 2]);
    await stage.remove("internal", "auth.users", user);
    assert.deepEqual(await listNumbers("internal", other), []);
  });
});

async function isBlocked({ database }: Stage): Promise<boolean> {
  const { rowCount } = await database.owner.query(
    `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where a.datname = current_database() and not l.granted`,
  );
  return (rowCount ?? 0) > 0;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
