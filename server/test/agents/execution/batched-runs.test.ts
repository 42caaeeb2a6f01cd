import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { EVENT_TYPES } from "@swarmbase/sdk";
import type pg from "pg";
import {
  type Admission,
  admitRuns,
  type AdmissionAnswer,
  preflightSwarms,
} from "../../../src/agents/admission/sql/admit-runs.ts";
import { advanceRuns, type RunAdvance } from "../../../src/agents/writer/sql/advance-runs.ts";
import { callTo, endOf, endSteps, NODE, type TurnCall } from "../support/run-calls.ts";
import { calls, type NewSwarm, openRunStage, type RunStage, says } from "../support/run-stage.ts";

let stage: RunStage;
let pool: pg.Pool;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
  // One connection is enough: these are functions of the database.
  pool = stage.sql as unknown as pg.Pool;
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});

const newSwarms = async (count: number): Promise<NewSwarm[]> => {
  const swarms: NewSwarm[] = [];
  while (swarms.length < count) swarms.push(await stage.newSwarm({ agents: ["Ann"] }));
  return swarms;
};

async function begin(swarm: NewSwarm, more: Partial<TurnCall> = {}): Promise<TurnCall> {
  const call = callTo(swarm, more);
  const [admitted] = await admitRuns(pool, [call], NODE);
  assert.ok(admitted && "run_id" in admitted && admitted.started?.opened);
  return call;
}

const outcomeOf = (answer: AdmissionAnswer<Admission> | null | undefined): unknown => {
  if (answer === null || answer === undefined) return "held";
  if ("rejection" in answer) return answer.rejection.code;
  if ("replayed_run_id" in answer) return "replayed";
  return answer.started === null ? "queued" : answer.started.opened === undefined ? "started" : "begun";
};

