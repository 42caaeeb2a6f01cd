import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { EventSequencer } from "../../../src/agents/writer/event-sequencer.ts";
import type { RunStore } from "../../../src/agents/writer/run-store.ts";
import { RunWriter } from "../../../src/agents/writer/run-writer.ts";
import { RunStop } from "../../../src/agents/writer/run-stop.ts";
import type { Advanced, RunAdvance } from "../../../src/agents/writer/sql/advance-runs.ts";
import type { Step } from "../../../src/agents/writer/steps.ts";
import { createStreamHub } from "../../../src/agents/streams/stream-hub.ts";

const HOLD = { runId: "run", swarmId: "swarm", fence: 1 };
const SOURCE = { turnId: "turn", messageId: "message", agentId: "agent" };
const STEP: Step = { op: "settle_reservations", ids: [], usage: null };

/** A writer with a store that counts its statements. `advance` answers a batch. */
function openWriter(advance: (advance: RunAdvance) => Advanced) {
  const streamHub = createStreamHub();
  streamHub.open(HOLD.runId);
  const counts = { deltas: 0, advances: 0 };
  const lost: unknown[] = [];
  const hold = { isHeld: true };
  const store: RunStore = {
    deltaPauseMs: 5,
    storeDeltas: async () => {
      counts.deltas += 1;
      return { is_stored: true, has_gap: false, is_lost: false, cancel_reason: null };
    },
    advance: async (one) => {
      counts.advances += 1;
      return advance(one);
    },
  };
  const run = { id: HOLD.runId, swarmId: HOLD.swarmId };
  const writer = new RunWriter({
    store,
    hold: HOLD,
    sequencer: new EventSequencer(streamHub, { run, lastSeq: 0, maxUnstoredSeqs: 1_000 }),
    isHeld: () => hold.isHeld,
    onCancel: () => {},
    onLost: (error) => void lost.push(error),
    onEvents: () => {},
    readProgress: () => null,
  });
  return { writer, counts, lost, hold };
}

function answer({ steps }: RunAdvance): Advanced {
  return {
    isLost: false,
    cancelReason: null,
    results: steps.map(() => ({ events: [] })),
    hasEvents: false,
    isDurable: true,
  };
}

function isLostRun(error: unknown): boolean {
  return error instanceof RunStop && error.kind === "lost";
}

test("a commit whose answer does not fit its steps loses the run, with the reason", async () => {
  const event = { seq: 99, type: "turn.started", agent_id: null, restricted: false, data: {} };
  const answers: [(advance: RunAdvance) => Advanced, RegExp][] = [
    [(advance) => ({ ...answer(advance), results: [] }), /1 steps have 0 results/],
    [(advance) => ({ ...answer(advance), results: [{ events: [event] }] }), /not in the block/],
  ];
  for (const [advance, reason] of answers) {
    const { writer, lost } = openWriter(advance);
    await assert.rejects(writer.submit(STEP), isLostRun);
    assert.equal(lost.length, 1);
    assert.match(String(lost[0]), reason);
    await assert.rejects(writer.submit(STEP), isLostRun);
  }
});

test("a run that is lost or closed while its deltas wait for the timer is not written any more", async () => {
  for (const end of ["lost", "closed"]) {
    const { writer, counts, lost, hold } = openWriter(answer);
    writer.delta("message.delta", SOURCE, "one");
    if (end === "closed") writer.close();
    hold.isHeld = false;
    writer.delta("message.delta", SOURCE, "two");
    await sleep(30);
    assert.deepEqual(counts, { deltas: 0, advances: 0 });
    assert.equal(lost.length, end === "lost" ? 1 : 0);
  }
});

test("steps that are submitted during a write share the next one; deltas that are left are stored later", async () => {
  const { writer, counts } = openWriter(answer);
  const first = writer.submit(STEP);
  await sleep(0);
  writer.delta("message.delta", SOURCE, "one");
  await Promise.all([first, writer.submit(STEP), writer.submit(STEP)]);
  assert.ok(counts.advances <= 2);
  writer.delta("message.delta", SOURCE, "two");
  await sleep(30);
  assert.equal(counts.deltas, 1);
});
