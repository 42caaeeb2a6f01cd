import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import type { RunRequest } from "../../../src/agents/admission/run-request.ts";
import { admitRuns, type AdmissionCall } from "../../../src/agents/admission/sql/admit-runs.ts";
import type { RunBody } from "../../../src/agents/streams/run-body.ts";
import { AppError } from "../../../src/errors/index.ts";
import { type Principal, SERVICE_PRINCIPAL, type UserPrincipal } from "../../../src/db/index.ts";
import { codeOf, openStage, type Stage, WITHOUT_MODEL } from "../support/respond-stage.ts";
import { callTo, NODE } from "../support/run-calls.ts";
import { until } from "../../support/until.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
let ada: UserPrincipal;
let agentId: string;

before(async () => {
  stage = await openStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});
beforeEach(async () => {
  ada = await stage.newUser();
  agentId = await newAgent(ada);
});

async function newAgent({ userId }: UserPrincipal, name = "Ann"): Promise<string> {
  const sql = "insert into public.agents (user_id, name) values ($1, $2) returning id";
  return (await stage.rows<{ id: string }>(sql, [userId, name]))[0]?.id ?? "";
}

function askAgent(
  principal: Principal & { readonly userId: string },
  id = agentId,
  more: Partial<RunRequest> = {},
): Promise<RunBody> {
  const fingerprint = JSON.stringify({ id, ...more });
  return stage.ask(
    principal,
    { id: "", agentIds: [] },
    { swarmId: null, agentId: id, agentIds: [id], fingerprint, ...more },
  );
}

function swarmsOf({ userId }: UserPrincipal): Promise<{ id: string; name: string }[]> {
  return stage.rows("select id, name from public.swarms where owner_id = $1 order by created_at", [userId]);
}

function agentCall(more: Partial<AdmissionCall> = {}): AdmissionCall {
  const call = callTo({ swarmId: "", ownerId: ada.userId, agentIds: [agentId] }, { agent_ids: [agentId], ...more });
  return { ...call, swarm_id: null, agent_id: agentId };
}

