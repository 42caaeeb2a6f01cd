import assert from "node:assert/strict";
import { test } from "node:test";
import { openEventStream } from "../../src/extensions/event-stream.ts";

const renderFailure = (error: unknown): string => `data: ${(error as Error).message}\n\n`;

/** Frames that the test sends one by one. */
function openSource(): {
  readonly frames: AsyncGenerator<string, void, undefined>;
  readonly state: { isClosed: boolean };
  send(frame: string): void;
  fail(error: Error): void;
} {
  const state = { isClosed: false };
  let next = Promise.withResolvers<string>();
  const frames = (async function* () {
    try {
      for (;;) {
        const frame = await next.promise;
        next = Promise.withResolvers();
        yield frame;
      }
    } finally {
      state.isClosed = true;
    }
  })();
  return { frames, state, send: (frame) => next.resolve(frame), fail: (error) => next.reject(error) };
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = {};
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

test("a silent stream gets comments, and an error after the first frame is the last frame", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { frames, state, send, fail } = openSource();
  const opening = openEventStream(frames, { headers: { "x-kind": "test" }, renderFailure });
  assert.ok(await isPending(opening));
  t.mock.timers.tick(30_000);
  assert.ok(await isPending(opening), "without a start, the response does not begin");
  send("data: 1\n\n");
  const { headers, stream } = await opening;
  assert.equal(headers?.["content-type"], "text/event-stream; charset=utf-8");
  assert.equal(headers?.["x-kind"], "test");
  const reading = (stream as AsyncIterable<string>)[Symbol.asyncIterator]();
  assert.equal((await reading.next()).value, "data: 1\n\n");
  for (const _ of [1, 2]) {
    const next = reading.next();
    assert.ok(await isPending(next));
    t.mock.timers.tick(10_000);
    assert.equal((await next).value, ": waiting\n\n");
  }
  fail(new Error("broken"));
  assert.equal((await reading.next()).value, "data: broken\n\n");
  assert.equal((await reading.next()).done, true);
  assert.ok(state.isClosed);
});

test("a run that has started begins the response with a comment", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { frames, state } = openSource();
  const opening = openEventStream(frames, { isStarted: () => true, renderFailure });
  assert.ok(await isPending(opening));
  t.mock.timers.tick(10_000);
  const { stream } = await opening;
  const reading = (stream as AsyncIterable<string>)[Symbol.asyncIterator]();
  assert.equal((await reading.next()).value, ": waiting\n\n");
  assert.equal(state.isClosed, false);
});

test("an error before the first frame rejects, and a reader that leaves ends the frames", async () => {
  const failing = openSource();
  const opening = openEventStream(failing.frames, { renderFailure });
  failing.fail(new Error("too early"));
  await assert.rejects(opening, /too early/);

  const left = openSource();
  const response = openEventStream(left.frames, { renderFailure });
  left.send("data: 1\n\n");
  for await (const frame of (await response).stream ?? []) {
    assert.equal(frame, "data: 1\n\n");
    break;
  }
  assert.ok(left.state.isClosed);
});
