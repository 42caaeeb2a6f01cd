import assert from "node:assert/strict";
import { test } from "node:test";
import { poll, WakeUp } from "../../src/jobs/index.ts";

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
