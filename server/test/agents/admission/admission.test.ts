import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { SERVICE_PRINCIPAL, type UserPrincipal } from "../../../src/db/index.ts";
import { codeOf, openStage, type Stage, type Swarm, WITHOUT_MODEL } from "../support/respond-stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
let ada: UserPrincipal;
let swarm: Swarm;

before(async () => {
  stage = await openStage({ after: (close) => void closers.push(close) });
  ada = await stage.newUser();
});
after(async () => {
  for (const close of closers.reverse()) await close();
});
beforeEach(async () => {
  swarm = await stage.newSwarm(ada, { agents: ["Ann", "Bob"] });
  stage.hasCapacity = true;
});

async function countMessages({ id }: Swarm): Promise<number> {
  const [row] = await stage.rows<{ count: number }>(
    "select count(*)::int as count from public.messages where swarm_id = $1",
    [id],
  );
  return row?.count ?? -1;
}

async function set(swarmId: string, column: string, value: unknown): Promise<void> {
  await stage.rows(`update public.swarms set ${column} = $2 where id = $1`, [swarmId, value]);
}

describe("admission", () => {
  test("a run is stored with its message, its lease and its first events, and handed to the executor once", async () => {
    const body = await stage.ask(ada, swarm, { message: "hello @Bob", maxTurns: 3, metadata: { a: 1 } });
    assert.equal(body.status, "running");
    const [taken, ...more] = stage.taken.filter(({ runId }) => runId === body.run_id);
    assert.deepEqual([taken?.fence, more], [1, []]);
    // The same as a node loads.
    const [{ context } = { context: null }] = await stage.rows<{ context: unknown }>(
      "select private.load_run($1, 1) as context",
      [body.run_id],
    );
    assert.deepEqual(taken?.context, context);
    const message = body["message"] as Record<string, unknown>;
    assert.deepEqual([message["content"], message["sender_id"]], ["hello @Bob", ada.userId]);
    assert.deepEqual([message["mentions"], message["metadata"]], [[swarm.agentIds[1]], { a: 1 }]);
    const events = await stage.rows("select seq, type from public.run_events where run_id = $1 order by seq", [
      body.run_id,
    ]);
    assert.deepEqual(events, [
      { seq: 1, type: "message.created" },
      { seq: 2, type: "run.started" },
      { seq: 3, type: "turn.started" },
      { seq: 4, type: "agent.status_changed" },
    ]);
    assert.deepEqual([taken?.opened?.agent.name, taken?.opened?.messages.length], ["Bob", 1]);
    const [run] = await stage.rows<{ request: unknown }>("select request from public.runs where id = $1", [
      body.run_id,
    ]);
    assert.deepEqual(run?.request, { source: "agent_respond", mentions: [swarm.agentIds[1]], max_turns: 3 });
  });

  test("a rejected request stores nothing and charges nothing", async () => {
    const [bob, viewer] = [await stage.newUser(), await stage.newUser()];
    await stage.join(swarm, viewer, "viewer");
    const other = await stage.newSwarm(ada);
    const blocked = await stage.newSwarm(ada, {
      settings: { moderation: { enabled: true, action: "block", blocklist: ["hello"] } },
    });
    const empty = await stage.newSwarm(ada, { agents: [] });
    const [modelless, unconfigured] = [await stage.newSwarm(ada), await stage.newSwarm(ada)];
    await stage.rows("update public.agents set model = $2 where id = $1", [modelless.agentIds[0], WITHOUT_MODEL]);
    await stage.rows("update public.agents set framework = 'provider_c' where id = $1", [unconfigured.agentIds[0]]);
    await stage.rows("update public.swarm_agents set enabled = false where agent_id = $1", [swarm.agentIds[1]]);
    const service = { ...SERVICE_PRINCIPAL, userId: randomUUID() };
    const nowhere = { id: randomUUID(), agentIds: [] };

    const before = stage.charged;
    const refusals: Record<string, [call: () => Promise<unknown>, code: string]> = {
      stranger: [() => stage.ask(bob, swarm), "FORBIDDEN"],
      nowhere: [() => stage.ask(ada, nowhere), "SWARM_NOT_FOUND"],
      "service nowhere": [() => stage.ask({ ...SERVICE_PRINCIPAL, userId: ada.userId }, nowhere), "SWARM_NOT_FOUND"],
      "service without a user": [() => stage.ask(service, swarm), "VALIDATION_ERROR"],
      viewer: [() => stage.ask(viewer, swarm), "FORBIDDEN"],
      empty: [() => stage.ask(ada, empty), "NO_AGENTS"],
      "disabled agent": [() => stage.ask(ada, swarm, { agentIds: [swarm.agentIds[1] ?? ""] }), "VALIDATION_ERROR"],
      "agent of elsewhere": [() => stage.ask(ada, swarm, { agentIds: [...other.agentIds] }), "VALIDATION_ERROR"],
      "no model": [() => stage.ask(ada, modelless), "INVALID_MODEL"],
      "no provider": [() => stage.ask(ada, unconfigured), "PROVIDER_NOT_CONFIGURED"],
    };
    for (const [name, [call, code]] of Object.entries(refusals)) assert.equal(await codeOf(call()), code, name);
    assert.equal(stage.charged, before);
    assert.equal(await codeOf(stage.ask(ada, blocked)), "CONTENT_BLOCKED");
    assert.equal(await codeOf(stage.ask(ada, swarm, { replyToId: randomUUID() })), "VALIDATION_ERROR");
    for (const one of [swarm, blocked, empty, modelless]) assert.equal(await countMessages(one), 0);
  });

  for (const status of ["paused", "completed", "archived"]) {
    test(`a swarm with the status ${status} rejects runs`, async () => {
      await set(swarm.id, "status", status);
      assert.equal(await codeOf(stage.ask(ada, swarm)), "SWARM_NOT_ACTIVE");
      assert.equal(await countMessages(swarm), 0);
    });
  }

  test("the daily budgets of the payer and of the swarm apply", async () => {
    const spend = (payerId: string, swarmId: string): Promise<unknown> =>
      stage.rows(
        `insert into public.usage_records (payer_id, swarm_id, framework, model, input_tokens, output_tokens, cost_usd)
         values ($1, $2, 'provider_a', 'm', 60, 40, 0.5)`,
        [payerId, swarmId],
      );
    await spend(ada.userId, swarm.id);
    await set(swarm.id, "settings", { budget: { max_tokens_per_day: 101 } });
    assert.equal(await codeOf(stage.ask(ada, swarm)), "answered");
    await set(swarm.id, "settings", { budget: { max_tokens_per_day: 100 } });
    assert.equal(await codeOf(stage.ask(ada, swarm)), "BUDGET_EXCEEDED");
    await set(swarm.id, "settings", { budget: { max_cost_usd_per_day: 0.5 } });
    assert.equal(await codeOf(stage.ask(ada, swarm)), "BUDGET_EXCEEDED");

    const bob = await stage.newUser();
    const bobsSwarm = await stage.newSwarm(bob);
    await spend(bob.userId, bobsSwarm.id);
    await stage.rows("update public.user_settings set daily_token_budget = 100 where user_id = $1", [bob.userId]);
    assert.equal(await codeOf(stage.ask(bob, bobsSwarm)), "BUDGET_EXCEEDED");
    // The service role names the payer, and this one has no budget.
    assert.equal(await codeOf(stage.ask({ ...SERVICE_PRINCIPAL, userId: ada.userId }, bobsSwarm)), "answered");
  });
});

