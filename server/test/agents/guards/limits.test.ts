import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createRunBudget } from "../../../src/agents/guards/budget.ts";
import { RUN_LIMIT_BOUNDS, type RunLimits, readRunLimits } from "../../../src/agents/guards/run-limits.ts";

const DEFAULTS: RunLimits = {
  maxTurns: 10,
  maxRounds: 1,
  maxToolSteps: 8,
  maxToolCalls: 50,
  timeoutMs: 120_000,
  historyLimit: 50,
  onAgentError: "continue",
  onConflict: "enqueue",
  budget: { maxTokens: null, maxCostUsd: null, maxTokensPerDay: null, maxCostUsdPerDay: null },
};

describe("a run's limits", () => {
  for (const settings of [
    null,
    undefined,
    {},
    [],
    "x",
    7,
    { max_turns: "5", budget: [], on_agent_error: 1, timeout_ms: null },
  ])
    test(`${JSON.stringify(settings)} means the defaults`, () =>
      assert.deepEqual(readRunLimits(settings, {}), DEFAULTS));

  test("are read from the swarm", () =>
    assert.deepEqual(
      readRunLimits(
        {
          max_turns: 5,
          max_rounds: 3.9,
          max_tool_steps: 2,
          max_tool_calls: 9,
          timeout_ms: 5000,
          history_limit: 7,
          on_agent_error: "stop",
          on_conflict: "reject",
          budget: { max_tokens: 1000, max_cost_usd: 0.5, max_tokens_per_day: 9000, max_cost_usd_per_day: -1 },
        },
        null,
      ),
      {
        maxTurns: 5,
        maxRounds: 3,
        maxToolSteps: 2,
        maxToolCalls: 9,
        timeoutMs: 5000,
        historyLimit: 7,
        onAgentError: "stop",
        onConflict: "reject",
        budget: { maxTokens: 1000, maxCostUsd: 0.5, maxTokensPerDay: 9000, maxCostUsdPerDay: 0 },
      } satisfies RunLimits,
    ));

  const turns: readonly (readonly [settings: unknown, asked: unknown, maxTurns: number])[] = [
    [{}, { max_turns: 3 }, 3],
    [{}, { max_turns: 20 }, 20],
    [{}, { max_turns: 1e9 }, 50],
    [{ max_turns: 5 }, { max_turns: 3 }, 3],
    [{ max_turns: 5 }, { max_turns: 20 }, 5],
    [{ max_turns: 999 }, {}, 50],
    [{ max_turns: 0 }, {}, 1],
    [{ max_turns: "9" }, { max_turns: 12 }, 12],
  ];
  for (const [settings, asked, maxTurns] of turns)
    test(`turns: ${JSON.stringify(settings)} asked for ${JSON.stringify(asked)}`, () =>
      assert.equal(readRunLimits(settings, asked).maxTurns, maxTurns));

  test("a call decides about conflicts before the swarm does", () => {
    assert.equal(readRunLimits({ on_conflict: "reject" }, { on_conflict: "interrupt" }).onConflict, "interrupt");
    assert.equal(readRunLimits({ on_conflict: "reject" }, { on_conflict: "rollback" }).onConflict, "reject");
  });

  test("stay in bounds, whatever is stored", () => {
    const keys = [...Object.values(RUN_LIMIT_BOUNDS).map(({ key }) => key), "budget", "on_conflict", "__proto__"];
    const anything = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.double(), fc.anything())),
    );
    fc.assert(
      fc.property(anything, anything, (settings, request) => {
        const limits = readRunLimits(settings, request);
        for (const [name, { min, max }] of Object.entries(RUN_LIMIT_BOUNDS)) {
          const value = limits[name as keyof typeof RUN_LIMIT_BOUNDS];
          assert.ok(Number.isInteger(value) && value >= min && value <= max, `${name} ${value}`);
        }
        for (const amount of Object.values(limits.budget)) assert.ok(amount === null || amount >= 0);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a run's budget", () => {
  const NONE = { maxTokens: null, maxCostUsd: null, maxTokensPerDay: null, maxCostUsdPerDay: null };
  const NOTHING = { tokens: 0, costUsd: 0 };
  const call = (inputTokens: number, maxOutputTokens: number, costUsd: number | null = null) => ({
    inputTokens,
    maxOutputTokens,
    costUsd,
  });

  test("no bound, no refusal", () => assert.ok(createRunBudget(NONE, NOTHING).reserve(call(1e9, 1e9, 1e9))));

  test("calls side by side cannot spend the same tokens", () => {
    const budget = createRunBudget({ ...NONE, maxTokens: 100 }, NOTHING);
    const first = budget.reserve(call(20, 40));
    assert.ok(first);
    assert.equal(budget.reserve(call(20, 40)), null);
    budget.settle(first, { tokens: 30, costUsd: null });
    budget.settle(first, { tokens: 30, costUsd: null });
    assert.deepEqual(budget.spent(), { tokens: 30, costUsd: 0 });
    assert.ok(budget.reserve(call(30, 40)));
    assert.equal(budget.reserve(call(1, 0)), null);
  });

  const refused: readonly (readonly [name: string, ...Parameters<typeof createRunBudget>])[] = [
    ["the run's money", { ...NONE, maxCostUsd: 0.09 }, NOTHING],
    ["the swarm's tokens of the day", { ...NONE, maxTokensPerDay: 1000 }, { tokens: 950, costUsd: 0 }],
    ["the swarm's money of the day", { ...NONE, maxCostUsdPerDay: 1 }, { tokens: 0, costUsd: 0.95 }],
    ["the user's tokens of the day", NONE, NOTHING, { maxTokens: 90, maxCostUsd: null, spent: NOTHING }],
    [
      "the user's money of the day",
      NONE,
      NOTHING,
      { maxTokens: null, maxCostUsd: 1, spent: { tokens: 0, costUsd: 1.5 } },
    ],
  ];
  for (const [name, ...budget] of refused)
    test(`refused for ${name}`, () => assert.equal(createRunBudget(...budget).reserve(call(50, 50, 0.1)), null));

  test("an unknown price is bounded by tokens, until the money is gone", () => {
    const budget = createRunBudget({ ...NONE, maxCostUsd: 1 }, NOTHING);
    assert.ok(budget.reserve(call(1e6, 1e6)));
    const priced = budget.reserve(call(1, 1, 1));
    assert.ok(priced);
    budget.settle(priced, { tokens: 2, costUsd: 1 });
    assert.equal(budget.reserve(call(1, 1)), null);
  });

  test("what is settled never passes the bound while calls stay within what they reserved", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2000 }),
        fc.array(fc.tuple(fc.nat(300), fc.nat(300), fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()), {
          maxLength: 40,
        }),
        (maxTokens, calls) => {
          const budget = createRunBudget({ ...NONE, maxTokens }, NOTHING);
          const open: (() => void)[] = [];
          for (const [input, output, share, settlesNow] of calls) {
            const reservation = budget.reserve(call(input, output));
            if (reservation)
              open.push(() =>
                budget.settle(reservation, { tokens: Math.floor((input + output) * share), costUsd: null }),
              );
            if (settlesNow) open.shift()?.();
          }
          for (const settle of open) settle();
          assert.ok(budget.spent().tokens <= maxTokens);
        },
      ),
    );
  });
});
