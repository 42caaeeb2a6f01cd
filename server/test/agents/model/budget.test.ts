import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { admitRuns } from "../../../src/agents/admission/sql/admit-runs.ts";
import { advanceRuns } from "../../../src/agents/writer/sql/advance-runs.ts";
import { type BudgetCall, reserveBudget } from "../../../src/agents/run/sql/reserve-budget.ts";
import type { UsageRow } from "../../../src/agents/writer/steps.ts";
import { calls, lastRole, type NewSwarm, openRunStage, type RunStage, says } from "../support/run-stage.ts";
import { callTo, NODE } from "../support/run-calls.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

interface StartedSwarm extends NewSwarm {
  readonly runId: string;
}

interface Bounds {
  readonly swarm?: Readonly<Record<string, number>>;
  readonly day?: { readonly tokens?: number; readonly costUsd?: number };
  /** By the operator of the service. */
  readonly imposed?: { readonly tokens?: number; readonly costUsd?: number; readonly runs?: number };
  readonly ownerId?: string;
}

/** A swarm with a running run. */
async function start({ swarm: budget, day, imposed, ownerId }: Bounds): Promise<StartedSwarm> {
  const settings = budget === undefined ? {} : { budget };
  const swarm = await stage.newSwarm({ agents: ["Ada"], settings, ...(ownerId !== undefined && { ownerId }) });
  await stage.rows(
    "update public.user_settings set daily_token_budget = $2, daily_cost_budget_usd = $3 where user_id = $1 and $4",
    [swarm.ownerId, day?.tokens ?? null, day?.costUsd ?? null, day !== undefined],
  );
  await stage.rows(
    `update public.user_settings set imposed_daily_token_budget = $2, imposed_daily_cost_budget_usd = $3,
       imposed_daily_runs = $4 where user_id = $1 and $5`,
    [swarm.ownerId, imposed?.tokens ?? null, imposed?.costUsd ?? null, imposed?.runs ?? null, imposed !== undefined],
  );
  const runId = await stage.ask(swarm);
  await stage.rows("select private.start_run($1, 'node', 60000)", [runId]);
  return { ...swarm, runId };
}

function callOf({ runId, ownerId }: StartedSwarm, more: Partial<BudgetCall> = {}): BudgetCall {
  return {
    id: randomUUID(),
    run_id: runId,
    fence: 1,
    turn_id: null,
    grant_id: null,
    payer_id: ownerId,
    framework: "provider_a",
    model: "m",
    input_tokens: 50,
    max_output_tokens: 50,
    least_output_tokens: 50,
    input_cost_usd: null,
    output_cost_usd: null,
    ...more,
  };
}

/** The output limit of the call, or why it is rejected. */
async function reserve(swarm: StartedSwarm, more: Partial<BudgetCall> = {}): Promise<number | string> {
  const { outcome, max_output_tokens: most } = await reserveBudget(stage.pool, callOf(swarm, more));
  return outcome === "granted" ? most : outcome;
}

const usageOf = (inputTokens: number, outputTokens: number, costUsd: number | null = null): UsageRow => ({
  input_tokens: inputTokens,
  cached_input_tokens: 0,
  output_tokens: outputTokens,
  reasoning_tokens: 0,
  cost_usd: costUsd,
  estimated: false,
});

function settle({ runId, swarmId }: StartedSwarm, ids: readonly string[], usage: UsageRow | null): Promise<unknown> {
  return advanceRuns(stage.pool, [
    {
      hold: { runId, swarmId, fence: 1 },
      steps: [{ op: "settle_reservations", ids, usage, seq: 0 }],
      events: [],
      isRepeated: false,
    },
  ]);
}

async function spend(swarm: NewSwarm, tokens: number, costUsd = 0): Promise<void> {
  await stage.rows(
    `insert into public.usage_records (payer_id, swarm_id, framework, model, input_tokens, cost_usd)
     values ($1, $2, 'provider_a', 'm', $3, $4)`,
    [swarm.ownerId, swarm.swarmId, tokens, costUsd],
  );
}

const PRICED = { input_cost_usd: 0.05, output_cost_usd: 0.05 } as const;

