import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { EVENT_TYPES } from "@swarmbase/sdk";
import type pg from "pg";
import {
  admitRun,
  admitRuns,
  type CallFacts,
  type PlainCall,
  preflightSwarm,
  preflightSwarms,
} from "../../../src/agents/respond/sql/admission.ts";
import { advanceRun, type NumberedStep } from "../../../src/agents/runs/sql/advance-run.ts";
import { endRuns, type PlainEnd } from "../../../src/agents/runs/sql/end-runs.ts";
import { asPlainEnd } from "../../../src/agents/runs/plain-end.ts";
import { calls, type NewSwarm, openRunStage, type RunStage, says } from "./support/run-stage.ts";

let stage: RunStage;
let pool: pg.Pool;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
  // One connection does: what is tested are functions of the database.
  pool = stage.sql as unknown as pg.Pool;
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});

const OWNER = { owner: "node", leaseMs: 30_000 };

function callTo({ swarmId, ownerId, agentIds }: NewSwarm, more: Partial<PlainCall> = {}): PlainCall {
  return {
    run_id: randomUUID(),
    sent_id: randomUUID(),
    swarm_id: swarmId,
    user_id: ownerId,
    message: "hello",
    mentions: [],
    metadata: { a: 1 },
    request: { source: "agent_respond" },
    turn_id: randomUUID(),
    reply_id: randomUUID(),
    agent_id: agentIds[0] ?? "",
    speaker_ids: agentIds,
    default_models: { provider_a: "scripted" },
    history_limit: 51,
    ...more,
  };
}

/** The last steps of a run whose first turn began with it, as a worker would send them. */
function stepsOf(call: PlainCall, seq: number): NumberedStep[] {
  return [
    {
      op: "finish_turn",
      turn_id: call.turn_id,
      agent_id: call.agent_id,
      status: "completed",
      finish_reason: "stop",
      content: "hi there",
      metadata: {},
      error: null,
      warnings: [{ setting: "top_p", message: "not sent" }],
      attempts: 2,
      framework: "provider_a",
      model: "scripted",
      first_token_ms: 5,
      duration_ms: 9,
      usage: {
        input_tokens: 10,
        cached_input_tokens: 4,
        output_tokens: 3,
        reasoning_tokens: 1,
        cost_usd: 0.000012,
        estimated: false,
      },
      payer_id: call.user_id,
      seq,
    },
    { op: "finish_run", status: "completed", stop_reason: "all_replied", error: null, seq: seq + 5 },
  ];
}

const deltasOf = (call: PlainCall, seq: number) => [
  {
    seq,
    type: "message.delta",
    agent_id: call.agent_id,
    restricted: false,
    data: { run_id: call.run_id, swarm_id: call.swarm_id, turn_id: call.turn_id, first_seq: seq, deltas: ["hi there"] },
  },
];

const endOf = (call: PlainCall, more: Partial<PlainEnd> = {}): PlainEnd => {
  const hold = { runId: call.run_id, swarmId: call.swarm_id, fence: 1 };
  const end = asPlainEnd(hold, stepsOf(call, 6), deltasOf(call, 5));
  assert.ok(end !== null);
  return { ...end, ...more };
};

async function begin(swarm: NewSwarm, more: Partial<PlainCall> = {}): Promise<PlainCall> {
  const call = callTo(swarm, more);
  const [admitted] = await admitRuns(pool, [call], OWNER);
  assert.ok(admitted, "the call was left out");
  return call;
}

/** Everything that is stored of a swarm's only run, with names in the place of what is different each time. */
async function lookAt({ swarmId, ownerId, agentIds }: NewSwarm): Promise<unknown> {
  const [run] = await stage.rows<{ id: string }>("select id from public.runs where swarm_id = $1", [swarmId]);
  const stored = await stage.rows(
    `select to_jsonb(r) as run, to_jsonb(l) as lease,
       (select jsonb_agg(to_jsonb(t)) from public.run_turns t where t.run_id = r.id) as turns,
       (select jsonb_agg(x.config) from private.turn_snapshots x join public.run_turns t on t.id = x.turn_id and t.run_id = r.id) as configs,
       (select jsonb_agg(to_jsonb(m) order by m.seq) from public.messages m where m.swarm_id = r.swarm_id) as messages,
       (select jsonb_agg(to_jsonb(e) order by e.seq) from public.run_events e where e.run_id = r.id) as events,
       (select jsonb_agg(to_jsonb(u)) from public.usage_records u where u.run_id = r.id) as usage,
       (select jsonb_agg(to_jsonb(e) - 'seq' - 'id' order by e.seq) from private.events e where e.audience @> array[$2::uuid]) as told,
       (select a.status from public.agents a where a.id = $3) as status, private.run_body(r.id) as body
     from public.runs r join private.run_leases l on l.run_id = r.id where r.swarm_id = $1`,
    [swarmId, ownerId, agentIds[0]],
  );
  const names = new Map([
    [swarmId, "swarm"],
    [ownerId, "owner"],
    [agentIds[0] ?? "", "agent"],
    [run?.id ?? "", "run"],
  ]);
  const text = JSON.stringify(stored)
    .replace(/"duration_ms": ?\d+/g, '"duration_ms":0')
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:\+00:00|Z)/g, "then")
    .replace(/User [0-9a-f]{8}/g, "User")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (!names.has(id)) names.set(id, `id${names.size}`);
      return names.get(id) ?? id;
    });
  return JSON.parse(text);
}

