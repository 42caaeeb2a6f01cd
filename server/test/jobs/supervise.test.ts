import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { supervise, type Worker } from "../../src/jobs/index.ts";
import { decideRestartDelayMs } from "../../src/jobs/supervise.ts";
import type { ObservationName, Observer } from "../../src/observe/index.ts";

function recordNotes() {
  const notes: { name: ObservationName; fields: Record<string, unknown> }[] = [];
  const observer: Observer = { note: (name, fields = {}) => void notes.push({ name, fields }), child: () => observer };
  const named = (name: ObservationName) => notes.filter((note) => note.name === name);
  return { observer, named };
}

const untilStopped = (name: string): Worker => ({
  name,
  run: async (signal) => {
    if (!signal.aborted) await once(signal, "abort");
  },
});

const atOnce = () => 0;

test("all workers run until the signal, then all have ended", async () => {
  const { observer, named } = recordNotes();
  const stop = new AbortController();
  const done = supervise([untilStopped("a"), untilStopped("b")], { signal: stop.signal, observer });
  assert.equal(named("worker.started").length, 2);
  stop.abort();
  await done;
  assert.equal(named("worker.stopped").length, 2);
});

test("supervise resolves at once without workers", async () => {
  const { observer } = recordNotes();
  await supervise([], { signal: new AbortController().signal, observer });
});

test("a worker that throws or ends is restarted, and the others continue", async () => {
  const { observer, named } = recordNotes();
  const stop = new AbortController();
  let runs = 0;
  const shaky: Worker = {
    name: "shaky",
    run: async (signal) => {
      runs += 1;
      if (runs === 1) throw new Error("first");
      if (runs === 2) return;
      if (runs === 3) throw new Error("third");
      stop.abort();
      signal.throwIfAborted();
    },
  };
  await supervise([shaky, untilStopped("steady")], { signal: stop.signal, observer, restartDelayMs: atOnce });
  assert.equal(runs, 4);
  assert.equal(named("worker.failed").length, 2);
  assert.equal(named("worker.ended").length, 1);
  assert.equal(named("worker.started").filter(({ fields }) => fields["worker"] === "steady").length, 1);
});

test("a worker that throws synchronously counts as failed", async () => {
  const { observer, named } = recordNotes();
  const stop = new AbortController();
  const broken: Worker = {
    name: "broken",
    run: () => {
      if (named("worker.failed").length > 0) stop.abort();
      throw new Error("at once");
    },
  };
  await supervise([broken], { signal: stop.signal, observer, restartDelayMs: atOnce });
  assert.equal(named("worker.failed").length, 1);
});

test("the delay grows with every restart", async () => {
  const { observer } = recordNotes();
  const stop = new AbortController();
  const seen: number[] = [];
  const restartDelayMs = (restarts: number) => {
    seen.push(restarts);
    if (restarts === 3) stop.abort();
    return 0;
  };
  await supervise([{ name: "w", run: async () => {} }], { signal: stop.signal, observer, restartDelayMs });
  assert.deepEqual(seen, [0, 1, 2, 3]);
});

test("a stop during the delay does not wait for its end", async () => {
  const { observer } = recordNotes();
  const stop = new AbortController();
  const restartDelayMs = () => {
    setImmediate(() => stop.abort());
    return 3_600_000;
  };
  await supervise([{ name: "w", run: async () => {} }], { signal: stop.signal, observer, restartDelayMs });
});

test("when a critical worker fails, supervise stops all workers and rejects with its error", async () => {
  const { observer, named } = recordNotes();
  const critical: Worker = {
    name: "critical",
    isCritical: true,
    run: async () => {
      throw new Error("gone");
    },
  };
  const done = supervise([critical, untilStopped("other")], { signal: new AbortController().signal, observer });
  await assert.rejects(done, /gone/);
  assert.equal(named("worker.gave_up").length, 1);
  assert.equal(named("worker.stopped").length, 1);
  await assert.rejects(
    supervise([{ name: "short", isCritical: true, run: async () => {} }], {
      signal: new AbortController().signal,
      observer,
    }),
    /short ended on its own/,
  );
});

test("a worker that does not end is reported and abandoned", async () => {
  const { observer, named } = recordNotes();
  const stop = new AbortController();
  const deaf: Worker = { name: "deaf", run: () => new Promise(() => {}) };
  const done = supervise([deaf, untilStopped("good")], { signal: stop.signal, observer, stopTimeoutMs: 20 });
  stop.abort();
  await done;
  assert.deepEqual(
    named("worker.stuck").map(({ fields }) => fields["worker"]),
    ["deaf"],
  );
});

test("an error on the way out of a stopping worker is not a failure", async () => {
  const { observer, named } = recordNotes();
  const stop = new AbortController();
  const worker: Worker = {
    name: "w",
    run: async (signal) => {
      await once(signal, "abort");
      signal.throwIfAborted();
    },
  };
  const done = supervise([worker], { signal: stop.signal, observer });
  stop.abort();
  await done;
  assert.equal(named("worker.failed").length, 0);
});

test("restart delays follow a schedule, and half of each is random", () => {
  const cases: [number, number, number][] = [
    [0, 0, 250],
    [0, 1, 500],
    [1, 0, 500],
    [3, 0.5, 3_750],
    [5, 1, 30_000],
    [500, 0, 15_000],
  ];
  for (const [restarts, chance, expected] of cases)
    assert.equal(
      decideRestartDelayMs(restarts, () => chance),
      expected,
    );
});