describe("a call is rejected when it exceeds", () => {
  const cases: readonly (readonly [name: string, bounds: Bounds, spent: readonly [tokens: number, costUsd: number]])[] =
    [
      ["the run's tokens", { swarm: { max_tokens: 99 } }, [0, 0]],
      ["the run's money", { swarm: { max_cost_usd: 0.09 } }, [0, 0]],
      ["the swarm's tokens of the day", { swarm: { max_tokens_per_day: 1_000 } }, [950, 0]],
      ["the swarm's money of the day", { swarm: { max_cost_usd_per_day: 1 } }, [0, 0.95]],
      ["the payer's tokens of the day", { day: { tokens: 1_000 } }, [950, 0]],
      ["the payer's money of the day", { day: { costUsd: 1 } }, [0, 0.95]],
      ["imposed tokens of the day", { imposed: { tokens: 1_000 } }, [950, 0]],
      [
        "imposed tokens that are less than the payer's own",
        { day: { tokens: 5_000 }, imposed: { tokens: 1_000 } },
        [950, 0],
      ],
      [
        "the payer's tokens that are less than imposed ones",
        { day: { tokens: 1_000 }, imposed: { tokens: 5_000 } },
        [950, 0],
      ],
      ["imposed money of the day", { day: { costUsd: 5 }, imposed: { costUsd: 1 } }, [0, 0.95]],
      ["an imposed number of no runs", { imposed: { runs: 0 } }, [0, 0]],
    ];
  for (const [name, bounds, spent] of cases)
    test(name, async () => {
      const swarm = await start(bounds);
      await spend(swarm, ...spent);
      assert.equal(await reserve(swarm, PRICED), "refused");
      const held = await stage.rows("select 1 from private.budget_reservations where run_id = $1", [swarm.runId]);
      assert.deepEqual(held, []);
    });
});

describe("a reservation", () => {
  test("is not made when no budget applies", async () => {
    const swarm = await start({});
    assert.deepEqual(await reserveBudget(stage.pool, callOf(swarm)), {
      outcome: "granted",
      is_reserved: false,
      max_output_tokens: 50,
    });
  });

  test("costs a run without a budget no statement", async (t) => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const query = t.mock.method(stage.pool, "query");
    const node = stage.node({ script: (call) => says(call, "hi") });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    const sent = query.mock.calls.map(
      ({ arguments: args }) => args[0] as unknown as { readonly name?: string } | string,
    );
    const names = sent.flatMap((statement) => (typeof statement === "string" ? [] : [statement.name]));
    assert.ok(names.includes("agents-load-run") && !names.includes("agents-reserve-budget"), names.join(" "));
  });

  test("reduces what other calls may use until it is settled", async () => {
    const swarm = await start({ day: { tokens: 150 } });
    const other = await start({ ownerId: swarm.ownerId });
    const first = callOf(swarm);
    assert.equal((await reserveBudget(stage.pool, first)).outcome, "granted");
    assert.equal(await reserve(other), "refused");
    await settle(swarm, [first.id], usageOf(20, 30));
    assert.equal(await reserve(other), 50);
    assert.equal(await reserve(other, { input_tokens: 1, max_output_tokens: 0 }), "refused");
  });

  test("is released when the call reached no provider", async () => {
    const swarm = await start({ day: { tokens: 100 } });
    const call = callOf(swarm);
    await reserveBudget(stage.pool, call);
    await settle(swarm, [call.id], null);
    assert.equal(await reserve(swarm), 50);
  });

  test("is idempotent", async () => {
    const swarm = await start({ day: { tokens: 150 } });
    const call = callOf(swarm);
    const [once, again] = [await reserveBudget(stage.pool, call), await reserveBudget(stage.pool, call)];
    assert.deepEqual(again, once);
    assert.equal(await reserve(swarm, { input_tokens: 25, max_output_tokens: 25 }), 25);
  });

  test("is rejected for a node that does not hold the lease", async () => {
    const swarm = await start({ day: { tokens: 1_000 } });
    assert.equal(await reserve(swarm, { fence: 0 }), "lost");
    await stage.rows("select private.request_cancel($1, 'cancelled')", [swarm.runId]);
    assert.equal(await reserve(swarm), 50, "a cancelled run still holds its lease");
    await stage.rows("update private.run_leases set expires_at = now() - interval '1 second' where run_id = $1", [
      swarm.runId,
    ]);
    await stage.rows("select private.sweep_runs(100)");
    assert.equal(await reserve(swarm), "lost");
  });

  test("reduces the output limit to what is left, down to a minimum", async () => {
    const swarm = await start({ day: { tokens: 150 } });
    const limits = { max_output_tokens: 500, least_output_tokens: 60 };
    assert.equal(await reserve(swarm, limits), 100);
    assert.equal(await reserve(await start({ day: { tokens: 109 } }), limits), "refused");
    // 0.4 cents are left for output, at 0.1 cents for ten tokens.
    const money = await start({ day: { costUsd: 0.005 } });
    const priced = { ...limits, least_output_tokens: 30, input_cost_usd: 0.001, output_cost_usd: 0.05 };
    assert.equal(await reserve(money, priced), 40);
    assert.equal(await reserve(money, { ...priced, input_cost_usd: 0, output_cost_usd: 0 }), "refused");
  });

  test("without a known price is bounded by tokens only, until the money budget is spent", async () => {
    const swarm = await start({ swarm: { max_cost_usd_per_day: 1 } });
    assert.equal(await reserve(swarm, { input_tokens: 1_000_000 }), 50);
    await spend(swarm, 0, 1);
    assert.equal(await reserve(swarm), "refused");
  });

  test("is granted to as many concurrent calls as fit", async () => {
    const swarm = await start({ day: { tokens: 550 } });
    const swarms = [swarm];
    while (swarms.length < 4) swarms.push(await start({ ownerId: swarm.ownerId }));
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => reserve(swarms[at % 4] ?? swarm)));
    assert.equal(answers.filter((answer) => answer === 50).length, 5);
  });
});

