import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type DeltaResult } from "../../../src/agents/writer/sql/store-deltas.ts";
import { until } from "../../support/until.ts";
import { openRunStage, type RunStage } from "../support/run-stage.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});

const startRun = async (): Promise<{ runId: string; swarmId: string }> => {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  const runId = await stage.ask(swarm);
  await stage.rows("select private.start_run($1, 'node', 30000)", [runId]);
  return { runId, swarmId: swarm.swarmId };
};
const row = (seq: number, word: string) => ({
  seq,
  type: "message.delta",
  agent_id: null,
  restricted: false,
  data: { first_seq: seq, deltas: [word] },
});
const store = async (batch: readonly { runId: string; fence?: number; words: readonly string[] }[]) => {
  const asked = batch.map(({ runId, fence = 1, words }) => ({
    run_id: runId,
    fence,
    events: words.map((word, at) => row(100 + at, word)),
  }));
  const [answer] = await stage.rows<{ verdicts: DeltaResult[] }>("select private.store_deltas($1) as verdicts", [
    JSON.stringify(asked),
  ]);
  return new Map(answer?.verdicts.map(({ run_id: id, ...verdict }) => [id, verdict]));
};
const storedOf = async (runId: string): Promise<number> => {
  const rows = await stage.rows("select 1 from public.run_events where run_id = $1 and type = 'message.delta'", [
    runId,
  ]);
  return rows.length;
};

describe("deltas of many runs are stored in one statement", () => {
  const STORED = { is_stored: true, has_gap: false, is_lost: false, cancel_reason: null };

  test("each with its own fence, and once when they are sent repeatedly", async () => {
    const [own, lost, cancelled] = [await startRun(), await startRun(), await startRun()];
    await stage.rows("update private.run_leases set cancel_requested_at = now() where run_id = $1", [cancelled.runId]);
    const batch = [
      { runId: own.runId, words: ["one ", "two"] },
      { runId: lost.runId, fence: 7, words: ["never"] },
      { runId: cancelled.runId, words: ["still"] },
    ];
    for (let time = 0; time < 2; time += 1) {
      const verdicts = await store(batch);
      assert.deepEqual(verdicts.get(own.runId), STORED);
      assert.deepEqual(verdicts.get(lost.runId), { ...STORED, is_stored: false, is_lost: true });
      assert.deepEqual(verdicts.get(cancelled.runId), { ...STORED, cancel_reason: "cancelled" });
    }
    const counts = await Promise.all([own, lost, cancelled].map(({ runId }) => storedOf(runId)));
    assert.deepEqual(counts, [2, 0, 1]);
  });

  test("without waiting for a locked run, which has to send them again", async () => {
    const [free, held] = [await startRun(), await startRun()];
    const batch = [free, held].map(({ runId }) => ({ runId, words: ["word"] }));
    const other = await stage.connect();
    await other.query("begin");
    await other.query("select 1 from public.runs where id = $1 for no key update", [held.runId]);
    const verdicts = await store(batch);
    await other.query("rollback");
    assert.deepEqual(verdicts.get(free.runId), STORED);
    assert.deepEqual(verdicts.get(held.runId), { ...STORED, is_stored: false });
    assert.deepEqual((await store(batch)).get(held.runId), STORED);
  });

  test("and those that a crash of the database has undone are stored again, before the answer ends and with its end", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm);
    const readSeqs = async (): Promise<number[]> =>
      (
        await stage.rows<{ seq: number }>("select seq from public.run_events where run_id = $1 order by seq", [runId])
      ).map(({ seq }) => seq);
    // What was written before the turn spoke survives: that write waited for the disk.
    const crash = async (): Promise<void> =>
      void (await stage.rows(
        "delete from public.run_events where run_id = $1 and (type = 'message.delta' or data ->> 'status' = 'responding')",
        [runId],
      ));
    const stored: number[][] = [];
    const node = stage.node({
      async *script() {
        yield { type: "start", framework: "provider_a", model: "scripted", attempt: 1 };
        for (const word of ["one ", "two ", "three "]) {
          const count = (await storedOf(runId)) + 1;
          yield { type: "text", delta: word };
          await until(async () => (await storedOf(runId)) >= count, "the text is stored");
        }
        stored.push(await readSeqs());
        await crash();
        yield { type: "text", delta: "four " };
        await until(async () => (await storedOf(runId)) >= 4, "the text is stored again");
        stored.push(await readSeqs());
        await crash();
        yield { type: "text", delta: "five" };
        const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0, isEstimated: false };
        yield { type: "finish", reason: "stop", usage };
      },
    });
    await node.take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    stored.push(await readSeqs());
    const [first = [], second = [], last = []] = stored;
    assert.deepEqual(second.slice(0, first.length), first);
    assert.deepEqual(last.slice(0, second.length), second);
    const [text] = await stage.rows<{ said: string; content: string }>(
      `select private.read_turn_text(t.run_id, t.id, null) as said, m.content from public.run_turns t
       join public.messages m on m.id = t.message_id where t.run_id = $1`,
      [runId],
    );
    assert.deepEqual(text, { said: "one two three four five", content: "one two three four five" });
  });

  test("and a long answer is stored completely and in order", async () => {
    const words = Array.from({ length: 40 }, (_, at) => `w${at} `);
    const node = stage.node({
      async *script() {
        yield { type: "start", framework: "provider_a", model: "scripted", attempt: 1 };
        for (const word of words) {
          yield { type: "text", delta: word };
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0, isEstimated: false };
        yield { type: "finish", reason: "stop", usage };
      },
    });
    const swarm = await stage.newSwarm({ agents: ["Ann"] });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    const rows = await stage.rows<{ deltas: string[] }>(
      "select data -> 'deltas' as deltas from public.run_events where run_id = $1 and type = 'message.delta' order by seq",
      [runId],
    );
    assert.deepEqual(
      rows.flatMap(({ deltas }) => deltas),
      words,
    );
    assert.ok(rows.length > 1 && rows.length < words.length / 2, `${rows.length} rows`);
  });
});