describe("a second run in the same swarm", () => {
  test("is queued in order, up to the limit", async () => {
    const first = await stage.ask(ada, swarm);
    const waiting = [];
    for (let at = 0; at < 3; at += 1) waiting.push(await stage.ask(ada, swarm));
    assert.deepEqual(
      [first, ...waiting].map(({ status }) => status),
      ["running", "queued", "queued", "queued"],
    );
    assert.equal(await codeOf(stage.ask(ada, swarm)), "SWARM_BUSY");
    assert.equal(await countMessages(swarm), 4);
    const events = await stage.rows<{ position: number }>(
      `select (data ->> 'position')::int as position from public.run_events
        where type = 'run.queued' and swarm_id = $1 order by created_at`,
      [swarm.id],
    );
    assert.deepEqual(
      events.map(({ position }) => position),
      [1, 2, 3],
    );
  });

  test("is rejected when the request, or else the swarm, is set to reject", async () => {
    await stage.ask(ada, swarm);
    assert.equal(await codeOf(stage.ask(ada, swarm, { onConflict: "reject" })), "SWARM_BUSY");
    await set(swarm.id, "settings", { on_conflict: "reject" });
    assert.equal(await codeOf(stage.ask(ada, swarm)), "SWARM_BUSY");
    assert.equal((await stage.ask(ada, swarm, { onConflict: "enqueue" })).status, "queued");
  });

  test("interrupts the running one and precedes the queued ones", async () => {
    const live = await stage.ask(ada, swarm);
    const patient = await stage.ask(ada, swarm);
    const urgent = await stage.ask(ada, swarm, { onConflict: "interrupt" });
    assert.equal(urgent.status, "queued");
    assert.ok(stage.cancelled.includes(live.run_id));
    const [lease] = await stage.rows<{ cancel_reason: string }>(
      "select cancel_reason from private.run_leases where run_id = $1 and cancel_requested_at is not null",
      [live.run_id],
    );
    assert.equal(lease?.cancel_reason, "interrupted");
    await stage.finish(live.run_id, "cancelled", "interrupted");
    const claimed = await stage.rows<{ run_id: string }>("select run_id from private.claim_runs('node', 1000, 5)");
    assert.ok(claimed.some(({ run_id: id }) => id === urgent.run_id));
    assert.ok(!claimed.some(({ run_id: id }) => id === patient.run_id));
  });

  test("a node without capacity leaves the run in the queue", async () => {
    stage.hasCapacity = false;
    assert.equal((await stage.ask(ada, swarm)).status, "queued");
  });

  test("releases the capacity of the node when the run does not start", async () => {
    const before = stage.releasedCount;
    assert.equal((await stage.ask(ada, swarm)).status, "running");
    assert.equal(stage.releasedCount, before);
    assert.equal((await stage.ask(ada, swarm)).status, "queued");
    assert.equal(stage.releasedCount, before + 1);
    assert.equal(await codeOf(stage.ask(ada, swarm, { onConflict: "reject" })), "SWARM_BUSY");
    assert.equal(stage.releasedCount, before + 2);
  });

  test("reserves capacity for every provider that the run may use", async () => {
    const [ann, bob] = swarm.agentIds;
    await stage.rows("update public.agents set framework = 'provider_b' where id = $1", [bob]);
    const offerOf = async (message: string): Promise<readonly string[]> => {
      await stage.ask(ada, swarm, { message });
      return stage.offers.at(-1)?.toSorted() ?? [];
    };
    assert.deepEqual(await offerOf("hello"), ["provider_a", "provider_b"]);
    assert.deepEqual(await offerOf("hello @Bob"), ["provider_b"]);
    await set(swarm.id, "coordinator_agent_id", ann);
    await set(swarm.id, "strategy", "selector");
    assert.deepEqual(await offerOf("hello @Bob"), ["provider_a", "provider_b"]);
    const waiting = await stage.rows<{ frameworks: string[] }>(
      `select private.list_run_frameworks(r) as frameworks from public.runs r where swarm_id = $1 order by queued_at, id`,
      [swarm.id],
    );
    const strategies = ["provider_a,provider_b", "provider_b", "provider_a,provider_b"];
    assert.deepEqual(
      waiting.map(({ frameworks }) => frameworks.toSorted().join()),
      strategies,
    );
  });

  test("with many concurrent requests, one runs, the queue limit holds, and every message has a run", async () => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => codeOf(stage.ask(ada, swarm))));
    assert.equal(outcomes.filter((outcome) => outcome === "answered").length, 4);
    assert.equal(outcomes.filter((outcome) => outcome === "SWARM_BUSY").length, 8);
    const runs = await stage.rows<{ status: string; count: number }>(
      "select status, count(*)::int as count from public.runs where swarm_id = $1 group by status order by status",
      [swarm.id],
    );
    assert.deepEqual(runs, [
      { status: "queued", count: 3 },
      { status: "running", count: 1 },
    ]);
    assert.equal(await countMessages(swarm), 4);
  });
});