async function newHeardSwarm(): Promise<NewSwarm> {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  await stage.rows("delete from private.events");
  await stage.rows(
    "insert into public.webhooks (user_id, name, url, events) values ($1, 'all', 'https://example.test/', $2)",
    [swarm.ownerId, EVENT_TYPES],
  );
  return swarm;
}

describe("the quick way of a run", () => {
  test("leaves the same rows, events and answer as the long one", async () => {
    const long = await newHeardSwarm();
    const call = callTo(long);
    const facts = {
      swarm_id: call.swarm_id,
      user_id: call.user_id,
      is_service: false,
      message: call.message,
      agent_ids: null,
      client_message_id: null,
      idempotency_key: null,
      request_hash: "00",
      reply_to_id: null,
      mentions: [],
      metadata: call.metadata,
      on_conflict: null,
      queue_limit: 3,
      request: call.request,
      owner: "node",
      lease_ms: 30_000,
      first_turn: null,
    };
    const admitted = await admitRun(pool, facts);
    assert.ok(!admitted.is_replay && admitted.fence === 1);
    const hold = { runId: admitted.run_id, swarmId: long.swarmId, fence: 1 };
    const runCall = { ...call, run_id: admitted.run_id };
    const started = await advanceRun(pool, hold, [
      {
        op: "start_turn",
        turn_id: call.turn_id,
        message_id: call.reply_id,
        agent_id: call.agent_id,
        position: 0,
        default_models: call.default_models,
        max_concurrent: 4,
        after_seq: 0,
        history_limit: 51,
        seq: 3,
      },
    ]);
    const deltas = { op: "events" as const, events: deltasOf(runCall, 5), seq: 0 };
    const ended = await advanceRun(pool, hold, [deltas, ...stepsOf(runCall, 6)]);
    const expected = await lookAt(long);
    assert.deepEqual(
      (expected as { told: { type: string }[] }[])[0]?.told.map(({ type }) => type),
      [
        "message.created",
        "agent.status_changed",
        "agent.status_changed",
        "message.created",
        "agent.status_changed",
        "swarm.completed",
      ],
    );

    const quick = await newHeardSwarm();
    const quickCall = callTo(quick);
    const [begun] = await admitRuns(pool, [quickCall], OWNER);
    assert.ok(begun);
    const [done] = await endRuns(pool, [endOf(quickCall)]);
    assert.deepEqual(await lookAt(quick), expected);
    assert.deepEqual(Object.keys(done?.body ?? {}), Object.keys(ended.body ?? {}));
    const types = (events: readonly { type: string }[] | undefined) => events?.map(({ type }) => type);
    assert.deepEqual(types(begun.events), [
      ...(types(admitted.events) ?? []),
      ...(types(started.results[0]?.events) ?? []),
    ]);
    assert.deepEqual(types(done?.events), types(ended.results[1]?.events));
    assert.deepEqual(
      Object.keys(begun.first_turn?.agent ?? {}).sort(),
      Object.keys(started.results[0]?.agent ?? {}).sort(),
    );
    assert.deepEqual(Object.keys(begun.scene ?? {}), Object.keys(admitted.scene ?? {}));
    assert.equal(begun.scene?.last_seq, 4);
    assert.equal(begun.first_turn?.messages.length, 1);

    const alone = await newHeardSwarm();
    const aloneCall = callTo(alone);
    const first = {
      turn_id: aloneCall.turn_id,
      message_id: aloneCall.reply_id,
      agent_id: aloneCall.agent_id,
      speaker_ids: aloneCall.speaker_ids,
      default_models: aloneCall.default_models,
      max_concurrent: 4,
      history_limit: 51,
    };
    const whole = await admitRun(pool, {
      ...facts,
      swarm_id: alone.swarmId,
      user_id: alone.ownerId,
      first_turn: first,
    });
    assert.ok(!whole.is_replay);
    assert.deepEqual(types(whole.events), types(begun.events));
    await endRuns(pool, [endOf({ ...aloneCall, run_id: whole.run_id })]);
    assert.deepEqual(await lookAt(alone), expected);
  });

  test("takes many at once, each with what is its own", async () => {
    const swarms: NewSwarm[] = [];
    while (swarms.length < 3) swarms.push(await stage.newSwarm({ agents: ["Ann"] }));
    const asked = swarms.map((swarm, at) => callTo(swarm, { message: `question ${at}` }));
    const admitted = await admitRuns(pool, asked, OWNER);
    assert.deepEqual(
      admitted.map((one) => one?.first_turn?.messages.map(({ content }) => content)),
      [["question 0"], ["question 1"], ["question 2"]],
    );
    const waits = swarms[1];
    assert.ok(waits);
    await stage.ask(waits, "and then?");
    const ended = await endRuns(
      pool,
      asked.map((call, at) => endOf(call, { content: `answer ${at}` })),
    );
    const hasNext = new Map(ended.map((one) => [one.run_id, one.has_next]));
    assert.deepEqual(
      asked.map(({ run_id: id }) => hasNext.get(id)),
      [false, true, false],
    );
    for (const [at, call] of asked.entries()) {
      const body = ended.find(({ run_id: id }) => id === call.run_id)?.body as {
        message: { content: string };
        responses: { message: { content: string } }[];
      };
      assert.deepEqual([body.message.content, body.responses[0]?.message.content], [`question ${at}`, `answer ${at}`]);
    }
  });
});

