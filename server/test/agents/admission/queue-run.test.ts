import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import type pg from "pg";
import type { QueuedAnswer, QueuedRun } from "../../../src/agents/index.ts";
import { inTransaction, type UserPrincipal } from "../../../src/db/index.ts";
import { AppError } from "../../../src/errors/index.ts";
import { codeOf, openStage, type Stage } from "../support/respond-stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
let ada: UserPrincipal;
let agentId: string;

before(async () => {
  stage = await openStage({ after: (close) => void closers.push(close) });
  await stage.rows("create table private.test_marks (mark text)");
  await stage.rows("grant insert on private.test_marks to sb_service");
});
after(async () => {
  for (const close of closers.reverse()) await close();
});
beforeEach(async () => {
  ada = await stage.newUser();
  agentId = await newAgent(ada);
  stage.chargeStart = async () => {};
});

async function newAgent({ userId }: UserPrincipal): Promise<string> {
  const sql = "insert into public.agents (user_id, name) values ($1, 'Ann') returning id";
  return (await stage.rows<{ id: string }>(sql, [userId]))[0]?.id ?? "";
}

async function newKey({ userId }: UserPrincipal, scopes: readonly string[], resources?: object): Promise<string> {
  const id = randomUUID();
  await stage.rows("insert into auth.sessions (id, user_id, api_key_hash) values ($1, $2, $3)", [id, userId, id]);
  const sql =
    "insert into public.api_keys (id, user_id, name, scopes, prefix, resources) values ($1, $2, 'n', $3, 'sk_', $4)";
  await stage.rows(sql, [id, userId, scopes, resources ?? null]);
  return id;
}

function runOf(more: Partial<QueuedRun> & { readonly cause?: string } = {}): QueuedRun {
  const { cause = "a", ...rest } = more;
  const origin = { startedBy: `tests ${cause}`, cause: { type: "test", id: cause }, outside: null, budget: null };
  return {
    extension: "tests",
    key: randomUUID(),
    userId: ada.userId,
    apiKeyId: null,
    swarmId: null,
    agentId: rest.swarmId === undefined ? agentId : null,
    isNewConversation: false,
    message: "hello",
    origin,
    ...rest,
  };
}

function inOne<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  return inTransaction(stage.pool, work);
}

function queue(more: Parameters<typeof runOf>[0] = {}): Promise<QueuedAnswer> {
  return inOne((client) => stage.respond.queue(client, runOf(more)));
}

function countRuns(): Promise<{ count: number }[]> {
  return stage.rows("select count(*)::int as count from public.runs where user_id = $1", [ada.userId]);
}