describe("usage", () => {
  test("of a call counts before its turn is recorded, and once afterwards", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"], settings: { budget: { max_tokens_per_day: 100_000 } } });
    await stage.newTool(swarm.agentIds[0] ?? "", "look_up");
    const left: number[] = [];
    const look = async (): Promise<void> => {
      const [row] = await stage.rows<{ tokens: string }>(
        `select (private.compute_remaining_budget(s, s.owner_id, null, false)).tokens from public.swarms s where s.id = $1`,
        [swarm.swarmId],
      );
      left.push(Number(row?.tokens));
    };
    const node = stage.node({
      script: async function* (call) {
        if (lastRole(call) === "tool") await look();
        yield* lastRole(call) === "tool" ? says(call, "done") : calls(call, { name: "look_up" });
      },
    });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    await look();
    assert.deepEqual(left, [100_000 - 15, 100_000 - 30]);
    assert.deepEqual(await stage.rows("select 1 from private.budget_reservations where run_id = $1", [runId]), []);
  });

  test("of speaker selection counts", async () => {
    const swarm = await stage.newSwarm({
      agents: ["Ada", "Bo"],
      strategy: "selector",
      settings: { budget: { max_tokens: 100_000 } },
    });
    const node = stage.node({
      script: (call) => {
        if (call.tools.length === 0) return says(call, call.agent.name);
        const isSaid = JSON.stringify(call.messages).includes("[Bo]: Bo");
        const choices = /"enum":\["[^"]*","([^"]*)"/.exec(JSON.stringify(call.tools));
        return calls(call, { name: "choose_next_speaker", input: { next: isSaid ? "done" : choices?.[1] } });
      },
    });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    assert.equal((await stage.end(runId)).stop_reason, "all_replied");
    const [used] = await stage.rows<{ tokens: number }>(
      "select sum(input_tokens + output_tokens)::integer as tokens from public.usage_records where run_id = $1",
      [runId],
    );
    assert.equal(used?.tokens, 45);
    assert.deepEqual(await stage.rows("select 1 from private.budget_reservations where run_id = $1", [runId]), []);
  });

  test("of a call without a turn counts for its payer when the account of the owner is deleted", async () => {
    const swarm = await start({ swarm: { max_tokens: 1_000 } });
    const payerId = await stage.newUser();
    assert.equal(await reserve(swarm, { payer_id: payerId, ...PRICED }), 50);
    await stage.rows("delete from auth.users where id = $1", [swarm.ownerId]);
    const recorded = await stage.rows(
      `select user_id, swarm_id, framework, input_tokens::integer as input, output_tokens::integer as output,
         cost_usd::float8 as cost, estimated
       from public.usage_records where payer_id = $1`,
      [payerId],
    );
    const { swarmId } = swarm;
    assert.deepEqual(recorded, [
      { user_id: null, swarm_id: swarmId, framework: "provider_a", input: 50, output: 50, cost: 0.1, estimated: true },
    ]);
  });

  test("is priced by the fallback that answered", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"], settings: { budget: { max_cost_usd: 1_000 } } });
    const node = stage.node({
      price: { provider_a: 1, provider_b: 10 },
      script: async function* (call) {
        yield { type: "start", framework: "provider_b", model: "dear", attempt: 2 };
        yield { type: "text", delta: "hi" };
        const usage = { cachedInputTokens: 0, reasoningTokens: 0, isEstimated: false };
        yield { type: "finish", reason: "stop", usage: { inputTokens: 700, outputTokens: 300, ...usage } };
        assert.equal(call.framework, "provider_a");
      },
    });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    const recorded = await stage.rows(
      "select framework, model, cost_usd::float8 as cost from public.usage_records where run_id = $1",
      [runId],
    );
    assert.deepEqual(recorded, [{ framework: "provider_b", model: "dear", cost: 10 }]);
  });

  test("reduces the output limit of the next call with a warning, then ends the run", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo", "Cy"], settings: { budget: { max_tokens: 7_000 } } });
    const most: (number | undefined)[] = [];
    const node = stage.node({
      script: async function* (call) {
        most.push(call.maxOutputTokens);
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        yield { type: "text", delta: `from ${call.agent.name}` };
        const usage = { cachedInputTokens: 0, reasoningTokens: 0, isEstimated: false };
        yield { type: "finish", reason: "stop", usage: { inputTokens: 100, outputTokens: 3_400, ...usage } };
      },
    });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    const { status, stop_reason: reason } = await stage.end(runId);
    assert.deepEqual([status, reason, most[0]], ["partial", "budget_exceeded", 4_096]);
    assert.equal(most.length, 2);
    const [, second = 0] = most;
    assert.ok(second >= 1_024 && second < 3_500, `${second}`);
    const [turn] = await stage.rows<{ warnings: unknown }>(
      "select warnings from public.run_turns where run_id = $1 and agent_name = 'Bo'",
      [runId],
    );
    assert.deepEqual(turn?.warnings, [
      { setting: "max_tokens", message: `lowered to ${second}: the budget does not allow more` },
    ]);
  });
});

