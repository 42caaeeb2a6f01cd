import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findEarlier } from "../src/eval-runs/baseline.ts";
import { evaluate } from "../src/eval-runs/evaluate.ts";
import type { EvalExpectation } from "../src/evals.ts";

const PORTS = {
  findAnswerFault: async (_: unknown, text: string) => (text.startsWith("{") ? null : "the answer is not JSON"),
  judge: async () => ({ passed: true, score: 0.5, reason: "fair" }),
};

async function check(expectation: EvalExpectation, text: string, more: { tools?: string[]; failure?: string } = {}) {
  const answer = { text, tools: more.tools ?? [], failure: more.failure ?? null };
  const { passed, reason } = await evaluate(expectation, answer, PORTS);
  return [passed, reason];
}

describe("evaluating an answer", () => {
  test("compares a whole answer apart from white space around it", async () => {
    const expectation = { kind: "exact", text: "Yes." } as const;
    assert.deepEqual(await check(expectation, " Yes.\n"), [true, "the answer is the text"]);
    assert.deepEqual(await check(expectation, "yes."), [false, 'the answer is not "Yes."']);
    assert.equal((await check({ ...expectation, ignore_case: true }, "yes."))[0], true);
  });

  test("names the first text that an answer does not contain", async () => {
    const expectation = { kind: "contains", texts: ["nine", "Five"] } as const;
    const texts = [...expectation.texts];
    assert.equal((await check({ ...expectation, texts }, "from nine to Five"))[0], true);
    const [passed, reason] = await check({ ...expectation, texts }, "from nine to five");
    assert.deepEqual([passed, reason], [false, 'the answer does not contain "Five"']);
    assert.equal((await check({ ...expectation, texts, ignore_case: true }, "NINE FIVE"))[0], true);
  });

  test("checks JSON by the schema, and asks the judge", async () => {
    const schema = { kind: "schema", schema: { type: "object" } } as const;
    assert.equal((await check(schema, "{}"))[0], true);
    assert.deepEqual(await check(schema, "no"), [false, "the answer is not JSON"]);
    assert.deepEqual(await check({ kind: "judge", criteria: "polite" }, "a"), [true, "fair"]);
  });

  test("finds a tool call also in a run that failed, and fails other cases of such a run with its error", async () => {
    const expectation = { kind: "tool_called", tool: "find_order" } as const;
    const failure = "PROVIDER_ERROR: down";
    assert.equal((await check(expectation, "", { tools: ["find_order"], failure }))[0], true);
    const [, reason] = await check(expectation, "", { tools: ["clock"], failure });
    assert.equal(reason, "the agent called clock, not find_order; PROVIDER_ERROR: down");
    assert.deepEqual(await check({ kind: "exact", text: "" }, "", { failure }), [false, failure]);
  });
});

describe("the baseline of a case", () => {
  const tested = { id: "1", name: "a", input: "hello", expectation: { kind: "exact", text: "a" } } as const;
  const result = { case_id: "1", input: "hello", expectation: { text: "a", kind: "exact" }, passed: true } as const;
  const baselineOf = (more: object) => ({ id: "b", agentVersion: 1, results: [{ ...result, ...more }] });

  test("is the result of the same case with the same input and expectation", () => {
    assert.equal(findEarlier(baselineOf({}), tested), true);
    assert.equal(findEarlier(baselineOf({ passed: false }), tested), false);
    for (const change of [{ case_id: null }, { input: "hi" }, { expectation: { kind: "exact", text: "b" } }])
      assert.equal(findEarlier(baselineOf(change), tested), null, JSON.stringify(change));
    assert.equal(findEarlier(null, tested), null);
  });
});
