import assert from "node:assert/strict";
import { test } from "node:test";
import { findMentions } from "../../../src/agents/context/find-mentions.ts";

test("findMentions is quick for a text full of @ signs and quotes", () => {
  const agents = Array.from({ length: 100 }, (_, at) => ({ id: String(at), name: `${"@".repeat(80)}${at}` }));
  for (const text of ["@", "@ ", '@"', "a@"].map((piece) => piece.repeat(100_000 / piece.length))) {
    const before = process.threadCpuUsage();
    findMentions(text, agents);
    const durationMs = process.threadCpuUsage(before).user / 1000;
    assert.ok(durationMs < 1_000, `${text.slice(0, 4)}: ${Math.round(durationMs)} ms`);
  }
  const named = findMentions(`${"a@b.example ".repeat(5_000)} @Ann and @Bob`, [
    { id: "1", name: "Ann" },
    { id: "2", name: "Bob" },
  ]);
  assert.deepEqual(named, ["1", "2"]);
});