test("many are asked about as each would be alone, and those whom anything stands in the way of are left out", async () => {
  const many = await stage.newSwarm({ agents: ["Ann", "Bob"], settings: { max_turns: 3 } });
  const one = await stage.newSwarm({ agents: ["Cid"] });
  const empty = await stage.newSwarm({ agents: [] });
  const paused = await stage.newSwarm({ agents: ["Dan"] });
  await stage.rows("update public.swarms set status = 'paused' where id = $1", [paused.swarmId]);
  const [member, viewer] = [await stage.newUser(), await stage.newUser()];
  for (const [userId, role] of [
    [member, "member"],
    [viewer, "viewer"],
  ])
    await stage.rows(
      "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, $3, 'active')",
      [many.swarmId, userId, role],
    );
  const asks = (swarm: NewSwarm, userId = swarm.ownerId): CallFacts => ({
    swarm_id: swarm.swarmId,
    user_id: userId,
    is_service: false,
    message: "hello",
    agent_ids: null,
    client_message_id: null,
    idempotency_key: null,
    request_hash: "00",
  });
  const plain = [asks(many), asks(one), asks(many, member)];
  const inTheWay = [asks(many, viewer), asks(one, member), asks(empty), asks(paused)];
  const alone = await Promise.all(plain.map((facts) => preflightSwarm(pool, facts)));
  assert.deepEqual(await preflightSwarms(pool, [...inTheWay, ...plain]), [...inTheWay.map(() => null), ...alone]);
  assert.deepEqual(
    alone.map((survey) => survey.replayed_run_id === null && [survey.is_manager, survey.agents.length]),
    [
      [true, 2],
      [true, 1],
      [false, 2],
    ],
  );
});

