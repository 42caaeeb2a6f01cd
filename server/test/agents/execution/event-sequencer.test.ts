import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Block, EventSequencer } from "../../../src/agents/writer/event-sequencer.ts";
import { createStreamHub, type RunEvent } from "../../../src/agents/streams/stream-hub.ts";
import { toStorableJson } from "../../../src/agents/writer/sql/to-storable-json.ts";

const RUN = { id: "run", swarmId: "swarm" };
/** More than a test numbers. */
const MANY = 1_000;

test("events are published once and in order for any order of commits; a late listener misses none", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.record({ kind: fc.constant("delta" as const), turn: fc.nat(1) }),
          fc.record({ kind: fc.constant("reserve" as const), count: fc.integer({ min: 1, max: 3 }) }),
          fc.record({ kind: fc.constant("fill" as const), which: fc.nat(3) }),
          fc.record({ kind: fc.constant("flush" as const) }),
          fc.record({ kind: fc.constant("attach" as const) }),
        ),
        { maxLength: 60 },
      ),
      (moves) => {
        const streamHub = createStreamHub();
        streamHub.open(RUN.id);
        const sequencer = new EventSequencer(streamHub, { run: RUN, lastSeq: 7, maxUnstoredSeqs: MANY });
        const sources = [0, 1].map((at) => ({ turnId: `turn ${at}`, messageId: `message ${at}`, agentId: "agent" }));
        const open: { block: Block; count: number }[] = [];
        const stored: number[] = [];
        const shown: number[] = [];
        streamHub.subscribe(RUN.id, ({ seq }) => shown.push(seq));
        const late: { heard: number[]; storedBefore: number[] }[] = [];
        const fill = (at: number): void => {
          const [taken] = open.splice(at % Math.max(1, open.length), 1);
          if (taken === undefined) return;
          const rows = Array.from({ length: taken.count }, (_, index) => ({
            seq: taken.block.seq + index,
            type: "turn.started",
            agent_id: null,
            restricted: false,
            data: {},
          }));
          stored.push(...rows.map(({ seq }) => seq));
          sequencer.fill(taken.block, rows);
        };
        const flush = (): void => {
          for (const { seq, data } of sequencer.takeUnstored()) {
            const { first_seq: first, deltas } = data as { first_seq: number; deltas: string[] };
            assert.equal(first + deltas.length - 1, seq);
            stored.push(...deltas.map((_, at) => first + at));
          }
          sequencer.markStored(true);
        };
        for (const move of moves) {
          if (move.kind === "delta") sequencer.delta("message.delta", sources[move.turn] ?? sources[0]!, "word");
          else if (move.kind === "reserve") open.push({ block: sequencer.reserve(move.count), count: move.count });
          else if (move.kind === "fill") fill(move.which);
          else if (move.kind === "flush") flush();
          else {
            const heard: number[] = [];
            streamHub.subscribe(RUN.id, (event: RunEvent) => heard.push(event.seq));
            late.push({ heard, storedBefore: [...stored] });
          }
        }
        while (open.length > 0) fill(0);
        flush();
        const all = stored.toSorted((one, other) => one - other);
        assert.deepEqual(shown, all);
        for (const { heard, storedBefore } of late)
          assert.deepEqual(
            [...new Set([...storedBefore, ...heard])].toSorted((one, other) => one - other),
            all,
          );
      },
    ),
  );
});

test("no seq is published that a node which continues the run could use again", () => {
  const LIMIT = 10;
  const moves = fc.array(fc.constantFrom("delta", "delta", "delta", "store", "store durably"), {
    maxLength: 80,
  });
  fc.assert(
    fc.property(moves, (steps) => {
      const streamHub = createStreamHub();
      streamHub.open(RUN.id);
      const sequencer = new EventSequencer(streamHub, { run: RUN, lastSeq: 0, maxUnstoredSeqs: LIMIT });
      const source = { turnId: "turn", messageId: "message", agentId: "agent" };
      const shown: number[] = [];
      streamHub.subscribe(RUN.id, ({ seq }) => shown.push(seq));
      let durableSeq = 0;
      let storedSeq = 0;
      for (const step of steps) {
        if (step === "delta") sequencer.delta("message.delta", source, "word");
        else {
          for (const { seq } of sequencer.takeUnstored()) storedSeq = Math.max(storedSeq, seq);
          const isDurable = step === "store durably" || sequencer.needsDurable;
          if (isDurable) durableSeq = storedSeq;
          sequencer.markStored(isDurable);
        }
        // A crash of the database leaves what is durable.
        assert.ok((shown.at(-1) ?? 0) <= durableSeq + LIMIT, `${shown.at(-1)}`);
      }
      sequencer.takeUnstored();
      sequencer.markStored(true);
      assert.deepEqual(
        shown,
        [...new Set(shown)].toSorted((one, other) => one - other),
      );
    }),
  );
});

test("a block is filled once, with events of its own", () => {
  const streamHub = createStreamHub();
  streamHub.open(RUN.id);
  const sequencer = new EventSequencer(streamHub, { run: RUN, lastSeq: 7, maxUnstoredSeqs: MANY });
  const shown: number[] = [];
  streamHub.subscribe(RUN.id, ({ seq }) => shown.push(seq));
  const rowAt = (seq: number) => ({ seq, type: "turn.started", agent_id: null, restricted: false, data: {} });
  const [first, second] = [sequencer.reserve(2), sequencer.reserve(1)];
  sequencer.fill(first, [rowAt(8), rowAt(9)]);
  assert.throws(() => sequencer.fill(first, []), /filled before/);
  for (const seq of [9, 11]) assert.throws(() => sequencer.fill(second, [rowAt(seq)]), /not in the block 10 of 1/);
  sequencer.fill(sequencer.reserve(0), []);
  assert.deepEqual(shown, [8, 9]);
});

test("toStorableJson makes keys and values of a model storable", () => {
  const bytes = "a\u0000b\\u0000c\ud800d\udc00e\\\\u0000";
  const stored = toStorableJson({ [bytes]: [bytes, "😀 stays", "\\ud800"] });
  const clean = "a\ufffdb\\u0000c\ufffdd\ufffde\\\\u0000";
  assert.deepEqual(JSON.parse(stored), { [clean]: [clean, "😀 stays", "\\ud800"] });
});