describe("a repeated request", () => {
  test("with the same key returns the same run, charged once; with another body it is rejected", async () => {
    const key = { idempotencyKey: "k".repeat(255), fingerprint: "same" };
    const before = stage.charged;
    const first = await stage.ask(ada, swarm, key);
    assert.equal((await stage.ask(ada, swarm, key)).run_id, first.run_id);
    await set(swarm.id, "status", "paused");
    assert.equal((await stage.ask(ada, swarm, key)).run_id, first.run_id, "what was done stays done");
    assert.equal(stage.charged, before + 1);
    assert.equal(await codeOf(stage.ask(ada, swarm, { ...key, fingerprint: "other" })), "IDEMPOTENCY_KEY_REUSED");
    assert.equal(await countMessages(swarm), 1);
  });

  test("idempotency keys are separate for each user and valid for a day", async () => {
    const bob = await stage.newUser();
    await stage.join(swarm, bob, "member");
    const key = { idempotencyKey: "key", fingerprint: "same" };
    const ids = [];
    for (const principal of [ada, bob, { ...SERVICE_PRINCIPAL, userId: ada.userId }])
      ids.push((await stage.ask(principal, swarm, key)).run_id);
    assert.equal(new Set(ids).size, 3);
    await stage.rows("update private.idempotency_keys set created_at = now() - interval '25 hours'");
    assert.notEqual((await stage.ask(ada, swarm, { ...key, fingerprint: "other" })).run_id, ids[0]);
  });

  test("a rejected request does not use up its key", async () => {
    const key = { idempotencyKey: "rejected", fingerprint: "same" };
    await set(swarm.id, "status", "paused");
    assert.equal(await codeOf(stage.ask(ada, swarm, key)), "SWARM_NOT_ACTIVE");
    await set(swarm.id, "status", "active");
    assert.equal((await stage.ask(ada, swarm, key)).status, "running");
  });

  test("that is concurrent creates one run and one message", async () => {
    const key = { idempotencyKey: "race", fingerprint: "same", onConflict: "reject" as const };
    const bodies = await Promise.all(Array.from({ length: 8 }, () => stage.ask(ada, swarm, key)));
    assert.equal(new Set(bodies.map(({ run_id: id }) => id)).size, 1);
    assert.equal(await countMessages(swarm), 1);
  });

  test("a client_message_id identifies one message", async () => {
    const first = await stage.ask(ada, swarm, { clientMessageId: "m1" });
    assert.equal((await stage.ask(ada, swarm, { clientMessageId: "m1" })).run_id, first.run_id);
    const other = stage.ask(ada, swarm, { clientMessageId: "m1", message: "something else" });
    assert.equal(await codeOf(other), "VALIDATION_ERROR");
    assert.equal(await countMessages(swarm), 1);
  });
});
