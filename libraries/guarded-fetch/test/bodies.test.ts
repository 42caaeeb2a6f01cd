import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { OutboundResult } from "../src/index.ts";
import { type Answerer, openForTest, startRawReceiver, startReceiver } from "../../../server/test/support/receiver.ts";
import { until } from "../../../server/test/support/until.ts";

const LIMIT = 65_536;

function assertAnswered(result: OutboundResult): asserts result is OutboundResult & { kind: "answered" } {
  assert.equal(result.kind, "answered", JSON.stringify(result));
}

async function bodyOf(t: Parameters<typeof startReceiver>[0], bytes: Buffer | string) {
  const { port } = await startReceiver(t, (_request, response) => response.end(bytes));
  const result = await openForTest(t).post(`https://127.0.0.1:${port}/`);
  assertAnswered(result);
  return result;
}

test("a response body at the limit is complete and one byte more is truncated", async (t) => {
  const whole = await bodyOf(t, "a".repeat(LIMIT));
  assert.deepEqual([whole.body.length, whole.isTruncated], [LIMIT, false]);
  const cut = await bodyOf(t, "a".repeat(LIMIT + 1));
  assert.deepEqual([cut.body.length, cut.isTruncated], [LIMIT, true]);
});

test("a huge or endless response body is read up to the limit, and the response counts", async (t) => {
  let sent = 0;
  const chunk = Buffer.alloc(16_384, "b");
  const endless: Answerer = (_request, response) => {
    response.writeHead(202);
    const more = (): void => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) break;
      }
    };
    response.on("drain", more);
    more();
  };
  const receiver = await startReceiver(t, endless);
  const { outbound, post } = openForTest(t);
  const result = await post(`https://127.0.0.1:${receiver.port}/`);
  assertAnswered(result);
  assert.deepEqual([result.status, result.body.length, result.isTruncated], [202, LIMIT, true]);
  await until(() => receiver.open === 0 && outbound.size.connections === 0);
  assert.ok(sent < 20_000_000, `${sent} bytes were taken`);
});

test("a compressed response body is not decompressed", async (t) => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  assert.ok(bomb.length < LIMIT);
  const encodings: (string | undefined)[] = [];
  const { port } = await startReceiver(t, ({ headers }, response) => {
    encodings.push(headers["accept-encoding"]);
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  });
  const result = await openForTest(t).post(`https://127.0.0.1:${port}/`);
  assertAnswered(result);
  assert.deepEqual(encodings, ["identity"]);
  assert.ok(Buffer.byteLength(result.body) <= LIMIT);
});

test("the kept response body is valid text without NUL within the limit", async (t) => {
  const nul = await bodyOf(t, "a\0b\0");
  assert.equal(nul.body, "ab");
  const invalid = await bodyOf(t, Buffer.alloc(LIMIT, 0xff));
  assert.ok(invalid.body.isWellFormed());
  assert.ok(Buffer.byteLength(invalid.body) <= LIMIT && Buffer.byteLength(invalid.body) > LIMIT - 3);
  assert.match(invalid.body, /^\ufffd+$/);
  const split = await bodyOf(t, `a${"😀".repeat(LIMIT / 4)}`);
  assert.equal(split.body, `a${"😀".repeat(LIMIT / 4 - 1)}`);
  assert.equal(split.isTruncated, true);
  const text = await bodyOf(t, Buffer.concat([Buffer.from("grün "), Buffer.from([0xfc]), Buffer.from(" 😀")]));
  assert.equal(text.body, "grün \ufffd 😀");
});

test("a response without a length ends with its connection", async (t) => {
  const { port } = await startRawReceiver(t, (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nto the end"));
  const result = await openForTest(t).post(`https://127.0.0.1:${port}/`);
  assertAnswered(result);
  assert.equal(result.body, "to the end");
});

test("Retry-After is the first of several headers, truncated when long", async (t) => {
  const { port } = await startReceiver(t, ({ url }, response) => {
    response.writeHead(503, ["retry-after", url === "/two" ? "1" : "9".repeat(5_000), "retry-after", "2"]).end();
  });
  const { post } = openForTest(t);
  const two = await post(`https://127.0.0.1:${port}/two`);
  assertAnswered(two);
  assert.equal(two.retryAfter, "1");
  const long = await post(`https://127.0.0.1:${port}/long`);
  assertAnswered(long);
  assert.equal(long.retryAfter?.length, 256);
});
