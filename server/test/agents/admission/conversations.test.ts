import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import pg from "pg";
import type { AgentOverrides } from "../../../src/agents/admission/conversation.ts";
import type { RunRequest } from "../../../src/agents/admission/run-request.ts";
import { deleteHiddenSwarms } from "../../../src/agents/execution/sql/manage-runs.ts";
import type { RunBody } from "../../../src/agents/streams/run-body.ts";
import type { UserPrincipal } from "../../../src/db/index.ts";
import { codeOf, openStage, type Stage, WITHOUT_MODEL } from "../support/respond-stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
/** Connects as the role of requests. */
let user: pg.Client;
let ada: UserPrincipal;
let agentId: string;

const HISTORY = [
  { role: "user", content: "My name is Ada." },
  { role: "assistant", content: "Hello, Ada." },
] as const;

const CONVERSATION = {
  history: HISTORY,
  isStored: false,
  instructions: "Be brief.",
  settings: { temperature: 0 },
  agentVersion: null,
  overrides: {},
};

before(async () => {
  stage = await openStage({ after: (close) => void closers.push(close) });
  user = new pg.Client({ connectionString: stage.database.url("sb_user") });
  await user.connect();
  closers.push(() => user.end());
});
after(async () => {
  for (const close of closers.reverse()) await close();
});
beforeEach(async () => {
  ada = await stage.newUser();
  const sql = "insert into public.agents (user_id, name) values ($1, 'Ann') returning id";
  agentId = (await stage.rows<{ id: string }>(sql, [ada.userId]))[0]?.id ?? "";
});

function converse(isStored: boolean, more: Partial<RunRequest> = {}): Promise<RunBody> {
  const conversation = { ...CONVERSATION, isStored };
  const target = { swarmId: null, agentId, agentIds: [agentId], conversation, message: "Who am I?" };
  return stage.ask(ada, { id: "", agentIds: [] }, { ...target, ...more });
}

/** How many rows of each table the user sees. */
async function countVisible(): Promise<Record<string, number>> {
  const tables = ["swarms", "swarm_members", "swarm_agents", "messages", "runs", "run_turns", "run_events"];
  const counts = tables.map((table) => `(select count(*)::int from public.${table}) as ${table}`);
  const claims = JSON.stringify({ sub: ada.userId, role: "authenticated" });
  await user.query("begin");
  try {
    await user.query(
      `select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true),
         set_config('request.jwt.claim.sub', $2, true)`,
      [claims, ada.userId],
    );
    return (await user.query<Record<string, number>>(`select ${counts.join(", ")}`)).rows[0] ?? {};
  } finally {
    await user.query("rollback");
  }
}

async function subscribeToAll(): Promise<void> {
  await stage.rows(
    `insert into public.webhooks (user_id, name, url, events) values ($1, 'all', 'https://example.com/hook',
       array['swarm.created', 'swarm.deleted', 'swarm.completed', 'swarm.agent_added', 'message.created'])`,
    [ada.userId],
  );
}

const listEvents = (): Promise<{ type: string }[]> =>
  stage.rows("select type from private.events where $1 = any (audience) order by type", [ada.userId]);

const swarmExists = async (id: unknown): Promise<boolean> =>
  (await stage.rows("select 1 from public.swarms where id = $1", [id])).length === 1;