describe("a run that an extension starts", () => {
  test("is queued with its message, its cause and what the extension writes, or not at all", async () => {
    const { runId, swarmId } = await inOne(async (client) => {
      await client.query("insert into private.test_marks values ('kept')");
      return stage.respond.queue(client, runOf());
    });
    const stored = await stage.rows(
      `select r.status, r.cause, r.request, r.swarm_id, r.user_id, m.content, m.sender_user_id,
         (select array_agg(e.type order by e.seq) from public.run_events e where e.run_id = r.id) as events
       from public.runs r join public.messages m on m.id = r.message_id where r.id = $1`,
      [runId],
    );
    assert.deepEqual(stored, [
      {
        status: "queued",
        cause: { type: "test", id: "a" },
        request: { source: "extension", agent_ids: [agentId] },
        swarm_id: swarmId,
        user_id: ada.userId,
        content: "hello",
        sender_user_id: ada.userId,
        events: ["message.created", "run.queued"],
      },
    ]);
    const undone = inOne(async (client) => {
      await client.query("insert into private.test_marks values ('undone')");
      await stage.respond.queue(client, runOf({ cause: "b" }));
      throw new Error("the extension fails");
    });
    await assert.rejects(undone, /the extension fails/);
    assert.deepEqual(await countRuns(), [{ count: 1 }]);
    assert.deepEqual(await stage.rows("select mark from private.test_marks"), [{ mark: "kept" }]);
  });

  test("starts once for each key of an extension, also in transactions at the same time", async () => {
    const key = randomUUID();
    const answers = await Promise.all([queue({ key }), queue({ key }), queue({ key })]);
    assert.equal(answers.filter(({ isRepeated }) => isRepeated).length, 2);
    assert.equal(new Set(answers.map(({ runId }) => runId)).size, 1);
    assert.equal((await queue({ key, extension: "others" })).isRepeated, false);
    assert.deepEqual(await countRuns(), [{ count: 2 }]);
    await stage.rows("delete from public.swarms where owner_id = $1", [ada.userId]);
    assert.equal((await queue({ key })).isRepeated, false, "the key is kept as long as its run");
  });

  test("has a conversation of its cause, which is no chat of the user", async () => {
    const first = await queue();
    const again = await queue();
    const other = await queue({ cause: "b" });
    const alone = await queue({ isNewConversation: true });
    const asked = await stage.ask(ada, { id: "", agentIds: [] }, { swarmId: null, agentId, agentIds: [agentId] });
    assert.equal(again.swarmId, first.swarmId);
    const all = [first.swarmId, other.swarmId, alone.swarmId, asked["swarm_id"]];
    assert.equal(new Set(all).size, 4);
    const described = await stage.rows(
      `select s.started_by, s.private_agent_id from (
         select public.started_by(s), public.private_agent_id(s), s.created_at from public.swarms s
         cross join lateral (select set_config('request.jwt.claims', $2, true)) as c
         where s.id = any ($1) order by s.created_at) as s`,
      [[first.swarmId, asked.swarm_id], JSON.stringify({ sub: ada.userId, role: "authenticated" })],
    );
    assert.deepEqual(described, [
      { started_by: "tests a", private_agent_id: null },
      { started_by: null, private_agent_id: agentId },
    ]);
  });

  test("needs the rights that the user has now", async () => {
    const bob = await stage.newUser();
    const theirs = await newAgent(bob);
    const swarm = await stage.newSwarm(bob);
    assert.equal(await codeOf(queue({ agentId: theirs })), "PERMISSION_DENIED");
    assert.equal(await codeOf(queue({ agentId: randomUUID() })), "AGENT_NOT_FOUND");
    assert.equal(await codeOf(queue({ swarmId: swarm.id })), "FORBIDDEN");
    assert.equal(await codeOf(queue({ swarmId: randomUUID() })), "SWARM_NOT_FOUND");
    await stage.join(swarm, ada, "viewer");
    assert.equal(await codeOf(queue({ swarmId: swarm.id })), "FORBIDDEN");
    await stage.rows("update public.swarm_members set role = 'member' where user_id = $1", [ada.userId]);
    assert.equal((await queue({ swarmId: swarm.id })).swarmId, swarm.id);
    const [grant] = await stage.rows<{ id: string }>(
      "insert into public.agent_grants (agent_id, audience) values ($1, 'everyone') returning id",
      [theirs],
    );
    const held = await queue({ agentId: theirs });
    await stage.rows("delete from public.agent_grants where id = $1", [grant?.id]);
    assert.equal(await codeOf(queue({ agentId: theirs })), "PERMISSION_DENIED");
    assert.ok(held.runId);
    await stage.rows("update auth.users set banned_until = now() + interval '1 day' where id = $1", [ada.userId]);
    assert.equal(await codeOf(queue()), "UNAUTHORIZED");
    await stage.rows("update auth.users set banned_until = null, deleted_at = now() where id = $1", [ada.userId]);
    assert.equal(await codeOf(queue()), "UNAUTHORIZED");
  });

  test("has no more rights than the API key for which the extension acts", async () => {
    const reader = await newKey(ada, ["read", "write"]);
    const bound = await newKey(ada, ["run"], { agents: [await newAgent(ada)], swarms: [] });
    const full = await newKey(ada, ["read", "run"]);
    assert.equal(await codeOf(queue({ apiKeyId: reader })), "INSUFFICIENT_SCOPE");
    assert.equal(await codeOf(queue({ apiKeyId: bound })), "FORBIDDEN");
    const bob = await stage.newUser();
    assert.equal(await codeOf(queue({ apiKeyId: await newKey(bob, ["run"]) })), "UNAUTHORIZED");
    const { runId } = await queue({ apiKeyId: full });
    assert.deepEqual(
      await stage.rows("select api_key_id, session_id, aal from private.run_leases where run_id = $1", [runId]),
      [{ api_key_id: full, session_id: null, aal: "aal1" }],
    );
    await stage.rows("delete from auth.sessions where id = $1", [full]);
    assert.equal(await codeOf(queue({ apiKeyId: full })), "UNAUTHORIZED");
  });

  test("counts against the limits, and leaves the transaction usable when one is reached", async () => {
    stage.chargeStart = async () => {
      throw new AppError("RATE_LIMITED", "too many", { retryAfterSeconds: 30 });
    };
    const mark = `limited ${ada.userId}`;
    await inOne(async (client) => {
      assert.equal(await codeOf(stage.respond.queue(client, runOf())), "RATE_LIMITED");
      await client.query("insert into private.test_marks values ($1)", [mark]);
    });
    assert.equal((await stage.rows("select 1 from private.test_marks where mark = $1", [mark])).length, 1);
    stage.chargeStart = async () => {};
    await stage.rows("update public.user_settings set daily_token_budget = 0 where user_id = $1", [ada.userId]);
    assert.equal(await codeOf(queue()), "BUDGET_EXCEEDED");
    assert.deepEqual(await countRuns(), [{ count: 0 }], "no conversation is begun either");
    assert.deepEqual(await stage.rows("select 1 from public.swarms where owner_id = $1", [ada.userId]), []);
    await stage.rows("update public.user_settings set daily_token_budget = null where user_id = $1", [ada.userId]);
    const first = await queue();
    for (const _ of [2, 3]) await queue();
    assert.equal(await codeOf(queue()), "SWARM_BUSY");
    await stage.rows("update public.runs set status = 'cancelled', stop_reason = 'cancelled' where swarm_id = $1", [
      first.swarmId,
    ]);
    for (const message of ["", "a\0b", "x".repeat(100_001)])
      assert.equal(await codeOf(queue({ message })), "VALIDATION_ERROR");
    assert.equal((await queue()).isRepeated, false);
  });

  test("has a budget of its own below those of the swarm", async () => {
    const origin = { ...runOf().origin, budget: { maxTokens: 50, maxCostUsd: null } };
    const { runId } = await queue({ origin });
    const remaining = async (settings: object): Promise<unknown[]> => {
      await stage.rows(
        "update public.swarms s set settings = $2 from public.runs r where r.id = $1 and s.id = r.swarm_id",
        [runId, JSON.stringify(settings)],
      );
      return stage.rows(
        `select left_over.tokens::int, left_over.cost_usd::float from public.runs r
         join public.swarms s on s.id = r.swarm_id
         cross join lateral private.compute_remaining_budget(s, r.user_id, r, true) as left_over
         where r.id = $1`,
        [runId],
      );
    };
    assert.deepEqual(await remaining({}), [{ tokens: 50, cost_usd: null }]);
    assert.deepEqual(await remaining({ budget: { max_tokens: 20, max_cost_usd: 1 } }), [{ tokens: 20, cost_usd: 1 }]);
    assert.deepEqual(await remaining({ budget: { max_tokens: 90 } }), [{ tokens: 50, cost_usd: null }]);
  });
});
