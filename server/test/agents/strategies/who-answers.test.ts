import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SWARM_STRATEGIES } from "@swarmbase/sdk";
import fc from "fast-check";
import type { FinishedTurn, NextStep, RunView } from "../../../src/agents/strategies/run-view.ts";
import { decideAnswering, decideNext } from "../../../src/agents/strategies/who-answers.ts";

const AGENTS = ["c", "a", "b"].map((id, index) => ({ id, name: id.toUpperCase(), position: [2, 0, 1][index] ?? 0 }));
let turnCount = 0;

function turn(agentId: string, extra: Partial<FinishedTurn> = {}): FinishedTurn {
  turnCount += 1;
  return { agentId, outcome: "completed", text: `answer ${turnCount}`, handoffTo: null, ...extra };
}
const pass = (from: string, to: string, extra: Partial<FinishedTurn> = {}): FinishedTurn =>
  turn(from, { handoffTo: to, text: "", ...extra });
const failed = (agentId: string): FinishedTurn => turn(agentId, { outcome: "failed", text: "" });

function decide(view: Partial<RunView>): string {
  return describeStep(
    decideNext({
      strategy: "round_robin",
      agents: AGENTS,
      coordinatorId: null,
      inChargeId: null,
      isNarrowed: false,
      maxTurns: 10,
      maxRounds: 1,
      onAgentError: "continue",
      turns: [],
      selected: null,
      ...view,
    }),
  );
}

function describeStep(step: NextStep): string {
  switch (step.type) {
    case "turns":
      return step.agentIds.join("+");
    case "select":
      return "select";
    case "end":
      return `end: ${step.stopReason}`;
  }
}

type Case = readonly [name: string, view: Partial<RunView>, step: string];
const only = (...agentIds: readonly string[]): Partial<RunView> => {
  const run = { strategy: "round_robin", agents: AGENTS, coordinatorId: null, agentIds, message: null } as const;
  const { agents, isNarrowed } = decideAnswering(run);
  return { agents, isNarrowed };
};

