import assert from "node:assert/strict";
import { test } from "node:test";
import { createStreamPace } from "../../../server/test/support/providers/protocols.ts";
import { PlainText } from "../src/plain-text.ts";
import { createProviderFetch } from "../src/provider-fetch.ts";

test("a line without an end is not scanned again with every chunk", async () => {
  const text = new PlainText({ readsEnd: false });
  const piece = new Uint8Array(1_400).fill(0x61);
  let sent = 0;
  let passed: Uint8Array | null = null;
  while (passed === null && sent < 200_000) {
    sent += piece.byteLength;
    passed = text.push(piece);
  }
  // Everything that was held back passes, and nothing is held back afterwards.
  assert.equal(passed?.byteLength, sent);
  assert.ok(sent < 70_000, `${sent} bytes were held`);
  assert.equal(text.push(piece)?.byteLength, piece.byteLength);
  assert.equal(text.finish(), null);
  assert.equal(await text.next(), null);
});

test("aborted answers do not slow down other streams", async () => {
  const pace = createStreamPace();
  const endless = () =>
    new Response(
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new TextEncoder().encode("x\n\n")) }),
    );
  const fetch = createProviderFetch(async () => endless(), { hasKey: true, watchers: new WeakMap(), pace });
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
