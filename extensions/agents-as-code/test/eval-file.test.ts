import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseEvalFile } from "../src/evals/eval-file.ts";

describe("a file with cases", () => {
  test("has a name and cases, in YAML or JSON", () => {
    const expectation = { kind: "exact", text: "yes" };
    const value = { name: "support", cases: [{ name: "a", input: "hello", expectation }] };
    const yaml =
      "name: support\ncases:\n  - name: a\n    input: hello\n    expectation: { kind: exact, text: 'yes' }\n";
    for (const text of [yaml, JSON.stringify(value)]) {
      const { faultAt: _, ...parsed } = parseEvalFile("evals.yaml", text);
      assert.deepEqual(parsed, { ...value, description: null });
    }
  });

  test("reports every fault with its line", () => {
    const text =
      "nam: x\ncases:\n  - name: a\n    input: 1\n    expectation: yes\n  - name: a\n    input: b\n    expectation: {}\n";
    assert.throws(() => parseEvalFile("evals.yaml", text), {
      message: [
        "5 faults in the files:",
        "  evals.yaml:1 nam is unknown; known are name, description, cases",
        "  evals.yaml:1 name must be a text; put it in quotes if it looks like a number",
        "  evals.yaml:4 cases[0].input must be a text; put it in quotes if it looks like a number",
        "  evals.yaml:5 cases[0].expectation must be a mapping with a kind",
        "  evals.yaml:6 cases[1].name is the name of another case",
      ].join("\n"),
    });
    assert.throws(() => parseEvalFile("evals.yaml", "name: x\ncases: []\n"), /evals\.yaml:2 cases must be a list/);
    assert.throws(() => parseEvalFile("evals.yaml", "- a\n"), /must be a mapping/);
  });
});