const CASES: Record<(typeof SWARM_STRATEGIES)[number], readonly Case[]> = {
  round_robin: [
    ["starts by position", {}, "a"],
    ["continues", { turns: [turn("a")] }, "b"],
    ["continues after a failure", { turns: [failed("a")] }, "b"],
    ["ends after a round", { turns: [turn("a"), turn("b"), turn("c")] }, "end: all_replied"],
    ["begins another round", { maxRounds: 2, turns: [turn("a"), turn("b"), turn("c")] }, "a"],
    ["narrowed", { ...only("c"), turns: [] }, "c"],
    ["forgets who has left", { turns: [turn("gone"), turn("a")] }, "b"],
    ["ends without agents", { agents: [] }, "end: no_reply_needed"],
    ["max turns", { maxTurns: 2, turns: [turn("a"), turn("b")] }, "end: max_turns"],
    [
      "its own end comes before the limit",
      { maxTurns: 3, turns: [turn("a"), turn("b"), turn("c")] },
      "end: all_replied",
    ],
    ["stops at a failure", { onAgentError: "stop", turns: [turn("a"), failed("b")] }, "end: provider_error"],
    [
      "an agent repeats itself",
      { ...only("a"), maxRounds: 5, turns: [turn("a", { text: "OK then." }), turn("a", { text: " ok  THEN!" })] },
      "end: no_progress",
    ],
    [
      "an agent that repeats itself does not end the part of the others",
      {
        ...only("a", "b"),
        maxRounds: 5,
        turns: [turn("a", { text: "Same." }), turn("b"), turn("a", { text: "same" })],
      },
      "b",
    ],
    [
      "nor does it get another turn",
      {
        ...only("a", "b"),
        maxRounds: 3,
        turns: [turn("a", { text: "Same." }), turn("b"), turn("a", { text: "same" }), turn("b")],
      },
      "b",
    ],
    [
      "the others complete their rounds",
      {
        ...only("a", "b"),
        maxRounds: 3,
        turns: [turn("a", { text: "Same." }), turn("b"), turn("a", { text: "same" }), turn("b"), turn("b")],
      },
      "end: all_replied",
    ],
    [
      "two agents of one opinion do not repeat themselves",
      { turns: [turn("a", { text: "Yes." }), turn("b", { text: "Yes." })] },
      "c",
    ],
  ],
  parallel: [
    ["all at once", {}, "a+b+c"],
    ["as many as turns allow", { maxTurns: 2 }, "a+b"],
    ["then says why not all", { maxTurns: 2, turns: [turn("b"), turn("a")] }, "end: max_turns"],
    ["ends", { turns: [turn("c"), turn("a"), failed("b")] }, "end: all_replied"],
    ["narrowed", only("c", "a"), "c+a"],
  ],
  mention: [
    ["starts with position 0 when none is named", {}, "a"],
    ["starts with the coordinator when none is named", { coordinatorId: "c" }, "c"],
    ["a coordinator who is not there", { coordinatorId: "gone" }, "a"],
    ["named ones in the order of the message", only("c", "b"), "c"],
    ["the next named one", { ...only("c", "b"), turns: [turn("c")] }, "b"],
    ["ends", { ...only("c", "b"), turns: [turn("b"), turn("c")] }, "end: all_replied"],
    ["one answer alone", { turns: [turn("a")] }, "end: all_replied"],
  ],
  handoff: [
    ["starts at the coordinator", { coordinatorId: "b" }, "b"],
    ["starts at position 0", {}, "a"],
    ["starts at the one who took over", { coordinatorId: "b", inChargeId: "c" }, "c"],
    ["starts at the coordinator if that one is gone", { coordinatorId: "b", inChargeId: "gone" }, "b"],
    ["starts at who is named before the one who took over", { ...only("a"), inChargeId: "c" }, "a"],
    ["starts at who is named", { ...only("c"), coordinatorId: "b" }, "c"],
    ["starts at a named coordinator", { ...only("a", "b"), coordinatorId: "b" }, "b"],
    ["continues with the target", { turns: [pass("a", "c")] }, "c"],
    ["ends without one", { turns: [pass("a", "c"), turn("c")] }, "end: all_replied"],
    ["ends at a handoff to a removed agent", { turns: [pass("a", "gone")] }, "end: all_replied"],
    ["ends at a handoff to oneself", { turns: [pass("a", "a")] }, "end: all_replied"],
    ["stays in a narrowed set", { ...only("a"), coordinatorId: "b", turns: [pass("a", "c")] }, "end: all_replied"],
    ["but for the coordinator", { ...only("a"), coordinatorId: "b", turns: [pass("a", "b")] }, "b"],
    ["to and back is no loop", { turns: [pass("a", "b"), pass("b", "a"), pass("a", "b")] }, "b"],
    [
      "twice to and fro is one",
      { turns: [pass("a", "b"), pass("b", "a"), pass("a", "b"), pass("b", "a")] },
      "end: loop_detected",
    ],
    [
      "unless a tool brought something",
      { turns: [pass("a", "b"), pass("b", "a", { usedTool: true }), pass("a", "b"), pass("b", "a")] },
      "a",
    ],
    [
      "a circle of three is bounded by turns",
      { maxTurns: 3, turns: [pass("a", "b"), pass("b", "c"), pass("c", "a")] },
      "end: max_turns",
    ],
    ["a failed turn hands nothing on", { turns: [pass("a", "b", { outcome: "failed" })] }, "end: all_replied"],
  ],
  selector: [
    ["asks first", {}, "select"],
    ["takes the answer", { selected: "b" }, "b"],
    ["done at once", { selected: "done" }, "end: no_reply_needed"],
    ["done later", { selected: "done", turns: [turn("a")] }, "end: all_replied"],
    ["asks again", { turns: [turn("a")] }, "select"],
    ["selects no agent twice in a row", { selected: "a", turns: [turn("a")] }, "b"],
    ["ignores a removed agent", { selected: "gone", turns: [turn("c")] }, "a"],
    ["a choice among one is none", only("b"), "b"],
    ["ends when no candidate is left", { ...only("b"), turns: [turn("b")] }, "end: all_replied"],
    ["does not ask where no turn is left", { maxTurns: 1, turns: [turn("a")] }, "end: max_turns"],
  ],
  supervisor: [
    ["the coordinator", { coordinatorId: "b" }, "b"],
    ["else position 0", {}, "a"],
    ["also where others are named", { ...only("c"), coordinatorId: "b" }, "b"],
    ["members' turns do not end it", { coordinatorId: "b", turns: [turn("c")] }, "b"],
    ["its own does", { coordinatorId: "b", turns: [turn("c"), turn("b")] }, "end: all_replied"],
  ],
};

