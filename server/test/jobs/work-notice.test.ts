import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { WorkNotice } from "../../src/jobs/index.ts";

const AFTER_MS = 50;

/** A notice whose node polls until the end of the test, with a clock that only the test moves. */
function startPolling(t: TestContext): {
  readonly notice: WorkNotice;
  count(): number;
  tick(ms: number): void;
  stop(): Promise<void>;
} {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 1_000;
  t.mock.method(performance, "now", () => nowMs);
  let notices = 0;
  const notice = new WorkNotice(() => {
    notices += 1;
  }, AFTER_MS);
  const stopping = Promise.withResolvers<void>();
  const polling = notice.during(() => stopping.promise);
  return {
    notice,
    count: () => notices,
    tick: (ms) => {
      nowMs += ms;
      t.mock.timers.tick(ms);
    },
    stop: async () => {
      stopping.resolve();
      await polling;
    },
  };
}

test("a node without a loop notifies the others at once", () => {
  let notices = 0;
  const notice = new WorkNotice(() => {
    notices += 1;
  });
  notice.add();
  assert.equal(notices, 1);
});

test("the others are not notified of work that this node polls for in time", async (t) => {
  const { notice, count, tick, stop } = startPolling(t);
  for (let at = 0; at < 10; at += 1) {
    notice.add();
    tick(AFTER_MS - 1);
    notice.beginPoll();
  }
  tick(10 * AFTER_MS);
  await stop();
  assert.equal(count(), 0);
});

test("the others are notified once of work that waits too long, counted from its arrival", async (t) => {
  const { notice, count, tick, stop } = startPolling(t);
  notice.add();
  tick(AFTER_MS - 10);
  notice.beginPoll();
  notice.add();
  tick(AFTER_MS - 1);
  assert.equal(count(), 0);
  tick(1);
  assert.equal(count(), 1);
  tick(10 * AFTER_MS);
  assert.equal(count(), 1);
  await stop();
});

test("a poll that leaves work notifies the others, but only if there was work", async (t) => {
  const { notice, count, stop } = startPolling(t);
  notice.beginPoll(true);
  assert.equal(count(), 0);
  notice.add();
  notice.beginPoll(true);
  assert.equal(count(), 1);
  await stop();
});

test("the end of the loop hands waiting work to the others", async (t) => {
  const { notice, count, stop } = startPolling(t);
  notice.add();
  await stop();
  assert.equal(count(), 1);
});
