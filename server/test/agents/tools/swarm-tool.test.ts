import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonRecord } from "../../../src/json/index.ts";
import { assignedTool } from "../../support/assigned-tool.ts";
import { openToolsForTest } from "../../support/open-tools-for-test.ts";

const SWARM = "019a8000-0000-7000-8000-00000000000a";
const CONFIGS: readonly (readonly [config: JsonRecord, faults: readonly string[]])[] = [
  [{ swarm_id: SWARM }, []],
  [{ swarm_id: SWARM, budget: {} }, []],
  [{ swarm_id: SWARM, budget: { max_tokens: 0, max_cost_usd: 0.5 } }, []],
  [{}, ["swarm_id"]],
  [{ swarm_id: "team" }, ["swarm_id"]],
  [{ swarm_id: SWARM.toUpperCase() }, ["swarm_id"]],
  [{ swarm_id: [SWARM] }, ["swarm_id"]],
  [{ swarm_id: SWARM, budget: 5 }, ["budget"]],
  [{ swarm_id: SWARM, budget: { max_tokens: -1, max_cost_usd: -1 } }, ["budget.max_tokens", "budget.max_cost_usd"]],
  [{ swarm_id: SWARM, budget: { max_tokens: 1.5, max_cost_usd: "1" } }, ["budget.max_tokens", "budget.max_cost_usd"]],
  [{ swarm_id: SWARM, budget: { max_tokens_per_day: 1 }, agent_id: SWARM }, ["agent_id", "budget.max_tokens_per_day"]],
];

describe("a tool of the kind swarm", () => {
  test("is rejected with every fault of its configuration", (t) => {
    const { checks } = openToolsForTest(t);
    for (const [config, faults] of CONFIGS)
      assert.deepEqual(
        checks.findConfigFaults("swarm", config).map(({ path }) => path),
        faults,
        JSON.stringify(config),
      );
  });

  test("takes a message unless it has arguments of its own, which it passes on as JSON", async (t) => {
    const { runAsking, checks } = openToolsForTest(t);
    const { inputSchema } = checks.describe("swarm", { swarm_id: SWARM }) ?? {};
    assert.deepEqual([inputSchema?.["required"], inputSchema?.["additionalProperties"]], [["message"], false]);
    const tool = assignedTool({ kind: "swarm", config: { swarm_id: SWARM, budget: { max_tokens: 5 } } });
    const context = { swarmId: SWARM, signal: new AbortController().signal };
    const wait = { kind: "sub_task", swarm_id: SWARM, budget: { max_tokens: 5 } };
    for (const [input, message] of [
      [{ message: "Look" }, "Look"],
      [{ message: "Look", city: "Rome" }, '{"message":"Look","city":"Rome"}'],
      [{ city: "Rome" }, '{"city":"Rome"}'],
    ] as const)
      assert.deepEqual(await runAsking(tool, input, context), { status: "waiting", wait: { ...wait, message } });
  });

  test("is not called without words, with too many, outside of a swarm, or with a configuration that was not checked", async (t) => {
    const { run } = openToolsForTest(t);
    const signal = new AbortController().signal;
    const codeOf = async (input: JsonRecord, swarmId: string | null, config: JsonRecord): Promise<string> => {
      const outcome = await run(assignedTool({ kind: "swarm", config }), input, { swarmId, signal });
      return outcome.status === "succeeded" ? "succeeded" : outcome.error.code;
    };
    const config = { swarm_id: SWARM };
    assert.equal(await codeOf({ message: "  " }, SWARM, config), "INVALID_TOOL_INPUT");
    assert.equal(await codeOf({ message: "x".repeat(100_001) }, SWARM, config), "INVALID_TOOL_INPUT");
    assert.equal(await codeOf({ message: "Look" }, null, config), "TOOL_UNUSABLE");
    assert.equal(await codeOf({ message: "Look" }, SWARM, { url: "https://example.com" }), "TOOL_UNUSABLE");
  });
});