for (const strategy of SWARM_STRATEGIES)
  describe(strategy, () => {
    for (const [name, view, step] of CASES[strategy])
      test(name, () => assert.equal(decide({ strategy, ...view }), step));
  });

test("any run of any strategy ends within its turn limit and uses only enabled agents", () => {
  const ids = ["a", "b", "c", "d"];
  fc.assert(
    fc.property(
      fc.record({
        strategy: fc.constantFrom(...SWARM_STRATEGIES),
        agents: fc.subarray(ids.map((id, position) => ({ id, name: id, position }))),
        coordinatorId: fc.option(fc.constantFrom(...ids)),
        inChargeId: fc.option(fc.constantFrom(...ids, "gone")),
        isNarrowed: fc.boolean(),
        maxTurns: fc.integer({ min: 1, max: 12 }),
        maxRounds: fc.integer({ min: 1, max: 10 }),
        onAgentError: fc.constantFrom("continue" as const, "stop" as const),
      }),
      fc.infiniteStream(
        fc.record({
          outcome: fc.constantFrom("completed" as const, "failed" as const, "cancelled" as const),
          text: fc.constantFrom("", "x", "y", "z"),
          handoffTo: fc.option(fc.constantFrom(...ids, "gone")),
          selected: fc.constantFrom(...ids, "done", "gone"),
        }),
      ),
      (start, chances) => {
        const turns: FinishedTurn[] = [];
        let selected: RunView["selected"] = null;
        for (let steps = 0; steps <= 2 * start.maxTurns; steps += 1) {
          const step = decideNext({ ...start, turns, selected });
          selected = null;
          if (step.type === "end") return;
          if (step.type === "select") {
            selected = chances.next().value.selected;
            continue;
          }
          assert.ok(step.agentIds.length > 0);
          for (const agentId of step.agentIds) {
            assert.ok(
              start.agents.some(({ id }) => id === agentId) || (start.isNarrowed && agentId === start.coordinatorId),
            );
            const { outcome, text, handoffTo } = chances.next().value;
            turns.push({ agentId, outcome, text, handoffTo });
          }
          assert.ok(turns.length <= start.maxTurns);
        }
        assert.fail("it never ends");
      },
    ),
    { numRuns: 500 },
  );
});

const NAMED = ["a", "b", "c"].map((id, position) => ({ id, name: id.toUpperCase(), position }));
type Asked = Partial<Parameters<typeof decideAnswering>[0]>;

/** The agents that the strategy can choose, then all that may speak. */
const ANSWERING: readonly [name: string, asked: Asked, agents: string, speakers: string][] = [
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
  for (const [name, asked, agents, speakers] of ANSWERING)
    test(name, () => {
      const answering = decideAnswering({
        strategy: "round_robin",
        agents: NAMED,
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
      const asked = { strategy, agents: NAMED, coordinatorId: "a", agentIds: ["b"], message: null };
      return decideAnswering(asked).speakers.length === 2;
    });
    assert.deepEqual(always.toSorted(), ["handoff", "selector", "supervisor"]);
  });
});
