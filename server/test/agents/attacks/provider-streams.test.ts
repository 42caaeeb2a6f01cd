import assert from "node:assert/strict";
import { test } from "node:test";
import { readChatFrame } from "../../../src/agents/providers/plain-words.ts";
import { createStreamPace } from "../../../src/agents/providers/stream-pace.ts";
import { watchFetch } from "../../../src/agents/providers/watched-fetch.ts";
import { createWordFilter } from "../../../src/agents/providers/word-filter.ts";

test("a line without an end is not looked through again and again", () => {
  const filter = createWordFilter(readChatFrame, () => assert.fail("there was no word"));
  const piece = new Uint8Array(1_400).fill(0x61);
  let sent = 0;
  let passed: Uint8Array | null = null;
  while (passed === null && sent < 200_000) {
    sent += piece.byteLength;
    passed = filter.push(piece);
  }
  // All that was held back goes on, and nothing is held back from then on.
  assert.equal(passed?.byteLength, sent);
  assert.ok(sent < 70_000, `${sent} bytes were held`);
  assert.equal(filter.push(piece)?.byteLength, piece.byteLength);
  assert.equal(filter.end(), null);
});

test("answers that are given up in the middle do not slow down those of others", async () => {
  const pace = createStreamPace();
  const endless = () =>
    new Response(
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new TextEncoder().encode("x\n\n")) }),
    );
  const fetch = watchFetch(
    { fetch: async () => endless() },
    { hasKey: true, watchers: new WeakMap(), pace, format: null },
  );
  const attempts: AbortController[] = [];
  for (let count = 0; count < 60; count += 1) {
    const attempt = new AbortController();
    attempts.push(attempt);
    const { body } = await fetch("https://provider.test", { signal: attempt.signal });
    await body?.getReader().read();
  }
  assert.ok(pace.restMs() > 0);
  for (const attempt of attempts) attempt.abort();
  assert.equal(pace.restMs(), 0);
});
