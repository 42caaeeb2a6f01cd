import assert from "node:assert/strict";
import { test } from "node:test";
import { readChatFrame } from "../src/chat-frames.ts";
import { createStreamPace } from "../../../server/test/support/providers/protocols.ts";
import { watchFetch } from "../src/watched-fetch.ts";
import { createTextFilter } from "../src/text-filter.ts";

test("a line without an end is not scanned again with every chunk", () => {
  const filter = createTextFilter(readChatFrame, () => assert.fail("there was no text"));
  const piece = new Uint8Array(1_400).fill(0x61);
  let sent = 0;
  let passed: Uint8Array | null = null;
  while (passed === null && sent < 200_000) {
    sent += piece.byteLength;
    passed = filter.push(piece);
  }
  // Everything that was held back passes, and nothing is held back afterwards.
  assert.equal(passed?.byteLength, sent);
  assert.ok(sent < 70_000, `${sent} bytes were held`);
  assert.equal(filter.push(piece)?.byteLength, piece.byteLength);
  assert.equal(filter.end(), null);
});

test("aborted answers do not slow down other streams", async () => {
  const pace = createStreamPace();
  const endless = () =>
    new Response(
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new TextEncoder().encode("x\n\n")) }),
    );
  const fetch = watchFetch(async () => endless(), { hasKey: true, watchers: new WeakMap(), pace, format: null });
  const attempts: AbortController[] = [];
  for (let count = 0; count < 60; count += 1) {
    const attempt = new AbortController();
    attempts.push(attempt);
    const { body } = await fetch("https://provider.test", { signal: attempt.signal });
    await body?.getReader().read();
  }
  assert.ok(pace.pauseMs() > 0);
  for (const attempt of attempts) attempt.abort();
  assert.equal(pace.pauseMs(), 0);
});
