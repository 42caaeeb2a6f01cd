import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SWARM_STRATEGIES } from "@swarmbase/sdk";
import { decideAnswering } from "../../../src/agents/strategies/who-answers.ts";

const AGENTS = ["a", "b", "c"].map((id, position) => ({ id, name: id.toUpperCase(), position }));
type Asked = Partial<Parameters<typeof decideAnswering>[0]>;

/** The agents that the strategy can choose, then all that may speak. */
const CASES: readonly [name: string, asked: Asked, agents: string, speakers: string][] = [
  ["all agents", {}, "abc", "abc"],
  ["those that the call names, in its order", { agentIds: ["c", "a"], message: "hello @B" }, "ca", "ac"],
  ["those that the message mentions", { message: "@B and @A" }, "ba", "ab"],
  ["an empty list names nobody", { agentIds: [], message: "@B" }, "b", "b"],
  [
    "the coordinator of a selector speaks too",
    { strategy: "selector", agentIds: ["b"], coordinatorId: "c" },
    "b",
    "bc",
  ],
  ["but not one that is disabled", { strategy: "selector", agentIds: ["b"], coordinatorId: "d" }, "b", "b"],
  ["an agent that is not in the swarm does not answer", { agentIds: ["d", "b"] }, "b", "b"],
];

describe("who answers", () => {
  for (const [name, asked, agents, speakers] of CASES)
    test(name, () => {
      const answering = decideAnswering({
        strategy: "round_robin",
        agents: AGENTS,
        coordinatorId: null,
        agentIds: null,
        message: null,
        ...asked,
      });
      const idsOf = (list: typeof answering.agents): string => list.map(({ id }) => id).join("");
      assert.equal(idsOf(answering.agents), agents);
      assert.equal(idsOf(answering.speakers), speakers);
      assert.equal(answering.isNarrowed, agents !== "abc");
    });

  test("the coordinator speaks in a run that names others where it selects, supervises or is handed over to", () => {
    const always = SWARM_STRATEGIES.filter((strategy) => {
      const asked = { strategy, agents: AGENTS, coordinatorId: "a", agentIds: ["b"], message: null };
      return decideAnswering(asked).speakers.length === 2;
    });
    assert.deepEqual(always.toSorted(), ["handoff", "selector", "supervisor"]);
  });
});
