import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ANY_CHARACTER } from "../../support/any-character.ts";
import { Subscriber } from "../../../src/agents/streams/subscriber.ts";
import { hidePayload, renderServerSentEvent } from "../../../src/agents/streams/stream-run.ts";
import { answerWith, type RunBody } from "../../../src/agents/streams/run-body.ts";
import { type EventReader, expandEvent } from "../../../src/agents/streams/event-reader.ts";
import { createStreamHub, type RunEvent } from "../../../src/agents/streams/stream-hub.ts";

const RUN = "0192f0c1-0000-7000-8000-000000000001";
const VIEWER = { userId: "u", isManager: false, ownAgentIds: [] };
const PAGE = 7;

/** A run that is executed here, and its stored events. */
function openRun() {
  const streamHub = createStreamHub();
  const stored: RunEvent[] = [];
  const unstored: RunEvent[] = [];
  let seq = 0;
  streamHub.open(RUN);
  const reader: EventReader = {
    read: async (_runId, afterSeq) => {
      const events = stored.filter((event) => event.seq > afterSeq).slice(0, PAGE);
      await new Promise(setImmediate);
      return { events, isFull: events.length === PAGE };
    },
    readLastSeq: async () => stored.at(-1)?.seq ?? null,
  };
  const publish = (type = "message.delta"): void => {
    seq += 1;
    const event = { runId: RUN, seq, type, agentId: null, isRestricted: false, data: {} };
    unstored.push(event);
    streamHub.publish(event);
  };
  const store = (): void => {
    stored.push(...unstored.splice(0));
    streamHub.markStored(RUN, seq);
  };
  const subscribe = (afterSeq: number): Subscriber =>
    new Subscriber({ runId: RUN, afterSeq, viewer: VIEWER, isFresh: false, streamHub, reader });
  /** What a crash of the database does to the last writes, until the node stores them again. */
  const crash = (count: number): (() => void) => {
    const lost = stored.splice(-count);
    return () => void stored.push(...lost);
  };
  /** The process loses the run and takes it over: the database gets an event that is not published. */
  const takeOver = (): void => {
    streamHub.close(RUN);
    seq += 1_000;
    stored.push({ runId: RUN, seq, type: "run.started", agentId: null, isRestricted: false, data: {} });
    unstored.length = 0;
    streamHub.open(RUN);
  };
  return { streamHub, publish, store, subscribe, crash, takeOver, lastSeq: () => seq };
}

async function readToEnd(subscriber: Subscriber): Promise<number[]> {
  const seqs: number[] = [];
  for (;;) {
    const step = await subscriber.next(5_000);
    assert.equal(step.kind, "events");
    if (step.kind !== "events") return seqs;
    seqs.push(...step.events.map(({ seq }) => seq));
    if (step.events.some(({ type }) => type === "run.completed")) return seqs;
  }
}