describe("a call with an agent instead of a swarm", () => {
  test("creates the private swarm with the first call, and uses it for the next ones", async () => {
    const first = await askAgent(ada);
    const [swarm, ...others] = await swarmsOf(ada);
    assert.deepEqual([first["swarm_id"], swarm?.name, others], [swarm?.id, "hello", []]);
    const members = await stage.rows("select user_id, role, status from public.swarm_members where swarm_id = $1", [
      swarm?.id,
    ]);
    assert.deepEqual(members, [{ user_id: ada.userId, role: "owner", status: "active" }]);
    const placed = await stage.rows("select agent_id, added_by from public.swarm_agents where swarm_id = $1", [
      swarm?.id,
    ]);
    assert.deepEqual(placed, [{ agent_id: agentId, added_by: ada.userId }]);
    assert.equal(stage.taken.at(-1)?.opened?.agent.name, "Ann");

    const second = await askAgent(ada);
    assert.deepEqual([second["swarm_id"], second.status], [swarm?.id, "queued"]);
    const message = `  What   is\n${"long ".repeat(30)}`;
    const third = await askAgent(ada, await newAgent(ada, "Bob"), { message });
    assert.notEqual(third["swarm_id"], swarm?.id);
    const names = (await swarmsOf(ada)).map(({ name }) => name);
    assert.deepEqual(names, ["hello", `What is ${"long ".repeat(18)}lo`]);
  });

  test("first calls at the same time end in one swarm that has all messages", async () => {
    const runs = await Promise.all(["a", "b", "c"].map((message) => askAgent(ada, agentId, { message })));
    const [swarm, ...others] = await swarmsOf(ada);
    assert.deepEqual([runs.map((run) => run["swarm_id"]), others], [runs.map(() => swarm?.id), []]);
    const stored = await stage.rows<{ content: string }>(
      "select content from public.messages where swarm_id = $1 order by content",
      [swarm?.id],
    );
    assert.deepEqual(
      stored.map(({ content }) => content),
      ["a", "b", "c"],
    );
  });

  test("a first call waits for another transaction that creates the swarm, and uses its swarm", async () => {
    const other = await stage.pool.connect();
    try {
      await other.query("begin");
      await other.query("select private.admit_runs($1::jsonb, 'node', 30000, 3)", [
        JSON.stringify([{ ...agentCall(), place: 0 }]),
      ]);
      const waiting = askAgent(ada);
      const waits = "select 1 from pg_locks where locktype = 'advisory' and not granted";
      await until(async () => (await stage.rows(waits)).length > 0, "the first call waits");
      await other.query("commit");
      const [swarm, ...others] = await swarmsOf(ada);
      assert.deepEqual([(await waiting)["swarm_id"], others], [swarm?.id, []]);
    } finally {
      other.release();
    }
  });

  test("a batch of calls creates no swarm, and uses those that exist", async () => {
    const [known, fresh] = [agentId, await newAgent(ada, "Bob")];
    const { swarm_id: swarmId } = await askAgent(ada, known);
    const batch = [agentCall(), { ...agentCall(), agent_id: fresh, agent_ids: [fresh] }];
    const [queued, held] = await admitRuns(stage.pool, batch, NODE);
    assert.ok(queued && "run_id" in queued);
    assert.equal(held, null);
    const [run] = await stage.rows("select swarm_id from public.runs where id = $1", [queued.run_id]);
    assert.deepEqual(run, { swarm_id: swarmId });
    assert.equal((await swarmsOf(ada)).length, 1);
  });

  test("makes a new swarm when the call says so, and continues in the latest one", async () => {
    const first = await askAgent(ada);
    const other = await askAgent(ada, agentId, { isNewConversation: true, message: "another subject" });
    assert.notEqual(other["swarm_id"], first["swarm_id"]);
    assert.equal((await askAgent(ada))["swarm_id"], other["swarm_id"]);
    const keyed = { isNewConversation: true, idempotencyKey: "new" };
    const [one, two] = await Promise.all([askAgent(ada, agentId, keyed), askAgent(ada, agentId, keyed)]);
    assert.equal(one.run_id, two.run_id);
    assert.equal((await swarmsOf(ada)).length, 3);
  });

  test("takes no further member and no further agent", async () => {
    const { swarm_id: swarmId } = await askAgent(ada);
    const other = await newAgent(ada, "Bob");
    const additions = [
      "insert into public.swarm_members (swarm_id, invited_email) values ($1, 'bob@example.test')",
      `insert into public.swarm_agents (swarm_id, agent_id) values ($1, '${other}')`,
    ];
    for (const sql of additions) await assert.rejects(stage.rows(sql, [swarmId]), /takes no further/);
  });

  test("makes a new swarm once the earlier one is deleted, or without the agent", async () => {
    const changes = ["delete from public.swarms where id = $1", "delete from public.swarm_agents where swarm_id = $1"];
    for (const change of changes) {
      const { swarm_id: earlier } = await askAgent(ada);
      await stage.rows(change, [earlier]);
      const later = await askAgent(ada);
      assert.notEqual(later["swarm_id"], earlier, change);
      assert.equal((await askAgent(ada))["swarm_id"], later["swarm_id"], change);
    }
  });

  test("a rejected call creates no swarm and charges nothing before its admission", async () => {
    const bob = await stage.newUser();
    const bobsAgent = await newAgent(bob);
    const [modelless, unconfigured] = [await newAgent(ada), await newAgent(ada)];
    await stage.rows("update public.agents set model = $2 where id = $1", [modelless, WITHOUT_MODEL]);
    await stage.rows("update public.agents set framework = 'provider_c' where id = $1", [unconfigured]);
    const before = stage.charged;
    const refuse = () => Promise.reject(new AppError("RATE_LIMITED", "Too many requests"));
    const refusals: Record<string, [call: () => Promise<unknown>, code: string]> = {
      "no agent": [() => askAgent(ada, randomUUID()), "AGENT_NOT_FOUND"],
      "agent of another user": [() => askAgent(ada, bobsAgent), "PERMISSION_DENIED"],
      "no user": [() => askAgent({ ...SERVICE_PRINCIPAL, userId: randomUUID() }), "VALIDATION_ERROR"],
      "no model": [() => askAgent(ada, modelless), "INVALID_MODEL"],
      "no provider": [() => askAgent(ada, unconfigured), "PROVIDER_NOT_CONFIGURED"],
      "rate limit": [() => askAgent(ada, agentId, { charge: refuse }), "RATE_LIMITED"],
    };
    for (const [name, [call, code]] of Object.entries(refusals)) assert.equal(await codeOf(call()), code, name);
    assert.equal(stage.charged, before);
    // The admission itself rejects these, after it has created the swarm.
    assert.equal(await codeOf(askAgent(ada, agentId, { replyToId: randomUUID() })), "VALIDATION_ERROR");
    await stage.rows("update public.user_settings set daily_token_budget = 0 where user_id = $1", [ada.userId]);
    assert.equal(await codeOf(askAgent(ada)), "BUDGET_EXCEEDED");
    await stage.rows("delete from public.agents where id = $1", [agentId]);
    assert.equal(await codeOf(admitRuns(stage.pool, [agentCall()], NODE)), "AGENT_NOT_FOUND");
    assert.deepEqual([await swarmsOf(ada), await swarmsOf(bob)], [[], []]);
  });

  test("the state of the swarm and of the agent in it apply", async () => {
    const { swarm_id: swarmId } = await askAgent(ada);
    await stage.rows("update public.swarms set status = 'paused' where id = $1", [swarmId]);
    assert.equal(await codeOf(askAgent(ada)), "SWARM_NOT_ACTIVE");
    await stage.rows("update public.swarms set status = 'active' where id = $1", [swarmId]);
    await stage.rows("update public.swarm_agents set enabled = false where swarm_id = $1", [swarmId]);
    assert.equal(await codeOf(askAgent(ada)), "NO_AGENTS");
  });

  test("an idempotency key and a client_message_id refer to the first run", async () => {
    const keyed = { idempotencyKey: "once" };
    const [first, again] = await Promise.all([askAgent(ada, agentId, keyed), askAgent(ada, agentId, keyed)]);
    assert.equal(again.run_id, first.run_id);
    assert.equal((await askAgent(ada, agentId, keyed)).run_id, first.run_id);
    assert.equal(await codeOf(askAgent(ada, agentId, { ...keyed, message: "other" })), "IDEMPOTENCY_KEY_REUSED");
    await stage.rows("update public.swarm_agents set enabled = false where agent_id = $1", [agentId]);
    assert.equal((await askAgent(ada, agentId, keyed)).run_id, first.run_id);
    await stage.rows("delete from public.swarm_agents where agent_id = $1", [agentId]);
    assert.equal((await askAgent(ada, agentId, keyed)).run_id, first.run_id);
    assert.equal((await swarmsOf(ada)).length, 1);

    const marked = { clientMessageId: "mine" };
    const { run_id: runId } = await askAgent(ada, agentId, marked);
    assert.equal((await askAgent(ada, agentId, marked)).run_id, runId);
  });

  test("the service role opens a swarm of a user who holds a grant, and the user continues in it", async () => {
    const bob = await stage.newUser();
    assert.equal(await codeOf(askAgent({ ...SERVICE_PRINCIPAL, userId: bob.userId })), "PERMISSION_DENIED");
    await stage.rows("insert into public.agent_grants (agent_id, audience) values ($1, 'everyone')", [agentId]);
    const run = await askAgent({ ...SERVICE_PRINCIPAL, userId: bob.userId });
    const [swarm] = await swarmsOf(bob);
    assert.equal(run["swarm_id"], swarm?.id);
    assert.equal((await askAgent(bob))["swarm_id"], swarm?.id);
    assert.deepEqual(await swarmsOf(ada), []);
  });

  test("events of the new swarm name the user", async () => {
    await stage.rows(
      `insert into public.webhooks (user_id, name, url, events)
       values ($1, 'hook', 'https://example.test/', '{swarm.created,swarm.agent_added,message.created}')`,
      [ada.userId],
    );
    const { swarm_id: swarmId } = await askAgent(ada);
    const events = await stage.rows(
      `select type, data ->> 'swarm_id' as swarm_id, data -> 'actor' as actor from private.events
       where $1 = any (audience) order by seq`,
      [ada.userId],
    );
    const actor = { type: "user", id: ada.userId };
    assert.deepEqual(
      events,
      ["swarm.created", "swarm.agent_added", "message.created"].map((type) => ({ type, swarm_id: swarmId, actor })),
    );
  });

  test("the deletion of an account removes the swarm and leaves nothing behind", async () => {
    await askAgent(ada);
    await stage.rows("delete from auth.users where id = $1", [ada.userId]);
    assert.deepEqual(await stage.rows("select 1 from private.private_swarms where user_id = $1", [ada.userId]), []);
    assert.deepEqual(await swarmsOf(ada), []);
  });
});