describe("left to the long way, with nothing written", () => {
  const isLeftOut = async (call: PlainCall): Promise<void> => {
    assert.deepEqual(await admitRuns(pool, [call], OWNER), [null]);
    assert.deepEqual(await stage.rows("select 1 from public.messages where id = $1", [call.sent_id]), []);
  };
  const isNotEnded = async (call: PlainCall, more: Partial<PlainEnd> = {}): Promise<void> => {
    assert.deepEqual(await endRuns(pool, [endOf(call, more)]), []);
    assert.equal((await stage.run(call.run_id)).status, "running");
    assert.deepEqual(await stage.rows("select 1 from public.messages where id = $1", [call.reply_id]), []);
  };

  test("calls of strangers and viewers, to swarms that are busy, paused, moderated or on a budget", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ann"] });
    const stranger = await stage.newUser();
    await isLeftOut(callTo(swarm, { user_id: stranger }));
    await stage.rows(
      "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'viewer', 'active')",
      [swarm.swarmId, stranger],
    );
    await isLeftOut(callTo(swarm, { user_id: stranger }));
    await begin(swarm);
    await isLeftOut(callTo(swarm));
    for (const settings of [{ budget: { max_tokens_per_day: 1 } }, { moderation: { enabled: true } }])
      await isLeftOut(callTo(await stage.newSwarm({ agents: ["Ann"], settings })));
    const paused = await stage.newSwarm({ agents: ["Ann"] });
    await stage.rows("update public.swarms set status = 'paused' where id = $1", [paused.swarmId]);
    await isLeftOut(callTo(paused));
    const waiting = await stage.newSwarm({ agents: ["Ann"] });
    await stage.ask(waiting);
    await isLeftOut(callTo(waiting));
  });

  test("calls whose agents are no longer those that were asked about, or speak elsewhere", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ann", "Bob"] });
    const [ann = "", bob = ""] = swarm.agentIds;
    await isLeftOut(callTo(swarm, { speaker_ids: [ann] }));
    await isLeftOut(callTo(swarm, { speaker_ids: [bob, ann] }));
    await stage.rows("update public.swarm_agents set enabled = false where swarm_id = $1 and agent_id = $2", [
      swarm.swarmId,
      bob,
    ]);
    await isLeftOut(callTo(swarm));
    const other = await stage.newSwarm({ agents: [] });
    await stage.rows(
      `insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')`,
      [other.swarmId, swarm.ownerId],
    );
    await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [other.swarmId, ann]);
    await begin({ ...other, agentIds: [ann] });
    await isLeftOut(callTo(swarm, { speaker_ids: [ann] }));
  });

  test("runs that are lost, cancelled, held, have used a tool or had another turn", async () => {
    const lost = await begin(await stage.newSwarm({ agents: ["Ann"] }));
    await isNotEnded(lost, { fence: 2 });
    await stage.rows("update private.run_leases set cancel_requested_at = now() where run_id = $1", [lost.run_id]);
    await isNotEnded(lost);

    const held = await begin(await stage.newSwarm({ agents: ["Ann"] }));
    const other = await stage.connect();
    for (const row of [
      ["public.runs", held.run_id],
      ["public.agents", held.agent_id],
    ]) {
      await other.query("begin");
      await other.query(`select 1 from ${row[0]} where id = $1 for no key update`, [row[1]]);
      await isNotEnded(held);
      await other.query("rollback");
    }
    await stage.rows(
      `insert into public.tool_executions (run_id, turn_id, swarm_id, tool_name, tool_call_id, status)
       values ($1, $2, $3, 'look', 'c', 'succeeded')`,
      [held.run_id, held.turn_id, held.swarm_id],
    );
    await isNotEnded(held);

    const second = await begin(await stage.newSwarm({ agents: ["Ann"] }));
    await stage.rows(
      `insert into public.run_turns (run_id, swarm_id, agent_name, position, status, framework, model)
       values ($1, $2, 'Bob', 1, 'completed', 'provider_a', 'scripted')`,
      [second.run_id, second.swarm_id],
    );
    await isNotEnded(second);
  });

  test("ends that are not the ordinary one", () => {
    const call = { ...callTo({ swarmId: "s", ownerId: "o", agentIds: ["a"] }) };
    const [turn, run] = stepsOf(call, 6);
    assert.ok(turn?.op === "finish_turn" && run?.op === "finish_run");
    const hold = { runId: call.run_id, swarmId: call.swarm_id, fence: 1 };
    const steps: NumberedStep[][] = [
      [turn],
      [run],
      [run, turn],
      [turn, run, run],
      [{ ...turn, content: "" }, run],
      [{ ...turn, usage: null }, run],
      [{ ...turn, status: "cancelled" }, run],
      [{ ...turn, metadata: { partial: true } }, run],
      [turn, { ...run, status: "partial" }],
    ];
    for (const some of steps) assert.equal(asPlainEnd(hold, some, []), null);
  });
});

test("what the choice of speakers has used is in what the run has used", async () => {
  const node = stage.node({
    script: (call) => {
      if (!call.tools.some(({ name }) => name === "choose_next_speaker")) return says(call, call.agent.name);
      const isSaid = JSON.stringify(call.messages).includes("[Ann]: Ann");
      const next = isSaid ? "done" : /"enum":\["([^"]*)"/.exec(JSON.stringify(call.tools))?.[1];
      return calls(call, { name: "choose_next_speaker", input: { next } });
    },
    price: 1,
  });
  const swarm = await stage.newSwarm({ agents: ["Ann", "Bob"], strategy: "selector" });
  const runId = await stage.ask(swarm);
  await node.take(runId);
  assert.equal((await stage.end(runId)).stop_reason, "all_replied");
  const [told] = await stage.rows<Record<string, { input_tokens: number; cost_usd: number }>>(
    `select private.run_body(id) -> 'usage' as body, usage, (select data -> 'usage' from public.run_events e
       where e.run_id = runs.id and e.type = 'run.completed') as event from public.runs where id = $1`,
    [runId],
  );
  // A choice, an answer and another choice, of ten tokens in and five out each.
  for (const usage of [told?.["body"], told?.["usage"], told?.["event"]])
    assert.deepEqual([usage?.input_tokens, usage?.cost_usd], [30, 0.045]);
});