describe("a subscriber", () => {
  test("that is live when its process takes the run over again gets the events that only the database has", async () => {
    for (const isLateReader of [false, true]) {
      const run = openRun();
      run.publish();
      run.store();
      const subscriber = run.subscribe(0);
      if (!isLateReader) assert.equal((await subscriber.next(5_000)).kind, "events");
      run.publish();
      run.takeOver();
      run.publish("turn.restarted");
      run.publish("run.completed");
      const seqs = await readToEnd(subscriber);
      assert.deepEqual(
        seqs.slice(-3),
        [1_003, 1_004, 1_005].map((seq) => seq - 1),
      );
    }
  });

  test("waits for events that a crash of the database has undone, and then gets all in order", async () => {
    const run = openRun();
    for (let at = 0; at < 5; at += 1) run.publish();
    run.store();
    const restore = run.crash(2);
    run.publish();
    const subscriber = run.subscribe(0);
    const step = await subscriber.next(5_000);
    assert.deepEqual(step.kind === "events" && step.events.map(({ seq }) => seq), [1, 2, 3]);
    assert.equal((await subscriber.next(0)).kind, "idle");
    restore();
    run.store();
    run.publish("run.completed");
    assert.deepEqual(await readToEnd(subscriber), [4, 5, 6, 7]);
  });

  test("that continues after an event which this node has not stored yet goes on after it", async () => {
    const run = openRun();
    run.publish();
    run.publish();
    const subscriber = run.subscribe(1);
    run.publish("run.completed");
    assert.deepEqual(await readToEnd(subscriber), [2, 3]);
  });

  test("emits every event once and in order, for any interleaving of publishing and storing", async () => {
    const actions = fc.array(fc.constantFrom("publish", "publish", "publish", "store", "subscribe", "wait"), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        const run = openRun();
        const read: { from: number; seqs: Promise<number[]> }[] = [];
        const subscribe = (from: number): void => void read.push({ from, seqs: readToEnd(run.subscribe(from)) });
        subscribe(0);
        for (const step of steps) {
          if (step === "publish") run.publish();
          else if (step === "store") run.store();
          else if (step === "subscribe") subscribe(Math.floor(run.lastSeq() / 2));
          else await new Promise(setImmediate);
        }
        run.publish("run.completed");
        run.store();
        for (const { from, seqs } of read) {
          const wanted = Array.from({ length: run.lastSeq() - from }, (_, at) => from + at + 1);
          assert.deepEqual(await seqs, wanted);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("limits the buffer of a slow reader, which misses no event", async () => {
    const run = openRun();
    const subscriber = run.subscribe(0);
    run.publish();
    assert.equal((await subscriber.next(1_000)).kind, "events");
    for (let count = 0; count < 1_500; count += 1) run.publish();
    run.publish("run.completed");
    run.store();
    const step = await subscriber.next(1_000);
    assert.ok(step.kind === "events" && step.events.length <= PAGE, "the buffer is dropped and read again");
    const seqs = await readToEnd(subscriber);
    assert.deepEqual([seqs[0], seqs.length], [step.events.length + 2, 1_502 - 1 - step.events.length]);
  });

  test("reports why it stops, and emits nothing afterwards", async () => {
    for (const reason of ["left", "forbidden", "stopping"] as const) {
      const run = openRun();
      const subscriber = run.subscribe(0);
      const waiting = subscriber.next(5_000);
      setImmediate(() => subscriber.close(reason));
      assert.deepEqual(await waiting, { kind: reason });
      run.publish();
      assert.deepEqual(await subscriber.next(5_000), { kind: reason });
    }
  });

  test("is over when the run has ended and nothing more is stored", async () => {
    const run = openRun();
    run.streamHub.close(RUN);
    const subscriber = run.subscribe(0);
    assert.deepEqual(await subscriber.next(0), { kind: "idle" });
    subscriber.update(VIEWER, "completed");
    assert.deepEqual(await subscriber.next(1_000), { kind: "over" });
  });
});

describe("a run event", () => {
  test("with several deltas is expanded into one event for each delta", () => {
    const row = { run_id: RUN, seq: 9, type: "message.delta", agent_id: "a", restricted: false };
    const data = { run_id: RUN, turn_id: "t", first_seq: 7, deltas: ["x", "y", "z"] };
    assert.deepEqual(
      expandEvent({ ...row, data }).map(({ seq, data: { turn_id, delta } }) => [seq, turn_id, delta]),
      [
        [7, "t", "x"],
        [8, "t", "y"],
        [9, "t", "z"],
      ],
    );
    assert.deepEqual(expandEvent({ ...row, data: { text: "x" } })[0]?.data, { text: "x" });
  });

  test("is one frame for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (delta) => {
        const frame = renderServerSentEvent({ runId: RUN, seq: 3, type: "message.delta", data: { delta } });
        const lines = frame.split("\n");
        assert.deepEqual([lines.length, ...lines.slice(0, 2)], [5, "id: 3", "event: message.delta"]);
        assert.deepEqual(JSON.parse(lines[2]?.slice("data: ".length) ?? ""), { delta, run_id: RUN, seq: 3 });
      }),
    );
  });

  test("shows tool inputs and outputs only to the agent's owner and managers of the swarm", () => {
    const data = { tool_name: "t", input: { key: 1 }, output_preview: "out" };
    const event = { runId: RUN, seq: 1, type: "tool.executed", agentId: "a", isRestricted: true, data };
    const cases = [
      [VIEWER, false],
      [{ ...VIEWER, ownAgentIds: ["b"] }, false],
      [{ ...VIEWER, ownAgentIds: ["a"] }, true],
      [{ ...VIEWER, isManager: true }, true],
    ] as const;
    for (const [viewer, isShown] of cases)
      assert.deepEqual(hidePayload(event, viewer).data, isShown ? data : { tool_name: "t" });
    assert.deepEqual(hidePayload({ ...event, agentId: null }, VIEWER).data, { tool_name: "t" });
  });

  test("shows the input of a client call to the user whose client executes it", () => {
    const call = { runId: RUN, seq: 1, type: "tool.client_call", agentId: "a", isRestricted: true };
    const data = { tool_name: "t", user_id: "u", input: { key: 1 } };
    assert.deepEqual(hidePayload({ ...call, data }, VIEWER).data, data);
    assert.deepEqual(hidePayload({ ...call, data }, { ...VIEWER, userId: "v" }).data, { tool_name: "t", user_id: "u" });
    const unowned = { ...data, user_id: null };
    assert.deepEqual(hidePayload({ ...call, data: unowned }, { ...VIEWER, userId: null }).data, {
      tool_name: "t",
      user_id: null,
    });
  });
});

