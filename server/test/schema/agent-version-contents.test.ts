import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openStage, type Row } from "./support/stage.ts";

const CALCULATOR = "019a8000-0000-7000-8000-000000000002";
const TOOL = { name: "find_order", description: "Finds an order.", config: { url: "https://a.example.com/" } };
const DEFINITION = {
  description: "Finds an order.",
  kind: "http",
  input_schema: { type: "object", properties: {} },
  config: { url: "https://a.example.com/" },
  requires_approval: false,
  timeout_ms: 30_000,
  max_output_chars: 16_000,
  max_retries: 1,
  idempotent: false,
  is_vouched: false,
  enabled: true,
};
const WEBHOOK = { kind: "webhook", stage: "input", config: { url: "https://checks.example.com/" } };

interface Version extends Row {
  readonly number: number;
  readonly tools: readonly Record<string, unknown>[];
  readonly guardrails: readonly Record<string, unknown>[];
}

describe("tools and guardrails of versions", () => {
  const opened = openStage();
  const list = async (agentId: string): Promise<Version[]> => {
    const text = "select * from public.agent_versions where agent_id = $1 order by number";
    return (await opened.stage.run("internal", text, [agentId])) as Version[];
  };
  const latest = async (agentId: string): Promise<Version> => (await list(agentId)).at(-1)!;
  const assign = (caller: string, agent_id: string, tool_id: string): Promise<Row> =>
    opened.stage.insert(caller, "agent_tools", { agent_id, tool_id });
  const guard = (caller: string, agent_id: string, more: object): Promise<Row> =>
    opened.stage.insert(caller, "guardrails", {
      agent_id,
      name: "Words",
      kind: "pattern",
      stage: "output",
      config: { pattern: "secret" },
      ...more,
    });

  it("have the definition of the owner's tools, and a version with each change of it", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const [one, other] = [await stage.newAgent(user), await stage.newAgent(user)];
    const { id: tool } = await stage.insert(user, "tools", TOOL);
    for (const agent of [one, other]) await assign(user, agent, tool);
    await assign(user, one, CALCULATOR);
    const assigned = {
      tool_id: tool,
      name: "find_order",
      enabled: true,
      configuration: {},
      approver: null,
      is_vouched: false,
    };
    const builtin = { ...assigned, tool_id: CALCULATOR, name: "calculator", definition: null };
    assert.deepEqual((await latest(one)).tools, [builtin, { ...assigned, definition: DEFINITION }]);

    const changes: Record<string, unknown>[] = [
      { description: "Finds an order by number." },
      { input_schema: { type: "object", properties: { number: {} } } },
      { config: { url: "https://b.example.com/", headers: { "x-a": "b" } } },
      { requires_approval: true },
      { timeout_ms: 5000, max_output_chars: 10, max_retries: 0, idempotent: true },
      { enabled: false },
    ];
    let expected = DEFINITION;
    for (const [place, change] of changes.entries()) {
      await stage.update(user, "tools", tool, change);
      expected = { ...expected, ...change };
      for (const [agent, before] of [
        [one, 3],
        [other, 2],
      ] as const) {
        const { number, tools } = await latest(agent);
        assert.equal(number, before + place + 1);
        assert.deepEqual(tools.at(-1), { ...assigned, definition: expected });
      }
    }
    await stage.update(user, "tools", tool, { name: "look_up" });
    assert.equal((await latest(one)).tools.at(-1)?.["name"], "look_up");
    await stage.update(user, "tools", tool, { category: "orders", icon: "box", visibility: "shared" });
    assert.equal((await latest(one)).number, 10, "what no run uses stores no version");
  });

  it("keep no definition of tools of other people, whose edits store no version", async () => {
    const { stage } = opened;
    const [owner, user] = [await stage.newUser(), await stage.newUser()];
    await stage.newSwarm(owner, { [user]: "member" });
    const { id: tool } = await stage.insert(owner, "tools", { ...TOOL, visibility: "shared" });
    const agent = await stage.newAgent(user);
    await assign(user, agent, tool);
    await stage.update(owner, "tools", tool, { visibility: "private", config: { url: "https://hidden.example.com/" } });
    assert.equal((await latest(agent)).number, 2);
    await stage.update(user, "agents", agent, { system_prompt: "b" });
    assert.doesNotMatch(JSON.stringify(await list(agent)), /example\.com/);
  });

  it("have the agent's guardrails in their order, and a version with each change of them", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const agent = await stage.newAgent(user);
    const { id: second } = await guard(user, agent, { position: 2 });
    const { id: first } = await guard(user, agent, { name: "Hook", ...WEBHOOK, position: 1 });
    const words = {
      guardrail_id: second,
      name: "Words",
      kind: "pattern",
      stage: "output",
      action: "block",
      config: { pattern: "secret" },
      position: 2,
      is_active: true,
    };
    const hook = { ...words, guardrail_id: first, name: "Hook", ...WEBHOOK, position: 1 };
    assert.deepEqual((await latest(agent)).guardrails, [hook, words]);
    const changes: Record<string, unknown>[] = [
      { name: "W" },
      { stage: "input" },
      { action: "rewrite" },
      { config: { pattern: "x" } },
      { position: 0 },
      { is_active: false },
    ];
    for (const change of changes) await stage.update(user, "guardrails", second, change);
    await stage.update(user, "guardrails", second, { name: "W" });
    const changed = { ...words, ...Object.assign({}, ...changes) };
    const { number, guardrails } = await latest(agent);
    assert.deepEqual([number, guardrails], [9, [changed, hook]]);
    await stage.remove(user, "guardrails", first);
    assert.deepEqual((await latest(agent)).guardrails, [changed]);
    const swarm = await stage.newSwarm(user);
    await guard(user, agent, { agent_id: null, swarm_id: swarm });
    assert.equal((await latest(agent)).number, 10);
  });

  it("are one version with the other changes of a transaction", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const agent = await stage.newAgent(user);
    const { id: tool } = await stage.insert(user, "tools", TOOL);
    await assign(user, agent, tool);
    await stage.transaction(user, async (query) => {
      await query("update tools set description = 'b' where id = $1", [tool]);
      await query("update agents set system_prompt = 'b' where id = $1", [agent]);
      await query(
        `insert into guardrails (agent_id, name, kind, stage, config)
         values ($1, 'Words', 'pattern', 'input', '{"pattern": "x"}')`,
        [agent],
      );
      await query("update tools set description = 'c' where id = $1", [tool]);
    });
    const { number, tools, guardrails, system_prompt: prompt } = await latest(agent);
    assert.deepEqual([number, guardrails.length, prompt], [3, 1, "b"]);
    assert.partialDeepStrictEqual(tools, [{ definition: { description: "c" } }]);
  });

  it("are restored, except the rows of tools", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const agent = await stage.newAgent(user);
    const { id: tool } = await stage.insert(user, "tools", TOOL);
    await assign(user, agent, tool);
    const { id: kept } = await guard(user, agent, { position: 1 });
    const { id: deleted, secret } = await guard(user, agent, { name: "Hook", ...WEBHOOK });
    const before = await latest(agent);
    await stage.update(user, "guardrails", kept, { action: "rewrite", is_active: false });
    await stage.remove(user, "guardrails", deleted);
    const { id: added } = await guard(user, agent, { name: "More" });
    await stage.update(user, "tools", tool, { description: "Changed." });
    await stage.remove(user, "agent_tools", (await stage.run(user, "select id from agent_tools"))[0]?.id);

    await stage.run(user, "select public.restore_agent_version($1, $2)", [agent, before.number]);
    const after = await latest(agent);
    assert.deepEqual(after.guardrails, before.guardrails);
    assert.deepEqual(after.tools, [{ ...before.tools[0], definition: { ...DEFINITION, description: "Changed." } }]);
    assert.equal(await stage.find(user, "guardrails", added), undefined);
    const again = await stage.find(user, "guardrails", deleted);
    assert.match(String(again?.["secret"]), /^whsec_/);
    assert.notEqual(again?.["secret"], secret);
  });
});