test("a turn without any text under a reduced output limit ends the run with budget_exceeded", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"], settings: { budget: { max_tokens: 3_000 } } });
  const node = stage.node({
    script: async function* (call) {
      yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
      const usage = { cachedInputTokens: 0, reasoningTokens: 2_000, isEstimated: false };
      yield { type: "finish", reason: "length", usage: { inputTokens: 100, outputTokens: 2_000, ...usage } };
    },
  });
  const runId = await stage.ask(swarm);
  await node.take(runId);
  const { status, stop_reason: reason } = await stage.end(runId);
  assert.deepEqual([status, reason], ["failed", "budget_exceeded"]);
});

test("the stream of a run with a budget has its last event as soon as the run has ended", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"], settings: { budget: { max_tokens: 100_000 } } });
  const node = stage.node({ script: (call) => says(call, "hi") });
  const runId = await stage.ask(swarm);
  const types: string[] = [];
  node.streamHub.subscribe(runId, ({ type }) => void types.push(type));
  await node.take(runId);
  assert.equal((await stage.end(runId)).status, "completed");
  await until(
    () => types.includes("run.completed"),
    "the end is published",
    () => types.join(" "),
  );
});

test("admission ignores calls in progress and rejects runs when the budget is spent", async () => {
  const swarm = await start({ day: { tokens: 100 } });
  const other = await stage.newSwarm({ agents: ["Ada"], ownerId: swarm.ownerId });
  const call = callOf(swarm);
  assert.equal((await reserveBudget(stage.pool, call)).outcome, "granted");
  const admit = async (): Promise<unknown> => {
    const [answer] = await admitRuns(stage.pool, [callTo(other, { has_place: false })], NODE);
    assert.ok(answer);
    return "rejection" in answer ? answer.rejection.code : "run_id" in answer && answer.started;
  };
  assert.equal(await admit(), null);
  await settle(swarm, [call.id], usageOf(50, 50));
  assert.equal(await admit(), "BUDGET_EXCEEDED");
});

test("an imposed number of runs admits as many, also when they begin at the same time, and lets those go on", async () => {
  const swarm = await start({ imposed: { runs: 2 } });
  const swarms = [swarm];
  while (swarms.length < 4) swarms.push(await start({ ownerId: swarm.ownerId }));
  const answers = await Promise.all(swarms.map((each) => reserve(each)));
  assert.equal(answers.filter((answer) => answer === 50).length, 2, answers.join(" "));
  const begun = swarms.filter((_, at) => answers[at] === 50);
  for (const each of begun) assert.equal(await reserve(each), 50);
  const other = await stage.newSwarm({ agents: ["Ada"], ownerId: swarm.ownerId });
  const admit = async (): Promise<unknown> => {
    const [answer] = await admitRuns(stage.pool, [callTo(other, { has_place: false })], NODE);
    assert.ok(answer);
    return "rejection" in answer ? answer.rejection.code : "admitted";
  };
  assert.equal(await admit(), "BUDGET_EXCEEDED");

  // What counts remains when the runs are gone, and ends with the day.
  await stage.rows(
    `insert into public.usage_records (payer_id, run_id, framework, model)
     select $1, unnest($2::uuid[]), 'provider_a', 'm'`,
    [swarm.ownerId, begun.map(({ runId }) => runId)],
  );
  await stage.rows("delete from public.runs where id = any ($1)", [begun.map(({ runId }) => runId)]);
  assert.equal(await admit(), "BUDGET_EXCEEDED");
  await stage.rows("update public.usage_records set created_at = now() - interval '1 day' where payer_id = $1", [
    swarm.ownerId,
  ]);
  assert.equal(await admit(), "admitted");
});