test("the end of a run decides the status of the response", () => {
  const run = (status: RunBody["status"], more: Partial<RunBody> = {}): RunBody => ({
    run_id: RUN,
    status,
    stop_reason: null,
    pending_approvals: null,
    pending_client_calls: null,
    pending_waits: null,
    responses: [],
    errors: [],
    ...more,
  });
  const errors = (...codes: string[]) => ({ errors: codes.map((code) => ({ code, message: "why" })) });
  const cases: [body: RunBody, status: number, code?: string][] = [
    [run("queued"), 202],
    [run("running"), 202],
    [run("requires_action"), 202],
    [run("waiting"), 202],
    [run("completed"), 200],
    [run("partial"), 200],
    [run("cancelled"), 200],
    [run("failed"), 502, "PROVIDER_ERROR"],
    [run("failed", errors("PROVIDER_TIMEOUT", "PROVIDER_TIMEOUT")), 504, "PROVIDER_TIMEOUT"],
    [run("failed", errors("PROVIDER_TIMEOUT", "PROVIDER_OVERLOADED")), 502, "PROVIDER_ERROR"],
    [run("failed", { stop_reason: "timeout" }), 504, "PROVIDER_TIMEOUT"],
    [run("failed", { stop_reason: "budget_exceeded" }), 403, "BUDGET_EXCEEDED"],
    [run("failed", errors("PROVIDER_NOT_CONFIGURED")), 503, "PROVIDER_NOT_CONFIGURED"],
    [run("failed", errors("INVALID_MODEL")), 400, "INVALID_MODEL"],
    [run("failed", errors("INTERNAL_ERROR")), 500, "INTERNAL_ERROR"],
    [run("failed", { stop_reason: "worker_lost", ...errors("WORKER_LOST") }), 503, "SERVICE_UNAVAILABLE"],
  ];
  for (const [body, status, code] of cases) {
    if (code === undefined) {
      assert.equal(answerWith(body, {}).status, status, body.status);
    } else {
      assert.throws(
        () => answerWith(body, { "x-run-id": RUN }),
        (error: { code: string; status: number; extra: { members: unknown; headers: unknown } }) => {
          assert.deepEqual([error.code, error.status, error.extra.members], [code, status, { run: body }]);
          assert.deepEqual(error.extra.headers, { "x-run-id": RUN });
          return true;
        },
      );
    }
  }
});