/** All stored rows of a swarm's only run, with names in place of ids and times. */
async function readSwarm({ swarmId, ownerId, agentIds }: NewSwarm): Promise<unknown> {
  const [run] = await stage.rows<{ id: string }>("select id from public.runs where swarm_id = $1", [swarmId]);
  const stored = await stage.rows(
    `select to_jsonb(r) as run, to_jsonb(l) as lease,
       (select jsonb_agg(to_jsonb(t)) from public.run_turns t where t.run_id = r.id) as turns,
       (select jsonb_agg(x.config) from private.turn_snapshots x join public.run_turns t on t.id = x.turn_id and t.run_id = r.id) as configs,
       (select jsonb_agg(to_jsonb(m) order by m.seq) from public.messages m where m.swarm_id = r.swarm_id) as messages,
       (select jsonb_agg(to_jsonb(e) order by e.seq) from public.run_events e where e.run_id = r.id) as events,
       (select jsonb_agg(to_jsonb(u)) from public.usage_records u where u.run_id = r.id) as usage,
       (select jsonb_agg(to_jsonb(e) - 'seq' - 'id' order by e.seq) from private.events e where e.audience @> array[$2::uuid]) as emitted,
       (select a.status from public.agents a where a.id = $3) as status, private.render_run(r.id) as body
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

async function newWatchedSwarm(): Promise<NewSwarm> {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  await stage.rows("delete from private.events");
  await stage.rows(
    "insert into public.webhooks (user_id, name, url, events) values ($1, 'all', 'https://example.test/', $2)",
    [swarm.ownerId, EVENT_TYPES],
  );
  return swarm;
}

describe("a run in a batch", () => {
  test("produces the same rows, events and answers as a run whose steps are written one by one", async () => {
    const single = await newWatchedSwarm();
    const call = callTo(single);
    const [admitted] = await admitRuns(pool, [{ ...call, first_turn: null }], NODE);
    assert.ok(
      admitted && "run_id" in admitted && admitted.started?.fence === 1 && admitted.started.opened === undefined,
    );
    const { steps, events, hold } = endOf(call);
    const write = async (some: Partial<RunAdvance>) => {
      const [advanced] = await advanceRuns(pool, [{ hold, steps: [], events: [], isRepeated: false, ...some }]);
      assert.ok(advanced && !advanced.isLost);
      return advanced;
    };
    const { speaker_ids: _, ...turn } = call.first_turn;
    const started = await write({ steps: [{ op: "start_turn", ...turn, position: 0, after_seq: 0, seq: 3 }] });
    await write({ events });
    const [finishTurn, finishRun] = steps;
    assert.ok(finishTurn && finishRun);
    const turned = await write({ steps: [finishTurn] });
    const ended = await write({ steps: [finishRun] });
    const expected = await readSwarm(single);
    assert.deepEqual(
      (expected as { emitted: { type: string }[] }[])[0]?.emitted.map(({ type }) => type),
      [
        "message.created",
        "agent.status_changed",
        "agent.status_changed",
        "message.created",
        "agent.status_changed",
        "run.updated",
        "swarm.completed",
      ],
    );

    const watched = await newWatchedSwarm();
    const others = await newSwarms(2);
    const batch = [watched, ...others].map((swarm) => callTo(swarm));
    const [begun, ...more] = await admitRuns(pool, batch, NODE);
    assert.ok(begun && "run_id" in begun && begun.started?.opened);
    assert.deepEqual(more.map(outcomeOf), ["begun", "begun"]);
    const [done] = await advanceRuns(
      pool,
      batch.map((one) => endOf(one)),
    );
    assert.deepEqual(await readSwarm(watched), expected);
    const types = (some: readonly { type: string }[] | undefined) => some?.map(({ type }) => type);
    assert.deepEqual(types(begun.events), [
      ...(types(admitted.events) ?? []),
      ...(types(started.results[0]?.events) ?? []),
    ]);
    assert.deepEqual(types(done?.results[0]?.events), types(turned.results[0]?.events));
    const bodyKeys = (some: typeof done) => Object.keys(some?.results.at(-1)?.events[0]?.data ?? {});
    assert.deepEqual(bodyKeys(done), bodyKeys(ended));
    assert.equal(bodyKeys(done)[0], "run_id");
    assert.deepEqual(
      Object.keys(begun.started.opened.agent).sort(),
      Object.keys(started.results[0]?.agent ?? {}).sort(),
    );
    assert.deepEqual(Object.keys(begun.started.context ?? {}), Object.keys(admitted.started.context ?? {}));
    assert.equal(begun.started.context?.last_seq, 4);
    assert.equal(begun.started.opened.messages.length, 1);
    assert.equal(started.results[0]?.messages?.length, 1);
  });

  test("has its own messages, body and successor", async () => {
    const swarms = await newSwarms(3);
    const batch = swarms.map((swarm, index) => callTo(swarm, { message: `question ${index}` }));
    const admitted = await admitRuns(pool, batch, NODE);
    assert.deepEqual(
      admitted.map((one) => one && "run_id" in one && one.started?.opened?.messages.map(({ content }) => content)),
      [["question 0"], ["question 1"], ["question 2"]],
    );
    const [, waits] = swarms;
    assert.ok(waits);
    await stage.ask(waits, "and then?");
    const ended = await advanceRuns(
      pool,
      batch.map((call, index) => endOf(call, `answer ${index}`)),
    );
    const results = ended.map((one) => one?.results[1]);
    assert.deepEqual(
      results.map((one) => one?.hasNext),
      [false, true, false],
    );
    for (const [index, result] of results.entries()) {
      const body = result?.events[0]?.data as {
        message: { content: string };
        responses: { message: { content: string } }[];
      };
      assert.deepEqual(
        [body.message.content, body.responses[0]?.message.content],
        [`question ${index}`, `answer ${index}`],
      );
    }
  });

  test("can be at another step than the others: failed, cancelled, with a tool or with a budget", async () => {
    const swarms = await newSwarms(4);
    const [working, plain, failed, cancelled] = await Promise.all(swarms.map((swarm) => begin(swarm)));
    assert.ok(plain && failed && cancelled && working);
    const change = (call: TurnCall, turn: object, run: object): RunAdvance => {
      const [finishTurn, finishRun] = endSteps(call, 6);
      const steps = [
        { ...finishTurn, ...turn },
        { ...finishRun, ...run },
      ] as RunAdvance["steps"];
      return { ...endOf(call), steps, events: [] };
    };
    const error = { code: "PROVIDER_ERROR", message: "no", retryable: true, provider_status: 500 };
    const tool = {
      op: "start_tool",
      id: randomUUID(),
      turn_id: working.first_turn.turn_id,
      agent_id: working.first_turn.agent_id,
      tool_id: randomUUID(),
      tool_name: "look_up",
      tool_call_id: "c",
      input: {},
      approver: null,
      acts_for_starter: false,
      seq: 5,
    } as const;
    const advanced = await advanceRuns(pool, [
      { ...endOf(working), steps: [tool], events: [] },
      endOf(plain),
      change(
        failed,
        { status: "failed", content: "", error, usage: null },
        { status: "failed", stop_reason: "provider_error" },
      ),
      change(
        cancelled,
        { status: "cancelled", content: "half", metadata: { partial: true }, finish_reason: "cancelled" },
        { status: "cancelled", stop_reason: "cancelled" },
      ),
    ]);
    assert.deepEqual(
      advanced.map((one) => one?.results.flatMap(({ events }) => events.map(({ type }) => type))),
      [
        ["tool.started"],
        ["agent.status_changed", "message.created", "turn.completed", "agent.status_changed", "run.completed"],
        ["turn.completed", "agent.error", "agent.status_changed", "run.failed"],
        ["message.created", "turn.completed", "agent.status_changed", "run.cancelled"],
      ],
    );
    assert.deepEqual(
      advanced.map((one) => one?.results.at(-1)?.events.at(-1)?.data["run_id"]),
      [working, plain, failed, cancelled].map(({ run_id: id }) => id),
    );
    const statuses = await Promise.all(swarms.map(({ agentIds }) => stage.statusOf(agentIds[0] ?? "")));
    assert.deepEqual(statuses, ["thinking", "idle", "error", "idle"]);
    assert.deepEqual(
      (await stage.texts(cancelled.run_id)).map(({ content, metadata }) => [content, metadata]),
      [["half", { partial: true }]],
    );
  });
});

describe("a batch of calls", () => {
  test("gets the same preflight answers as single calls, with a reason for each rejection", async () => {
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
    const asks = [
      callTo(many),
      callTo(one),
      callTo(many, { user_id: member }),
      callTo(many, { user_id: randomUUID(), is_service: true }),
      callTo(many, { user_id: member, is_service: true }),
      callTo(many, { user_id: viewer }),
      callTo(one, { user_id: member }),
      callTo(empty),
      callTo(paused),
      callTo({ ...one, swarmId: randomUUID() }),
      callTo(one, { agent_ids: many.agentIds }),
    ];
    const together = await preflightSwarms(pool, asks);
    const alone = await Promise.all(asks.map(async (call) => (await preflightSwarms(pool, [call]))[0]));
    assert.deepEqual(together, alone);
    assert.deepEqual(
      together.map((answer) =>
        "rejection" in answer ? answer.rejection.code : "agents" in answer && answer.is_manager,
      ),
      [
        true,
        true,
        false,
        "VALIDATION_ERROR",
        true,
        "FORBIDDEN",
        "FORBIDDEN",
        "NO_AGENTS",
        "SWARM_NOT_ACTIVE",
        "SWARM_NOT_FOUND",
        "VALIDATION_ERROR",
      ],
    );
  });

  test("is admitted with budgets, moderation, keys and tools, with a reason for each rejection", async () => {
    const withSettings = (settings: object) => stage.newSwarm({ agents: ["Ann"], settings });
    const rich = await withSettings({ budget: { max_tokens_per_day: 1_000 } });
    const spent = await withSettings({ budget: { max_tokens_per_day: 0 } });
    const moderation = { enabled: true, action: "block", blocklist: ["rude"] };
    const [polite, rude] = [await withSettings({ moderation }), await withSettings({ moderation })];
    const [keyed, tooled, busy, full, taken, changed] = await newSwarms(6);
    assert.ok(keyed && tooled && busy && full && taken && changed);
    await stage.newTool(tooled.agentIds[0] ?? "", "look_up");
    await begin(busy);
    await begin(full);
    for (let waiting = 0; waiting < NODE.queueLimit; waiting += 1) await stage.ask(full);
    const key = { idempotency_key: `user:${randomUUID()}` };
    await begin(taken, key);
    const answers = await admitRuns(
      pool,
      [
        callTo(rich),
        callTo(spent),
        callTo(polite),
        callTo(rude, { message: "how rude" }),
        callTo(keyed, { idempotency_key: `user:${randomUUID()}` }),
        callTo(tooled),
        callTo(busy),
        callTo(full),
        callTo(taken, key),
        callTo(changed, { first_turn: { ...callTo(changed).first_turn, speaker_ids: [randomUUID()] } }),
        callTo(await stage.newSwarm({ agents: ["Ann"] }), { has_place: false }),
      ],
      NODE,
    );
    assert.deepEqual(answers.map(outcomeOf), [
      "begun",
      "BUDGET_EXCEEDED",
      "begun",
      "CONTENT_BLOCKED",
      "begun",
      "begun",
      "queued",
      "SWARM_BUSY",
      "replayed",
      "started",
      "queued",
    ]);
    const [first, , , , , withTool] = answers;
    assert.ok(first && "run_id" in first && first.started?.context?.has_budget === true);
    assert.ok(withTool && "run_id" in withTool);
    assert.deepEqual(
      withTool.started?.opened?.agent.tools.map(({ name }) => name),
      ["look_up"],
    );
    for (const { swarmId } of [spent, rude])
      assert.deepEqual(await stage.rows("select 1 from public.messages where swarm_id = $1", [swarmId]), []);
  });

  test("interrupts live runs, each of its own swarm", async () => {
    const swarms = await newSwarms(2);
    const live = [];
    for (const swarm of swarms) live.push((await begin(swarm)).run_id);
    const answers = await admitRuns(
      pool,
      swarms.map((swarm) => callTo(swarm, { on_conflict: "interrupt" })),
      NODE,
    );
    assert.deepEqual(
      answers.map(
        (answer) => answer && "run_id" in answer && [answer.started?.fence ?? null, answer.interrupted_run_id],
      ),
      live.map((id) => [null, id]),
    );
    const reasons = await stage.rows<{ cancel_reason: string }>(
      "select cancel_reason from private.run_leases where run_id = any ($1)",
      [live],
    );
    assert.deepEqual(
      reasons.map(({ cancel_reason: reason }) => reason),
      ["interrupted", "interrupted"],
    );
  });
});

test("a lost run writes nothing, for any other content of the batch", async () => {
  const [one, other] = await newSwarms(2);
  assert.ok(one && other);
  const [lost, kept] = [await begin(one), await begin(other)];
  const end = endOf(lost);
  const answers = await advanceRuns(pool, [{ ...end, hold: { ...end.hold, fence: 2 } }, endOf(kept)]);
  assert.deepEqual(
    answers.map((answer) => answer?.isLost),
    [true, false],
  );
  assert.deepEqual(
    [(await stage.run(lost.run_id)).status, (await stage.run(kept.run_id)).status],
    ["running", "completed"],
  );
});

test("the usage of a run includes the selection of speakers", async () => {
  const node = stage.node({
    script: (call) => {
      if (!call.tools.some(({ name }) => name === "choose_next_speaker")) return says(call, call.agent.name);
      const isSaid = JSON.stringify(call.messages).includes('"content":"Ann"');
      const next = isSaid ? "done" : /"enum":\["([^"]*)"/.exec(JSON.stringify(call.tools))?.[1];
      return calls(call, { name: "choose_next_speaker", input: { next } });
    },
    price: 1,
  });
  const swarm = await stage.newSwarm({ agents: ["Ann", "Bob"], strategy: "selector" });
  const runId = await stage.ask(swarm);
  await node.take(runId);
  assert.equal((await stage.end(runId)).stop_reason, "all_replied");
  const [row] = await stage.rows<Record<string, { input_tokens: number; cost_usd: number }>>(
    `select private.render_run(id) -> 'usage' as body, usage, (select data -> 'usage' from public.run_events e
       where e.run_id = runs.id and e.type = 'run.completed') as event from public.runs where id = $1`,
    [runId],
  );
  // A selection, an answer and another selection, with ten input and five output tokens each.
  for (const usage of [row?.["body"], row?.["usage"], row?.["event"]])
    assert.deepEqual([usage?.input_tokens, usage?.cost_usd], [30, 0.045]);
});

test("a run reads no more rows when there are many other accounts, swarms and memberships", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  const countReads = async (): Promise<Map<string, number>> => {
    const tables = await stage.rows<{ name: string; reads: number }>(
      `select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as reads
       from pg_stat_xact_user_tables`,
    );
    return new Map(tables.map(({ name, reads }) => [name, reads]));
  };
  const readRows = async (): Promise<(readonly [string, number])[]> => {
    await stage.rows("begin");
    try {
      const earlier = await countReads();
      await preflightSwarms(pool, [callTo(swarm)]);
      await advanceRuns(pool, [endOf(await begin(swarm))]);
      return [...(await countReads())].map(([name, count]) => [name, count - (earlier.get(name) ?? 0)] as const);
    } finally {
      await stage.rows("rollback");
    }
  };
  // The first call plans the statements while the tables are nearly empty.
  await readRows();
  const before = new Map(await readRows());
  await stage.rows(
    `insert into auth.users (id, email) select gen_random_uuid(), 'other-' || n || '@example.test'
     from generate_series(1, 200) n`,
  );
  await stage.rows(
    `insert into public.swarms (owner_id, name) select u.id, 'Other' from auth.users u
     where u.id = $1 or u.email like 'other-%' union all select $1, 'Mine' from generate_series(1, 100)`,
    [swarm.ownerId],
  );
  await stage.rows(
    `insert into public.swarm_agents (swarm_id, agent_id)
     select s.id, $2 from public.swarms s where s.owner_id = $1 and s.id <> $3`,
    [swarm.ownerId, swarm.agentIds[0], swarm.swarmId],
  );
  await stage.rows(
    "insert into public.agents (user_id, name) select id, 'Other' from auth.users where email like 'other-%'",
  );
  // A scan of accounts, agents, memberships or swarms would read hundreds more.
  const isMore = ([name, count]: readonly [string, number]): boolean => count > (before.get(name) ?? 0) + 10;
  assert.deepEqual((await readRows()).filter(isMore), []);
});
