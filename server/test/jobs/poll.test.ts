import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Commits, poll, WakeUp } from "../../src/jobs/index.ts";

const HOUR_MS = 3_600_000;

test("poll runs steps without a wait while they ask for none, and ends with the signal", async () => {
  const stop = new AbortController();
  let steps = 0;
  const step = async (): Promise<number> => {
    steps += 1;
    if (steps === 5) stop.abort();
    return 0;
  };
  await poll(step, { signal: stop.signal, random: Math.random, onFailure: assert.ifError });
  assert.equal(steps, 5);
});

test("a wake-up ends the wait of poll, also one that comes while a step runs", async () => {
  const stop = new AbortController();
  const wakeUp = new WakeUp();
  let steps = 0;
  const step = async (): Promise<number> => {
    steps += 1;
    if (steps === 1) wakeUp.trigger();
    else if (steps === 2) setImmediate(() => wakeUp.trigger());
    else stop.abort();
    return HOUR_MS;
  };
  await poll(step, { signal: stop.signal, random: Math.random, wakeUp, onFailure: assert.ifError });
  assert.equal(steps, 3);
});

test("poll reports the first of several failures in a row, retries, and reports the next outage again", async () => {
  const stop = new AbortController();
  const failures: string[] = [];
  let steps = 0;
  const step = async (): Promise<number> => {
    steps += 1;
    if (steps === 5) stop.abort();
    if (steps !== 3) throw new Error(`step ${steps}`);
    return 0;
  };
  await poll(step, {
    signal: stop.signal,
    random: Math.random,
    retryAfterMs: 1,
    onFailure: (error) => failures.push((error as Error).message),
  });
  assert.deepEqual(failures, ["step 1", "step 4"]);
});

/** Commits that the test makes. */
function createCommits() {
  let version = 0;
  const waiting = new Set<() => void>();
  const commits: Commits = {
    get version() {
      return version;
    },
    onceAfter: (seen, callBack) => {
      if (seen !== version) callBack();
      else waiting.add(callBack);
      return () => waiting.delete(callBack);
    },
    after: async () => {},
  };
  const commit = (): void => {
    version += 1;
    for (const callBack of waiting) callBack();
    waiting.clear();
  };
  return { commits, commit, waiting };
}

test("poll waits beyond its interval for a commit after the step began, a wake-up, or what is due", async () => {
  const { commits, commit, waiting } = createCommits();
  const stop = new AbortController();
  const wakeUp = new WakeUp();
  const whenWaiting = async (act: () => void): Promise<void> => {
    while (waiting.size === 0) await nextTurn();
    act();
  };
  const acts: readonly (() => number)[] = [
    () => Number.POSITIVE_INFINITY,
    () => HOUR_MS,
    // Something is due.
    () => 2,
    () => {
      commit();
      return HOUR_MS;
    },
  ];
  let steps = 0;
  const step = async (): Promise<number> => {
    assert.equal(waiting.size, 0);
    const act = acts[steps];
    steps += 1;
    if (steps === 1) void whenWaiting(commit);
    if (steps === 2) void whenWaiting(() => wakeUp.trigger());
    if (act === undefined) stop.abort();
    return act?.() ?? 0;
  };
  const options = { signal: stop.signal, random: Math.random, wakeUp, commits, everyMs: 1, onFailure: assert.ifError };
  await poll(step, options);
  assert.equal(steps, 5);
});