describe("a call with its own conversation", () => {
  test("runs in a new swarm that has the messages before the last one, in their order", async () => {
    const [first, second] = [await converse(false), await converse(false)];
    assert.notEqual(first["swarm_id"], second["swarm_id"]);
    assert.equal(second.status, "running", "one conversation does not wait for another");
    const said = await stage.rows(
      "select sender_type, sender_id, content from public.messages where swarm_id = $1 order by seq",
      [first["swarm_id"]],
    );
    assert.deepEqual(said, [
      { sender_type: "user", sender_id: ada.userId, content: HISTORY[0].content },
      { sender_type: "agent", sender_id: agentId, content: HISTORY[1].content },
      { sender_type: "user", sender_id: ada.userId, content: "Who am I?" },
    ]);
    const started = stage.taken.find(({ runId }) => runId === first.run_id);
    assert.deepEqual(
      started?.opened?.messages.map(({ content }) => content),
      [...HISTORY.map(({ content }) => content), "Who am I?"],
    );
    const [run] = await stage.rows<{ request: object }>("select request from public.runs where id = $1", [
      first.run_id,
    ]);
    assert.partialDeepStrictEqual(run?.request, {
      store: false,
      instructions: "Be brief.",
      settings: { temperature: 0 },
    });
  });

  test("shows its user and webhooks nothing of a conversation that is not stored", async () => {
    await subscribeToAll();
    const before = await countVisible();
    const run = await converse(false);
    await stage.finish(run.run_id);
    assert.deepEqual(await countVisible(), before);
    await stage.rows("update public.runs set finished_at = now() - interval '1 hour' where id = $1", [run.run_id]);
    await stage.rows("update private.hidden_swarms set created_at = now() - interval '1 hour' where swarm_id = $1", [
      run["swarm_id"],
    ]);
    await deleteHiddenSwarms(stage.pool, 60_000, 10);
    assert.equal(await swarmExists(run["swarm_id"]), false);
    assert.deepEqual(await listEvents(), []);
  });

  test("makes a stored conversation a swarm of its user", async () => {
    await subscribeToAll();
    const run = await converse(true);
    assert.partialDeepStrictEqual(await countVisible(), { swarms: 1, swarm_members: 1, swarm_agents: 1, messages: 3 });
    assert.deepEqual(
      (await listEvents()).map(({ type }) => type),
      ["message.created", "message.created", "message.created", "swarm.agent_added", "swarm.created"],
    );
    await stage.finish(run.run_id);
    await deleteHiddenSwarms(stage.pool, 0, 10);
    assert.equal(await swarmExists(run["swarm_id"]), true);
  });

  test("keeps a hidden swarm until its run has ended for as long as the retention", async () => {
    const [running, ended, old] = [await converse(false), await converse(false), await converse(false)];
    for (const { run_id: id } of [ended, old]) await stage.finish(id);
    await stage.rows("update private.hidden_swarms set created_at = now() - interval '1 hour'");
    await stage.rows("update public.runs set finished_at = now() - interval '6 minutes' where id = $1", [old.run_id]);
    await deleteHiddenSwarms(stage.pool, 300_000, 10);
    const left: boolean[] = [];
    for (const run of [running, ended, old]) left.push(await swarmExists(run["swarm_id"]));
    assert.deepEqual(left, [true, true, false]);
    const [row] = await stage.rows(
      "select deleted_at is not null as gone from private.hidden_swarms where swarm_id = $1",
      [old["swarm_id"]],
    );
    assert.deepEqual(row, { gone: true }, "realtime must not show the deletion");
    await stage.rows(
      "update private.hidden_swarms set deleted_at = now() - interval '1 hour' where deleted_at is not null",
    );
    await deleteHiddenSwarms(stage.pool, 300_000, 10);
    assert.deepEqual(
      await stage.rows("select 1 from private.hidden_swarms where swarm_id = $1", [old["swarm_id"]]),
      [],
    );
  });

  test("repeats a run by its Idempotency-Key without another swarm, and starts anew after it was cancelled", async () => {
    const idempotencyKey = randomUUID();
    const countSwarms = async (): Promise<number> =>
      (await stage.rows("select 1 from public.swarms where owner_id = $1", [ada.userId])).length;
    const runs = await Promise.all([1, 2, 3].map(() => converse(false, { idempotencyKey })));
    assert.deepEqual([new Set(runs.map((run) => run.run_id)).size, await countSwarms()], [1, 1]);
    const other = converse(false, { idempotencyKey, fingerprint: "another" });
    assert.equal(await codeOf(other), "IDEMPOTENCY_KEY_REUSED");
    await stage.rows("update private.run_leases set cancel_requested_at = now() where run_id = $1", [runs[0]?.run_id]);
    const again = await converse(false, { idempotencyKey });
    assert.notEqual(again.run_id, runs[0]?.run_id);
    assert.equal((await converse(false, { idempotencyKey })).run_id, again.run_id);
  });

  test("answers as the agent was in the version that the call names", async () => {
    await stage.rows("update public.agents set system_prompt = 'Be kind.' where id = $1", [agentId]);
    await stage.rows(
      `insert into public.agent_tools (agent_id, tool_id) select $1, id from public.tools where name = 'calculator'`,
      [agentId],
    );
    await stage.rows(
      "update public.agents set framework = 'provider_b', model = 'newest', system_prompt = 'Be rude.' where id = $1",
      [agentId],
    );
    const ask = (agentVersion: number | null) =>
      converse(false, { conversation: { ...CONVERSATION, agentVersion } }).then(async ({ run_id: id }) => {
        const agent = stage.taken.find(({ runId }) => runId === id)?.opened?.agent;
        const [turn] = await stage.rows<Record<string, unknown>>(
          "select agent_version, framework, model from public.run_turns where run_id = $1",
          [id],
        );
        return { ...turn, prompt: agent?.system_prompt, tools: agent?.tools.map(({ name }) => name) };
      });
    const old = { framework: "provider_a", model: "default" };
    assert.deepEqual(await ask(1), { agent_version: 1, ...old, prompt: null, tools: [] });
    assert.deepEqual(await ask(2), { agent_version: 2, ...old, prompt: "Be kind.", tools: [] });
    assert.deepEqual(await ask(3), { agent_version: 3, ...old, prompt: "Be kind.", tools: ["calculator"] });
    assert.deepEqual(stage.offers.at(-1), ["provider_a"]);
    const newest = { agent_version: 4, framework: "provider_b", model: "newest", prompt: "Be rude." };
    assert.deepEqual(await ask(null), { ...newest, tools: ["calculator"] });
    const missing = converse(false, { conversation: { ...CONVERSATION, agentVersion: 5 } });
    await assert.rejects(missing, { extra: { details: { agent_version: "names no version of the agent" } } });
  });

  test("answers with the framework, model and system prompt of the call in place of the agent's", async () => {
    await stage.rows("update public.agents set model = 'old', system_prompt = 'Be kind.' where id = $1", [agentId]);
    const ask = (overrides: AgentOverrides, agentVersion: number | null = null) =>
      converse(false, { conversation: { ...CONVERSATION, agentVersion, overrides } }).then(async ({ run_id: id }) => {
        const agent = stage.taken.find(({ runId }) => runId === id)?.opened?.agent;
        const [turn] = await stage.rows<{ framework: string; model: string }>(
          "select framework, model from public.run_turns where run_id = $1",
          [id],
        );
        assert.equal(agent?.framework, turn?.framework);
        // An agent has at most four turns at a time.
        await stage.rows("update public.run_turns set status = 'completed' where run_id = $1", [id]);
        return [turn?.framework, agent?.model, turn?.model, agent?.system_prompt, stage.offers.at(-1)];
      });
    assert.deepEqual(await ask({}), ["provider_a", "old", "old", "Be kind.", ["provider_a"]]);
    assert.deepEqual(await ask({ model: "new" }), ["provider_a", "new", "new", "Be kind.", ["provider_a"]]);
    assert.deepEqual(await ask({ model: null }), ["provider_a", null, "default", "Be kind.", ["provider_a"]]);
    assert.deepEqual(await ask({ framework: "provider_b", model: null, system_prompt: "" }), [
      "provider_b",
      null,
      "default",
      "",
      ["provider_b"],
    ]);
    assert.deepEqual(await ask({ system_prompt: "Be rude." }, 1), [
      "provider_a",
      null,
      "default",
      "Be rude.",
      ["provider_a"],
    ]);
    assert.equal(await codeOf(ask({ model: WITHOUT_MODEL })), "INVALID_MODEL");
    assert.equal(await codeOf(ask({ framework: "provider_c", model: null })), "PROVIDER_NOT_CONFIGURED");
    const [agent] = await stage.rows("select framework, model, system_prompt from public.agents where id = $1", [
      agentId,
    ]);
    assert.deepEqual(agent, { framework: "provider_a", model: "old", system_prompt: "Be kind." });
  });

  test("starts a queued run with what the call overrides", async () => {
    stage.hasCapacity = false;
    const overrides: AgentOverrides = { framework: "provider_b", model: "new" };
    const run = await converse(false, { conversation: { ...CONVERSATION, overrides } });
    stage.hasCapacity = true;
    const [queued] = await stage.rows(
      "select r.status, private.list_run_frameworks(r) as frameworks from public.runs r where id = $1",
      [run.run_id],
    );
    assert.deepEqual(queued, { status: "queued", frameworks: ["provider_b"] });
  });

  test("starts a queued run with the version that it names", async () => {
    await stage.rows("update public.agents set framework = 'provider_b' where id = $1", [agentId]);
    stage.hasCapacity = false;
    const run = await converse(false, { conversation: { ...CONVERSATION, agentVersion: 1 } });
    stage.hasCapacity = true;
    const [queued] = await stage.rows(
      "select r.status, private.list_run_frameworks(r) as frameworks from public.runs r where id = $1",
      [run.run_id],
    );
    assert.deepEqual(queued, { status: "queued", frameworks: ["provider_a"] });
  });

  test("creates nothing when the call is rejected", async () => {
    const stranger = await stage.newUser();
    const conversation = { ...CONVERSATION, history: [], instructions: null, settings: {} };
    const target = { swarmId: null, agentId, agentIds: [agentId], conversation };
    assert.equal(await codeOf(stage.ask(stranger, { id: "", agentIds: [] }, target)), "PERMISSION_DENIED");
    await stage.rows(
      `insert into public.user_settings (user_id, daily_token_budget) values ($1, 0)
       on conflict (user_id) do update set daily_token_budget = 0`,
      [ada.userId],
    );
    assert.equal(await codeOf(converse(false)), "BUDGET_EXCEEDED");
    assert.deepEqual(
      await stage.rows("select 1 from public.swarms where owner_id = any ($1)", [[ada.userId, stranger.userId]]),
      [],
    );
  });
});
