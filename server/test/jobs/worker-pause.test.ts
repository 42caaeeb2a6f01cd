import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkerPause, type Worker } from "../../src/jobs/index.ts";

function countingWorker(): { worker: Worker; began: () => number; isRunning: () => boolean } {
  let runs = 0;
  let isRunning = false;
  const run = async (signal: AbortSignal): Promise<void> => {
    runs += 1;
    isRunning = true;
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    isRunning = false;
  };
  return { worker: { name: "counting", run }, began: () => runs, isRunning: () => isRunning };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a paused worker begins when the pause ends, stops when it is paused again, and ends with the signal", async () => {
  const pause = new WorkerPause(true);
  const { worker, began, isRunning } = countingWorker();
  const stop = new AbortController();
  const running = pause.over(worker).run(stop.signal);
  await turn();
  assert.equal(began(), 0);
  pause.set(false);
  await turn();
  assert.deepEqual([began(), isRunning()], [1, true]);
  pause.set(true);
  await turn();
  assert.deepEqual([began(), isRunning()], [1, false]);
  pause.set(false);
  await turn();
  assert.deepEqual([began(), isRunning()], [2, true]);
  stop.abort();
  await running;
  assert.equal(isRunning(), false);
});

test("a worker that was never released ends with the signal, and its errors are passed on", async () => {
  const stop = new AbortController();
  const waiting = new WorkerPause(true).over(countingWorker().worker).run(stop.signal);
  stop.abort();
  await waiting;
  const failing: Worker = { name: "failing", run: () => Promise.reject(new Error("broken")) };
  await assert.rejects(new WorkerPause(false).over(failing).run(new AbortController().signal), /broken/);
});
