import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { RUN_LIMIT_BOUNDS, type RunLimits, readRunLimits } from "../../../src/agents/strategies/run-limits.ts";

const DEFAULTS: RunLimits = {
  maxTurns: 10,
  maxRounds: 1,
  maxToolSteps: 8,
  maxToolCalls: 50,
  timeoutMs: 120_000,
  historyLimit: 50,
  onAgentError: "continue",
};

describe("a run's limits", () => {
  for (const settings of [null, undefined, {}, [], "x", 7, { max_turns: "5", on_agent_error: 1, timeout_ms: null }])
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
      } satisfies RunLimits,
    ));

  test("are those that the operator permits", () => {
    const read = (settings: object, ...[maxToolSteps, maxToolCalls, timeoutMs]: readonly [number, number, number]) => {
      const limits = readRunLimits(settings, {}, { maxToolSteps, maxToolCalls, timeoutMs });
      return [limits.maxToolSteps, limits.maxToolCalls, limits.timeoutMs];
    };
    const asked = { max_tool_steps: 500, max_tool_calls: 5_000, timeout_ms: 500_000_000 };
    const permitted = [1_000, 10_000, 604_800_000] as const;
    assert.deepEqual(read(asked, ...permitted), [500, 5_000, 500_000_000]);
    assert.deepEqual(read({}, ...permitted), [8, 50, 120_000]);
    assert.deepEqual(read(asked, 3, 4, 5_000), [3, 4, 5_000]);
    assert.deepEqual(read({}, 3, 4, 5_000), [3, 4, 5_000]);
  });

  const turns: readonly (readonly [settings: unknown, request: unknown, maxTurns: number])[] = [
    [{}, { max_turns: 3 }, 3],
    [{}, { max_turns: 20 }, 20],
    [{}, { max_turns: 1e9 }, 50],
    [{ max_turns: 5 }, { max_turns: 3 }, 3],
    [{ max_turns: 5 }, { max_turns: 20 }, 5],
    [{ max_turns: 999 }, {}, 50],
    [{ max_turns: 0 }, {}, 1],
    [{ max_turns: "9" }, { max_turns: 12 }, 12],
  ];
  for (const [settings, request, maxTurns] of turns)
    test(`turns: ${JSON.stringify(settings)} requested ${JSON.stringify(request)}`, () =>
      assert.equal(readRunLimits(settings, request).maxTurns, maxTurns));

  test("stay in bounds for any stored settings", () => {
    const keys = [...Object.values(RUN_LIMIT_BOUNDS).map(({ key }) => key), "__proto__"];
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
      }),
      { numRuns: 500 },
    );
  });
});
